"""The search by halving, the heuristics below it, and its calibration."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest

from masons.ai.evaluation.rewards import POINT_VALUE, move_value
from masons.ai.halving import halving_search
from masons.ai.halving.halving_search import HalvingSearch, Round, final_gains, paired_means
from masons.ai.halving.sequential_halving import (
    LEAST_CLOSING,
    better_half,
    determinizations_of,
    rounds_of,
)
from masons.ai.halving.simulation import COLUMNS, SCORES, VISITS, WINS
from masons.ai.models.calibration import calibrated
from masons.ai.models.model_data import learned
from masons.ai.players.named_players import make_player
from masons.ai.search.decision import MOST_MOVES
from masons.ai.search.limits import MAX_SIMS, Limits
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.threads import DEADLINE, Stop
from masons.ai.session import Session, analyze
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.formats.position_text import parse_settled
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.state.packed_move import EARLY_ROLL
from masons.engine.state.position import Position
from tests.support.named_play import brought_to, play_named
from tests.support.paths import EXAMPLES


def analyzed(game: Game, **request: Any) -> Analysis:
    return analyze(game, **{"sims": 300, "seed": 1, **request})


@pytest.mark.slow
def test_the_same_seed_gives_the_same_search_with_as_many_threads() -> None:
    def visits(seed: int, threads: int) -> list[tuple[str, int, float]]:
        options = SearchOptions(threads=threads)
        analysis = analyzed(Game(2, seed=8), sims=3000, seed=seed, options=options)
        return [(str(stats.move), stats.visits, round(stats.win, 9)) for stats in analysis.moves]

    for threads in (1, 2, 3):
        assert visits(1, threads) == visits(1, threads)
        assert sum(count for _, count, _ in visits(1, threads)) == 3000
    assert visits(1, 1) != visits(2, 1)


def test_a_stop_leaves_a_result_and_a_deadline_ends_it() -> None:
    game, stop, counts = Game(2, seed=8), Stop(), list[int]()
    stop.set()
    analysis = analyze(game, seconds=60, stop=stop)
    assert analysis.stopped
    assert analysis.iterations == len(game.legal_moves())
    analysis = analyze(
        game, seconds=0.2, progress=lambda a: counts.append(a.iterations), interval=0.02
    )
    assert counts == sorted(counts)
    assert analysis.iterations >= counts[-1] > 0


def test_large_hands_swap_what_is_poor() -> None:
    names = "+".join(f"{name}+{name}" for name in (
        "city-size-1", "city-red", "city-blue", "land-red", "land-rose", "land-walls", "land-shore",
        "cities",
    ))  # fmt: skip
    board, position = parse_settled(
        f"masons1 board=classic players=2 active=0 phase=swap queue=0 hands={names}/?6 "
        "walls=0 towers=white:0;gray:1 houses=red:0"
    )
    table = Table(board)
    assert len(table.legal_moves(table.view(position).state)) > MOST_MOVES
    analysis = analyze(table, position, sims=500)
    assert sorted(len(stats.move.cards) for stats in analysis.moves) == list(range(17))


# --- the heuristics


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "other", "players", "games", "least"),
    [*(("heuristic", "greedy", players, 4, 2.1) for players in (2, 3, 4)),
     ("default:sims=600", "heuristic", 2, 8, 6)],
)  # fmt: skip
def test_the_stronger_player_wins(
    spec: str, other: str, players: int, games: int, least: float
) -> None:
    won = 0.0
    for seed in range(games):
        seat = seed % players
        specs = [spec if number == seat else other for number in range(players)]
        result = play_named(Game(players, seed=seed), specs, seed=seed).result
        assert result is not None
        won += (seat in result.winners) / len(result.winners)
    assert won >= least


# --- the calibration


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_calibration_flatters_nobody(players: int) -> None:
    weights = learned()["calibration"]
    wins = np.array([[0.7, 0.3, 0.2, 0.1], [0.2, 0.8, 0.3, 0.4]])[:, :players]
    wins /= wins.sum(axis=1, keepdims=True)
    scores = np.array([[40.0, 30.0, 20.0, 10.0], [20.0, 50.0, 10.0, 5.0]])[:, :players]
    for ended in (0.0, 1.0):
        shares, points = calibrated(weights, 0.5, 0, wins, scores, np.full(2, ended))
        assert shares.sum(axis=1) == pytest.approx([1, 1])
        others, _ = calibrated(weights, 0.5, 1, wins, scores, np.full(2, ended))
        assert (shares[:, 0] < others[:, 0]).all()  # the deciding seat is the flattered one
        assert (np.diff(points) * np.diff(scores) > 0).all()
    assert points == pytest.approx(scores)  # played to the end
    sure = np.eye(players)[:1]
    shares, _ = calibrated(weights, 0.1, 0, sure, scores[:1], np.ones(1))
    assert shares == pytest.approx(sure, abs=1e-3)


def test_a_search_without_an_end_halves_again_and_again() -> None:
    """So whenever it is stopped the best moves were looked at most, and their figures are sound."""
    game, stop, seen = Game(2, seed=6), Stop(), list[int]()
    session = Session(game.table)

    def watch(analysis: Analysis) -> None:
        seen.append(analysis.iterations)
        if analysis.iterations > 200_000:
            stop.set()

    infinite = Limits(sims=MAX_SIMS, infinite=True)
    analysis = session.analyze(
        game.observe(0), limits=infinite, stop=stop, progress=watch, interval=0.01
    )
    assert analysis.stopped
    visits = [stats.visits for stats in analysis.moves]
    assert sum(visits) == analysis.iterations >= seen[-1]
    assert max(visits) > 20 * min(visits)
    best = next(stats for stats in analysis.moves if stats.move == analysis.best)
    assert best.visits > analysis.iterations / (2 * len(visits)) * 10


# --- the rules of sequential halving


def test_the_rounds_share_the_time_until_a_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    game, ends = Game(2, seed=8), list[int]()

    def simulate(*arguments: Any) -> None:
        ends.append(int(arguments[-1].control[DEADLINE]))

    monkeypatch.setattr(halving_search, "simulate_moves", simulate)
    search = HalvingSearch(game.table, game.observe(game.seat), game.legal_moves(), seed=1)
    began = time.monotonic_ns()
    search.run(MAX_SIMS, deadline := began + 60 * 10**9)
    assert len(ends) == int(rounds_of(U(len(search.moves)))) == 8
    assert ends[-1] == deadline
    shares = np.diff(ends)
    assert np.ptp(shares) <= 1  # nanoseconds
    assert began - 8 <= deadline - 8 * shares[0] <= time.monotonic_ns()


@pytest.mark.parametrize("sims", [600, 2000])
def test_walls_that_complete_a_city_are_not_dropped_by_chance(sims: int) -> None:
    """Others may be dropped after one simulation, but chance decides the worth of a city."""
    board, position = parse_settled((EXAMPLES / "contested.txt").read_text().splitlines()[-1])
    table = Table(board)
    for seed in range(4):
        visits = {"closing": list[int](), "other": list[int]()}
        for stats in analyze(table, position, sims=sims, seed=seed).moves:
            size, _ = table.closed_city(table.view(position).state, stats.move.place)
            visits["closing" if size else "other"].append(stats.visits)
        assert len(visits["closing"]) > 1
        assert min(visits["closing"]) >= LEAST_CLOSING > min(visits["other"]) == 1


def test_rounds_lead_to_one_move() -> None:
    for count in range(1, 600):
        rounds, left = int(rounds_of(U(count))), count
        assert rounds == math.ceil(math.log2(count))
        for _ in range(rounds):
            assert left > 1
            left = int(better_half(U(left)))
        assert left == 1


@pytest.mark.parametrize("simulations", [3000, 20_000, 24_001])
@pytest.mark.parametrize("count", [2, 7, 100, 256])
def test_each_round_gets_as_many_simulations(simulations: int, count: int) -> None:
    rounds = int(rounds_of(U(count)))
    spent, left = [], count
    for number in range(rounds, 0, -1):
        each = int(determinizations_of(U(simulations - sum(spent)), U(number), U(left)))
        assert each >= 1
        spent.append(each * left)
        left = int(better_half(U(left)))
    assert sum(spent) <= simulations
    assert all(simulations / rounds - count < part for part in spent)


def test_a_value_is_the_win_probability_with_a_little_of_the_margin() -> None:
    assert move_value(0.5, 30.0, 50.0, U(2)) == pytest.approx(0.5 + POINT_VALUE * 10)
    assert move_value(0.5, 30.0, 70.0, U(3)) == pytest.approx(0.5 + POINT_VALUE * 10)
    wins, scores, totals = np.array([0.2, 0.7]), np.array([30.0, 20.0]), np.array([60.0, 60.0])
    values = move_value(wins, scores, totals, U(2))
    assert values == pytest.approx([0.2, 0.7 - POINT_VALUE * 20])


# --- means, compared where two moves met the same determinizations


def a_round(rows: dict[int, list[float]]) -> Round:
    """Return a round with wins of seat 0 by move, one for each determinization."""
    sums = np.zeros((len(rows), COLUMNS))
    for row, wins in zip(sums, rows.values(), strict=True):
        row[VISITS], row[WINS], row[SCORES] = len(wins), sum(wins), 10 * sum(wins)
    return Round(np.array(list(rows), dtype=np.uint64), sums)


def means_of(rounds: list[Round]) -> np.ndarray:
    sums = np.zeros((2, COLUMNS))
    for each in rounds:
        sums[each.moves.astype(int)] += each.sums
    return paired_means(sums, rounds, 0)


def test_only_the_determinizations_of_both_moves_count() -> None:
    both = [a_round({0: [1.0, 0.0], 1: [0.5, 0.0]}), a_round({0: [1.0, 1.0], 1: [0.5, 1.0]})]
    means = means_of([*both, a_round({0: [0.0, 0.0]})])
    assert means[:, VISITS].tolist() == [6, 4]
    assert means[0, WINS] == pytest.approx(0.5)
    # On its own, move 1 has 0.5 too; but where both were, it lost 0.25.
    assert means[1, WINS] == pytest.approx(0.25)
    assert means[1, SCORES] == pytest.approx(2.5)
    separate = means_of([a_round({1: [1.0, 0.0]}), a_round({0: [1.0]})])
    assert separate[1, WINS] == pytest.approx(0.5)  # never beside the best: its own mean


# --- moves that give something away


def early_rolls(games: int, limits: Limits) -> tuple[int, int]:
    """Return how often the default player rolls early, and how often it could have."""
    early = could = 0
    for seed in range(games):
        game, quick = Game(seed=seed, early_roll=True), make_player("greedy", seed)
        session = Session(game.table, seed=seed)
        while not game.is_over:
            if game.phase == "wall":
                session.search(game.observe(game.seat), limits=limits)
                could += parse_move("early-roll") in game.legal_moves()
                early += session.best.kind == EARLY_ROLL
                game.apply(session.best)
            else:
                game.apply(quick.choose(game.table, game.observe(game.seat), game.legal_moves()))
    return early, could


def test_no_early_roll_without_evidence() -> None:
    early, could = early_rolls(2, Limits(sims=150))
    assert could > 40
    assert early == 0


def test_an_early_roll_that_is_better_beyond_doubt_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not a ban: the evidence decides."""
    game = Game(seed=1, early_roll=True)
    moves = [parse_move("early-roll"), parse_move("wall:3")]
    search = HalvingSearch(game.table, game.observe(0), moves, seed=1)
    search.run(400)
    sums = search._sums()
    values = search._values(sums)
    for first, second, best in ((0.9, 0.1, moves[0]), (0.12, 0.1, moves[1]), (0.1, 0.9, moves[1])):
        shifted = values * 0 + (first, second)
        monkeypatch.setattr(search, "_values", lambda _, values=shifted: values)
        same = sums.copy()
        same[:, 0] = 200
        monkeypatch.setattr(search, "_sums", lambda sums=same: sums)
        assert search.best == best


def test_cards_in_hand_break_a_tie(table: Table) -> None:
    fields: Any = {"scores": (10, 10), "hands": ((0, 1), (2,)), "houses": {0: (12,) * 5}}
    position = Position(2, phase="final", active=1, seat=0, end="houses", **fields)
    wins = {str(stats.move): stats.win for stats in analyze(table, position, sims=50).moves}
    assert (wins["final:pass"] or 0) > 0.9


def points_of(game: Game, move: Move) -> tuple[int, int]:
    gains = final_gains(game.table, game.observe(game.seat), [move])
    assert gains is not None
    return gains[0]


@pytest.mark.slow
@pytest.mark.parametrize("sims", [1, 10, 60])
def test_the_final_scoring_takes_what_gives_most(sims: int) -> None:
    for seed in range(10):
        game = brought_to("final", seed=seed, spec="busy")
        most = max(points_of(game, move) for move in game.legal_moves())
        analysis = analyze(game.table, game.observe(game.seat), sims=sims, seed=seed)
        assert points_of(game, analysis.best) == most
        assert analysis.moves[0].move == analysis.best
