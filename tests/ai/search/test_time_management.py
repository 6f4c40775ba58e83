"""Dividing a clock: properties that hold for every clock, and whole games paid from one."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masons.ai.players.named_players import make_player
from masons.ai.search.time_management import allot, decisions_left
from masons.cli.main import run
from masons.engine.game.game import Game
from tests.support.named_play import all_decisions
from tests.support.paths import EXAMPLES

CLOCKS = st.integers(0, 10**8)
INCREMENTS = st.integers(0, 10**5)
DECISIONS = st.floats(0, 200)


@given(CLOCKS, CLOCKS, INCREMENTS, INCREMENTS, DECISIONS, DECISIONS)
def test_an_allotment_is_left_and_never_falls_with_more_time_or_fewer_decisions(
    left: int, more: int, inc: int, more_inc: int, decisions: float, more_decisions: float
) -> None:
    seconds = allot(left, inc, decisions)
    assert 0.999 <= 1000 * seconds <= max(left - min(50, left / 2), 1) + 1e-6
    assert seconds <= allot(left + more, inc, decisions) + 1e-9
    assert seconds <= allot(left, inc + more_inc, decisions) + 1e-9
    assert seconds >= allot(left, inc, decisions + more_decisions) - 1e-9


@given(st.integers(-(10**6), 0), st.integers(-(10**6), 0), st.floats(-5, 200))
def test_a_clock_that_has_run_out(left: int, inc: int, decisions: float) -> None:
    assert allot(left, inc, decisions) == 0.001


@pytest.mark.parametrize(
    ("inc", "decisions", "seconds"), [(0, 50, 2.0), (1000, 50, 2.8), (0, 0.3, 100)]
)
def test_a_long_clock_is_shared_evenly(inc: int, decisions: float, seconds: float) -> None:
    assert allot(100_000, inc, decisions) == pytest.approx(seconds, rel=0.01)


@cache
def estimates(players: int, seed: int) -> list[list[float]]:
    """Return, for each seat, the decisions still to come as it estimated them in a game."""
    game, player = Game(players, seed=seed), make_player("greedy", seed)
    by_seat: list[list[float]] = [[] for _ in range(players)]
    while not game.is_over:
        moves = game.legal_moves()
        if len(moves) > 1:
            by_seat[game.seat].append(decisions_left(game.observe(game.seat)))
        game.apply(player.choose(game.table, game.observe(game.seat), moves))
    return by_seat


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_estimates_are_about_right(players: int) -> None:
    errors: list[float] = []
    for seed in range(6):
        for estimated in estimates(players, seed):
            assert min(estimated) == estimated[-1] >= 1
            # A wall less, or some of them back from inside a new city.
            assert sum(then < now for now, then in pairwise(estimated)) >= 10
            # These games are longer than those of the search: see the figures.
            assert 0.4 * len(estimated) < estimated[0] < 2 * len(estimated)
            off = [guess - (len(estimated) - i) for i, guess in enumerate(estimated)]
            errors.append(sum(off) / len(off))
    assert abs(sum(errors) / len(errors)) < 12


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("clock", "inc"), [(2_000, 0), (60_000, 0), (1_000, 50), (600_000, 5_000)])
def test_a_game_is_paid_from_its_clock(players: int, clock: int, inc: int) -> None:
    """With the time that passes beside each search; and most of the clock is used."""
    rng = random.Random(players)
    for estimated in estimates(players, 3):
        left = float(clock)
        for guess in estimated:
            left -= 1000 * allot(int(left), inc, guess) + rng.uniform(0, 5)
            assert left > 0
            left += inc
        assert left < 0.5 * clock + 3 * inc


def test_the_final_scoring_is_short() -> None:
    final, wall = (decisions_left(game.observe(game.seat)) for game in (
        all_decisions()["final"], all_decisions()["wall"]))  # fmt: skip
    assert final <= 2 < wall


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [["midgame.txt"], ["games.jsonl@60"], ["midgame.txt", "--policy", "busy"]],
    ids=["halving", "beside the move played", "ismcts"],
)
def test_an_analysis_takes_all_of_its_time(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    name, *options = arguments
    command = ["analyze", str(EXAMPLES / name), *options, "--time", "1s", "--json", "--timing"]
    for _ in range(12):  # no games are begun that may overrun, so a busy core can end it earlier
        assert run(command) == 0
        figures = json.loads(capsys.readouterr().out)
        if figures["seconds"] > 0.97:
            break
    assert figures["seconds"] > 0.97
    assert all(move["interval"] is None or move["interval"] < 1 for move in figures["moves"])
