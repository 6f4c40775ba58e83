"""The bench signature: the committed number, and what changes it."""

from __future__ import annotations

import platform
import sys

import pytest

from masons.ai.models.model_data import learned, learned_net
from masons.cli.commands.bench import signature
from tests.support.paths import ROOT
from tests.support.thinned import thinned

FILE = ROOT / "benchmarks" / "SIGNATURE"


@pytest.fixture(scope="module")
def usual() -> int:
    """The signature with the weights as they are."""
    return signature()


def signature_of_the_weights() -> int:
    """The signature with the weights as they are now: what was made of them before is forgotten."""
    learned_net.cache_clear()
    return signature()


@pytest.mark.slow
@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the committed number is that of Linux on x86-64",
)
def test_the_signature_is_the_committed_one(usual: int) -> None:
    number, committed = usual, int(FILE.read_text())
    assert number == committed, (
        f"the bench signature is {number}, benchmarks/SIGNATURE says {committed}: what the engine "
        f"plays has changed. If it was to change, write {number} there and 'Bench: {number}' into "
        "the commit; else find out what did it."
    )


# Some weights of each part, as steps through its numbers, and a change that shows in play.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "step", "factor"),
    thinned(
        [
            ("heuristic", 1, 1.1),
            ("net", 1, 1.001),
            ("policy", 1, 1.1),
            ("hands", 1, 1.01),
            ("calibration", 1, 1.001),
        ],
        2,
    ),
)
def test_it_changes_with_the_weights(part: str, step: int, factor: float, usual: int) -> None:
    weights = learned()[part]
    kept = weights.copy()
    try:
        weights[::step] *= factor
        assert signature_of_the_weights() != usual
    finally:
        weights[:] = kept
    assert signature_of_the_weights() == usual


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "places"),
    thinned(
        [("calibration", (4, 30)), ("heuristic", (17,)), ("net", (9000,)), ("hands", (300,))], 2
    ),
)
def test_it_changes_with_a_single_weight(part: str, places: tuple[int, ...], usual: int) -> None:
    weights = learned()[part]
    for place in places:
        kept = weights[place]
        weights[place] = 1.5 * kept + 0.1
        changed = signature_of_the_weights()
        weights[place] = kept
        assert changed != usual, place
    learned_net.cache_clear()
