"""Wrong and half-right arguments to all that is exported: a MasonsError, or an answer.

Run in a process of its own, so that one that crashes is seen, with its call:
`MASONS_FUZZ=20000 pytest tests/fuzz/test_fuzz_calls.py`.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from masons.engine.errors import MasonsError
from tests.support.exported_calls import PLAIN, REFUSED, ROWS, callables, exported, wrong_values
from tests.support.paths import ROOT

CALLS = int(os.environ.get("MASONS_FUZZ", "0"))
SOME = 6  # values for each argument in the suite; on demand all
SEED = int(os.environ.get("MASONS_FUZZ_SEED", "1"))
_FUNCTIONS = ("words", "progress")


def called(name: str, changed: dict[str, Any]) -> None:
    """Call what a row is about, with some arguments changed."""
    owner, right = ROWS[name]()
    function = exported()[name] if owner is None else getattr(owner, name.rpartition(".")[2])
    function(**right | changed)


def one_each() -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Each argument of each callable, with some of the values; on demand with each of them."""
    count, chance = len(wrong_values()), random.Random(SEED)
    for name, row in ROWS.items():
        for argument in row()[1]:
            for number in range(count) if CALLS else chance.sample(range(count), SOME):
                yield name, [(argument, number)]


def at_random(count: int) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Several arguments at once; a search keeps what stops it."""
    chance, size = random.Random(SEED), len(wrong_values())
    for _ in range(count):
        name = chance.choice(list(ROWS))
        arguments = [argument for argument in ROWS[name]()[1] if argument != "stop"]
        some = chance.sample(arguments, chance.randint(1, min(3, len(arguments))))
        yield name, [(argument, chance.randrange(size)) for argument in some]


def child(calls: Iterator[tuple[str, list[tuple[str, int]]]], log: Path) -> int:
    """Make all calls; the log has the one that is being made, and before it those that failed."""
    done = 0
    with log.open("w", encoding="utf-8") as out:
        for name, changes in calls:
            if done % 25 == 0:  # a call may have written to some
                values = wrong_values()
            if any(argument in _FUNCTIONS and callable(values[n]) for argument, n in changes):
                continue  # what a caller's own function raises is its own
            place = out.tell()
            out.write(f"CRASH {name} {changes}\n")
            out.flush()
            fault = ""
            try:
                called(name, {argument: values[number] for argument, number in changes})
            except MasonsError as error:
                if "\n" in str(error) or len(str(error)) > 1000:
                    fault = f"long: {str(error)[:200]!r}"
            except Exception as error:
                fault = repr(error)[:200]
            out.seek(place)
            out.truncate()
            if fault:
                types = [type(values[number]).__name__ for _, number in changes]
                out.write(f"{name} {changes} {types} {fault}\n")
            done += 1
        out.flush()
    return done


def run_child(what: str, log: Path) -> str:
    """Return the faults that a separate process logged."""
    code = f"from tests.fuzz.test_fuzz_calls import *; child({what}, Path({str(log)!r}))"
    made = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    faults = log.read_text(encoding="utf-8") if log.exists() else ""
    return faults if made.returncode == 0 else faults + made.stderr[-3000:]


def test_every_exported_callable_has_a_row() -> None:
    names = set(callables())
    assert sorted(names - set(ROWS) - PLAIN) == []
    assert sorted((set(ROWS) | PLAIN) - names - {"masons.ai.session.SearchRequest"}) == []


@pytest.mark.parametrize("name", sorted(ROWS))
def test_the_arguments_of_each_row_are_right(name: str) -> None:
    with pytest.raises(MasonsError) if name in REFUSED else nullcontext():
        called(name, {})


@pytest.mark.slow
def test_one_wrong_argument(tmp_path: Path) -> None:
    assert run_child("one_each()", tmp_path / "calls") == ""


@pytest.mark.slow
def test_several_wrong_arguments(tmp_path: Path) -> None:
    assert run_child(f"at_random({CALLS or 300})", tmp_path / "calls") == "", (
        f"MASONS_FUZZ_SEED={SEED}"
    )
