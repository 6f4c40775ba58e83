"""Dividing a clock: what holds for every clock, and whole games paid from one."""

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
from tests.ai.ismcts.test_ismcts import decisions_of
from tests.support.paths import EXAMPLES

CLOCKS = st.integers(0, 10**8)
INCREMENTS = st.integers(0, 10**5)
DECISIONS = st.floats(0, 200)


@pytest.mark.slow
@given(CLOCKS, INCREMENTS, DECISIONS)
def test_never_more_than_is_left(left, inc, decisions):
    ms = 1000 * allot(left, inc, decisions)
    assert ms >= 0.999
    assert ms <= max(left - min(50, left / 2), 1) + 1e-6


@given(CLOCKS, CLOCKS, INCREMENTS, DECISIONS)
def test_more_time_never_gives_less(left, more, inc, decisions):
    assert allot(left, inc, decisions) <= allot(left + more, inc, decisions) + 1e-9


@given(CLOCKS, INCREMENTS, INCREMENTS, DECISIONS)
def test_a_larger_increment_never_gives_less(left, inc, more, decisions):
    assert allot(left, inc, decisions) <= allot(left, inc + more, decisions) + 1e-9


@given(CLOCKS, INCREMENTS, DECISIONS, DECISIONS)
def test_more_decisions_never_give_more(left, inc, decisions, more):
    assert allot(left, inc, decisions + more) <= allot(left, inc, decisions) + 1e-9


@given(st.integers(-(10**6), 0), st.integers(-(10**6), 0), st.floats(-5, 200))
def test_a_clock_that_has_run_out(left, inc, decisions):
    assert allot(left, inc, decisions) == 0.001


def test_a_long_clock_is_shared_evenly():
    assert allot(100_000, 0, 50) == pytest.approx(2.0, rel=0.01)
    assert allot(100_000, 1000, 50) == pytest.approx(2.8, rel=0.01)
    assert allot(100_000, 0, 0.3) == pytest.approx(100, rel=0.01)


@cache
def estimates(players: int, seed: int) -> dict[int, list[float]]:
    """The decisions still to come as each seat took them to be, all through a game."""
    game = Game(players, seed=seed)
    player = make_player("greedy", seed)
    decisions: dict[int, list[float]] = {seat: [] for seat in range(players)}
    while not game.is_over:
        moves = game.legal_moves()
        if len(moves) > 1:
            decisions[game.seat].append(decisions_left(game.observe(game.seat)))
        game.apply(player.choose(game.table, game.observe(game.seat), moves))
    return decisions


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_estimates_are_about_right(players):
    errors: list[float] = []
    for seed in range(6):
        for estimated in estimates(players, seed).values():
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
def test_a_game_is_paid_from_its_clock(players, clock, inc):
    """With what passes beside each search; and most of the clock is used."""
    rng = random.Random(players)
    for estimated in estimates(players, 3).values():
        left = float(clock)
        for guess in estimated:
            left -= 1000 * allot(int(left), inc, guess) + rng.uniform(0, 5)
            assert left > 0
            left += inc
        assert left < 0.5 * clock + 3 * inc


def test_a_game_much_longer_than_thought_goes_on():
    left = 10_000.0
    for _ in range(1000):
        seconds = allot(int(left), 0, 3)
        left -= 1000 * seconds
    assert left > 0 or seconds == 0.001


def test_the_final_scoring_is_short():
    games = next(games for seed in range(20) if "final" in (games := decisions_of(seed, 2)))
    final, wall = games["final"], games["wall"]
    assert decisions_left(final.observe(final.seat)) <= 2 < decisions_left(wall.observe(wall.seat))


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
    assert run(command) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["seconds"] > 0.97
    assert all(move["interval"] is None or move["interval"] < 1 for move in figures["moves"])
