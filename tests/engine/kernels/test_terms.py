"""The sums of terms and rows, and ranked values (see `jit`), against plain numpy."""

from __future__ import annotations

import ctypes
import platform
from typing import Any

import numpy as np
import pytest

from masons.engine.kernels.jit import (
    LANES,
    MOST_INPUT,
    RANKED,
    Single,
    Singles,
    Word,
    Words,
    add_rows,
    add_terms,
    bytes_of,
    rank_values,
    round_terms,
)
from masons.engine.kernels.kernel_calls import kernel

ROWS = 40


@kernel
def sum_rounded(
    out: Singles, start: Singles, terms: Words, count: Word, rows: Singles, values: Singles,
    factors: Singles, first: Word,
) -> None:  # fmt: skip
    """Round values to 8 terms for the rows from `first` on, and add up `count` terms."""
    round_terms(terms, values, factors, first)
    add_terms(out, start, terms, count, rows)


@kernel
def sum_cards(
    out: Singles, start: Singles, cards: Word, rows: Singles, values: Words, ranked: Singles
) -> None:
    """Add up the rows of a set of cards, and rank their values (bytes), halved."""
    add_rows(out, start, cards, rows)
    rank_values(ranked, bytes_of(values), cards, Single(0.5))


def plain_sums(start: np.ndarray, terms: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the sums of terms: int32[LANES]; a term is a row number and two inputs."""
    sums = start.astype(np.int64)
    for row, *inputs in terms.tolist():
        sums = sums + rows[row].astype(np.int64) @ inputs
    return sums.astype(np.int32)


def example(seed: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return start (int32[LANES]), terms (int64[count, 3]) and rows (int16[ROWS, LANES, 2])."""
    rng = np.random.default_rng(seed)
    terms = np.stack([rng.integers(0, ROWS, count), *rng.integers(-32767, 32768, (2, count))], 1)
    rows = rng.integers(-32767, 32768, (ROWS, LANES, 2)).astype(np.int16)
    return rng.integers(-(2**31), 2**31, LANES).astype(np.int32), terms, rows


def packed(terms: np.ndarray) -> np.ndarray:
    """Return terms as kernels read them: uint64[count]."""
    row, low, high = terms.astype(np.int64).T
    words: np.ndarray = (row << 32 | (high & 0xFFFF) << 16 | (low & 0xFFFF)).astype(np.uint64)
    return words


def has_feature(name: str) -> bool:
    """Return whether this processor has a feature, by LLVM's name."""
    import llvmlite.binding as llvm

    return bool(llvm.get_host_cpu_features().get(name))


def body_of(lanes: int, is_x86: bool) -> tuple[Any, Any]:
    """Return the code of `add_terms` for a kind of processor as a C function, and its owner."""
    import llvmlite.binding as llvm
    from llvmlite import ir

    from masons.engine.kernels import vector_intrinsics
    from masons.engine.kernels.machine import jit_machine

    module = ir.Module("terms")
    function = ir.Function(module, vector_intrinsics.ADD_TERMS_TYPE, vector_intrinsics.ADD_TERMS)
    vector_intrinsics.define_add_terms(function, lanes=lanes, is_x86=is_x86)
    features = llvm.get_host_cpu_features().flatten()
    machine = jit_machine(cpu=llvm.get_host_cpu_name(), features=features)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(module)), machine)
    engine.finalize_object()
    pointer, number = ctypes.c_void_p, ctypes.c_uint64
    kind = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, number, pointer)
    return kind(engine.get_function_address(vector_intrinsics.ADD_TERMS)), engine


@pytest.mark.parametrize(
    ("lanes", "feature"),
    [(4, ""), (4, "sse2"), (8, "avx2"), (16, "avx512bw")],
    ids=["any", "v2", "v3", "v4"],
)
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the bodies are those for x86-64")
def test_terms_add_up_on_each_processor(lanes: int, feature: str) -> None:
    """`any` is the body for processors other than x86-64."""
    pytest.importorskip("llvmlite")
    if feature and not has_feature(feature):
        pytest.skip(f"this processor has no {feature}")
    function, _engine = body_of(lanes, is_x86=bool(feature))
    for count in (0, 1, 7, 64):
        start, terms, rows = example(count, count)
        out, words = np.zeros(LANES, dtype=np.int32), packed(terms)
        function(*(a.ctypes.data for a in (out, start, words)), count, rows.ctypes.data)
        assert (out == plain_sums(start, terms, rows)).all()


def test_values_are_rounded_and_limited() -> None:
    """As they are in kernels: to the nearest whole number, and to MOST_INPUT."""
    start, _, rows = example(1, 0)
    values = np.array([*range(-6, 6), 0.25, -70.0, 70.0, 1e9], dtype=np.float32)
    factors = np.array([1.0 / 3] * 12 + [10, 1000, 1000, 1], dtype=np.float32)
    inputs = np.clip(np.rint(values.astype(float) * factors), -MOST_INPUT, MOST_INPUT)
    assert inputs.tolist()[-4:] == [2, -MOST_INPUT, MOST_INPUT, MOST_INPUT]
    terms = np.column_stack([np.arange(3, 11), inputs.reshape(-1, 2)])
    out, words = np.zeros(LANES, dtype=np.float32), np.zeros(8, dtype=np.uint64)
    sum_rounded(
        out, start.view(np.float32), words, 8, rows.reshape(-1).view(np.float32), values, factors, 3
    )
    assert (out.view(np.int32) == plain_sums(start, terms.astype(np.int64), rows)).all()


@pytest.mark.parametrize("cards", [0, 1 << 63, 0b1101 << 20, 0xF0F0_1234_8001_C3C3])
def test_rows_of_cards_add_up_and_their_values_are_ranked(cards: int) -> None:
    """Both copies of a card count."""
    rng = np.random.default_rng(cards)
    start = rng.integers(-(2**31), 2**31, LANES).astype(np.int32)
    rows = rng.integers(-(2**31), 2**31, (32, LANES)).astype(np.int32)
    values = rng.integers(0, 256, 32).astype(np.uint8)
    out, ranked = np.zeros(LANES, dtype=np.float32), np.zeros(RANKED, dtype=np.float32)
    sum_cards(
        out, start.view(np.float32), cards, rows.reshape(-1).view(np.float32),
        values.view(np.uint64), ranked,
    )  # fmt: skip
    kinds = [place // 2 for place in range(64) if cards >> place & 1]
    assert (out.view(np.int32) == start + rows[kinds].sum(axis=0, dtype=np.int32)).all()
    best = sorted((float(values[kind]) for kind in kinds), reverse=True)
    assert ranked.tolist() == [value / 2 for value in (best + [0.0] * RANKED)[:RANKED]]
