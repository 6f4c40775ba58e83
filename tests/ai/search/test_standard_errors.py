"""What is not known is not said to be 0."""

from __future__ import annotations

import json
import math

import pytest

import masons
from masons.ai.search.results import standard_error
from masons.ai.search.search_options import METHODS
from masons.cli.main import run
from masons.engine.plain_words import spread
from tests.support.paths import ROOT

CONTESTED = str(ROOT / "examples" / "contested.txt")
MIDGAME = str(ROOT / "examples" / "midgame.txt")


def test_a_few_results_that_are_alike_are_not_certain() -> None:
    assert standard_error(1, 0.5, 0.25) is None
    few, more, many = (standard_error(n, 1.0, 1.0) for n in (2, 10, 10**6))
    assert few is not None
    assert more is not None
    assert many is not None
    assert 0.1 < few <= 0.5 / math.sqrt(2)
    assert 0.02 < more < 0.05
    assert 0 < many < 1e-6


def test_many_results_have_the_error_that_they_always_had() -> None:
    # 1,000 results of variance 0.09
    assert standard_error(1000, 0.5, 0.34) == pytest.approx(0.3 / math.sqrt(1000), rel=1e-3)


def test_in_words() -> None:
    assert [spread(error) for error in (None, 1e-9, 0.0004, 0.0005, 0.0123)] == [
        "± ?", "± <0.1", "± <0.1", "± 0.1", "± 1.2",
    ]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_a_search_of_one_simulation_knows_no_error(method: str) -> None:
    game = masons.Game(seed=1)
    options = masons.SearchOptions(method)
    found = masons.analyse(game.table, game.observe(0), sims=1, options=options)
    assert [stats.error for stats in found.moves] == [None]
    found = masons.analyse(game.table, game.observe(0), sims=3000, options=options)
    assert all((stats.error is None) == (stats.visits == 1) for stats in found.moves)
    assert all(stats.error > 0 for stats in found.moves if stats.error is not None)


@pytest.mark.slow
def test_analyze_says_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (("--sims", "1"), ("--sims", "20000")):
        run(["analyze", MIDGAME, *arguments])
        printed = capsys.readouterr().out
        assert "± 0.0" not in printed
        assert ("± ?" in printed) == (arguments[1] == "1")
    run(["analyze", MIDGAME, "--sims", "1", "--json"])
    assert json.loads(capsys.readouterr().out)["moves"][0]["error"] is None


@pytest.mark.slow
def test_the_best_move_is_the_highest_or_it_is_said_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen = set()
    for seed in range(12):
        if seen == {True, False}:
            break
        arguments = ["analyze", CONTESTED, "--sims", "3000", "--seed", str(seed)]
        run([*arguments, "--json", "--top", "500"])
        found = json.loads(capsys.readouterr().out)
        run(arguments)
        equal = [move["win"] for move in found["moves"] if move["move"] in found["equal"]]
        is_highest = found["moves"][0]["win"] == max(equal)
        assert ("but  " in capsys.readouterr().out) != is_highest
        seen.add(is_highest)
    assert seen == {True, False}
