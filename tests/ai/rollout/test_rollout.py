"""A rollout of a decision: what is played, what is counted, and what is said of the moves."""

from __future__ import annotations

import math
from concurrent.futures import Future
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from masons.ai.rollout import game_kernel
from masons.ai.rollout.evidence import (
    NORMAL,
    REST,
    PairedSums,
    selected_normal,
)
from masons.ai.rollout.figures import full_rows, with_evidence
from masons.ai.rollout.games import Chunk, PlayedPart, next_speed, part_size, rounds_of_chunk
from masons.ai.rollout.noted_games import GameNotes
from masons.ai.rollout.plan import Contenders, contenders_of, plan_of
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.executors import Threads
from masons.ai.search.limits import MAX_ROLLOUTS, Limits
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.threads import Stop
from masons.ai.session import Session
from masons.engine.errors import MasonsError
from masons.engine.game.game import Game
from tests.support.named_play import at_decision

LIMITS = Limits(sims=300, rollouts=900)


def rollout_of(game: Game, count: int = 8, also: int = 0, **how: int) -> Rollout:
    moves = tuple(game.legal_moves()[:count])
    contenders = Contenders(moves, (0.5,) * len(moves), len(moves) - also, also)
    return Rollout(game.table, game.observe(game.seat), contenders, **how)


def analyzed(game: Game, **how: Any) -> tuple[Analysis, Rollout]:
    session = Session(game.table, seed=1)
    analysis = session.analyze(game, **{"limits": LIMITS, **how})
    assert session.rollout is not None
    return analysis, session.rollout


# --- what is played


@pytest.mark.parametrize("games", [1, 13, 200, 1500])
def test_no_more_games_are_played_than_asked_for_and_nearly_as_many(games: int) -> None:
    rollout = rollout_of(at_decision(30), seed=1)
    rollout.run(games)
    assert rollout.games <= games
    assert rollout.games >= 0.75 * games or games < 20
    assert rollout.sums.games.sum() <= rollout.games


def test_a_rollout_goes_on_at_its_own_decision_only() -> None:
    game, more = at_decision(30), Limits(sims=300, rollouts=1500)
    _, rollout = analyzed(game)
    before = rollout.games
    assert Session(game.table).analyze(game, limits=more, rollout=rollout).rollouts > before
    with pytest.raises(MasonsError, match="rollout is of another decision"):
        Session(game.table).analyze(at_decision(31), limits=more, rollout=rollout)


def test_the_same_seed_gives_the_same_with_any_number_of_threads() -> None:
    def figures(seed: int, threads: int) -> tuple[object, ...]:
        rollout = rollout_of(at_decision(30), seed=seed, threads=threads)
        rollout.run(700)
        assert rollout.screening is not None
        return rollout.screening, rollout.games, rollout.sums.sums.tobytes()

    row = figures(1, 1)
    assert row == figures(1, 1) == figures(1, 3)
    assert row[2] != figures(2, 1)[2]


def test_games_that_choose_do_not_measure() -> None:
    rollout = rollout_of(at_decision(30), seed=1)
    rollout.run(1000)
    chosen = rollout.screening
    assert chosen is not None
    assert chosen.finalists == rollout.contenders.finalists == 4
    assert 4 <= chosen.measured <= len(chosen.order)
    counts = rollout.sums.games
    assert 0.75 < counts.sum() / rollout.games < 0.85  # the others were those of the screening
    finalists = {counts[i] for i in chosen.order[: chosen.finalists]}
    others = {counts[i] for i in chosen.order[chosen.finalists : chosen.measured]}
    assert len(finalists) == 1
    assert others <= {finalists.pop() / 6}
    assert {counts[i] for i in chosen.order[chosen.measured :]} == {0}
    analysis = with_evidence(rollout)
    full = full_rows(analysis)
    assert full == chosen.finalists
    for rows in (analysis.moves[:full], analysis.moves[full : chosen.measured]):
        wins = [row.win for row in rows if row.win is not None]
        assert wins == sorted(wins, reverse=True)  # in the order of the number that they show


def test_a_move_that_was_lucky_is_measured_anew_before_it_is_ranked() -> None:
    rollout = rollout_of(at_decision(30), seed=1)
    rollout.run(1000)
    chosen = rollout.screening
    assert chosen is not None
    lucky = chosen.order[chosen.measured - 1]
    wins = np.ones((1000, 1, len(rollout.sums.sums)))
    wins[..., REST] = 0
    rollout.sums.add([lucky], wins)
    assert rollout.sums.means(rollout.view.seat)[lucky] > 0.95
    assert with_evidence(rollout).best != rollout.moves[lucky]
    rollout.run(3000)
    assert rollout.screening is not None
    assert lucky in rollout.screening.order[: rollout.screening.finalists]
    noted = rollout.noted_after(rollout.moves[lucky])
    assert noted is not None
    assert noted.worlds >= 96  # games are stored after a promotion, too
    assert 0 < rollout.sums.games[lucky] < 500
    assert rollout.sums.means(rollout.view.seat)[lucky] < 0.95


def test_a_rollout_that_was_stopped_notes_games_when_it_goes_on() -> None:
    rollout = rollout_of(at_decision(30), seed=1)
    rollout.stop()
    rollout.run(2000)
    rollout.go_on()
    rollout.run(4000)
    noted = rollout.noted_after(with_evidence(rollout).best)
    assert noted is not None
    assert noted.worlds >= 96


def test_a_finalist_that_is_clearly_worse_makes_room_but_no_move_that_was_asked_for() -> None:
    rollout = rollout_of(at_decision(30), also=1, seed=1)
    rollout.run(1000)
    chosen = rollout.screening
    assert chosen is not None
    asked, *others = chosen.finalist_ids[1:]
    for poor in (asked, *others):
        rollout.sums.add([poor], np.zeros((200, 1, len(rollout.sums.sums))))
    rollout.run(3000)
    after = rollout.screening
    assert after is not None
    assert asked == len(rollout.moves) - 1
    assert asked in after.finalist_ids
    assert 0 < len(set(others) - set(after.finalist_ids)) >= len(others) - 1
    assert set(after.measured_ids) == set(chosen.measured_ids)


def test_contenders_that_can_all_be_finalists_are_not_screened() -> None:
    rollout = rollout_of(at_decision(30), count=3, seed=1)
    rollout.run(1000)
    assert rollout.sums.games.tolist() == [333] * 3


def test_moves_asked_for_are_measured_as_closely_as_the_best() -> None:
    rollout = rollout_of(at_decision(30), also=1, seed=1)
    rollout.run(1000)
    assert rollout.sums.games[-1] == rollout.sums.games.max()


def test_a_rollout_goes_on_where_it_ended() -> None:
    rollout = rollout_of(at_decision(30), seed=1)
    rollout.run(400)
    chosen, games = rollout.screening, rollout.sums.games.sum()
    rollout.run(900)
    assert rollout.screening == chosen
    assert rollout.sums.games.sum() > games
    assert rollout.games <= 900


def test_the_search_names_the_contenders() -> None:
    game = at_decision(30)
    searched = Session(game.table).analyze(game, sims=500)
    also = [searched.moves[-1].move]
    few = contenders_of(searched, also, 100, searched.phase)
    many = contenders_of(searched, also, 100_000, searched.phase)
    for contenders in (few, many):
        assert contenders.moves[0] == searched.best
        assert contenders.moves[-1:] == tuple(also)
        assert len(set(contenders.moves)) == len(contenders.moves) == len(contenders.values)
        assert 1 <= contenders.eligible <= len(contenders.moves) - contenders.also
    assert few.eligible <= 4 < many.eligible <= 48
    middle = searched.moves[len(searched.moves) // 2].move
    assert (middle in few.moves, middle in many.moves) == (False, True)


def test_a_screening_takes_a_share_of_the_games_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screened = []
    for most in (10**6, 64):
        monkeypatch.setattr("masons.ai.rollout.rollout.SCREENING_GAMES", most)
        rollout = rollout_of(at_decision(30), seed=1)
        rollout.run(900)
        screened.append(rollout.games - int(rollout.sums.games.sum()))
    assert 130 < screened[0] <= 180
    assert 32 < screened[1] <= 64


# --- what is said of the moves


@pytest.mark.parametrize("decision", [2, 30, 33])
def test_rows_stand_by_what_they_show_and_equal_is_what_the_interval_says(decision: int) -> None:
    game = at_decision(decision)
    analysis, rollout = analyzed(game)
    chosen = rollout.screening
    assert chosen is not None
    assert analysis.rollouts == rollout.games >= analysis.measuring_games
    assert analysis.measuring_games == rollout.sums.games.sum()
    assert {row.move for row in analysis.moves} >= set(rollout.moves)
    measured = [row for row in analysis.moves if row.games]
    assert list(analysis.moves[: len(measured)]) == measured
    most = [row for row in measured if row.games == measured[0].games]
    assert len(most) == chosen.finalists
    for part in (most, measured[len(most) :]):
        wins = [row.win for row in part]
        assert wins == sorted(wins, reverse=True)  # type: ignore[type-var]
    estimate = rollout.win_estimate
    first, reach = measured[0], selected_normal(chosen.finalists)
    best_mean = estimate.means()[rollout.moves.index(first.move)]
    assert (first.loss, first.loss_interval, first.is_equal) == (0, 0, True)
    assert analysis.best == first.move
    for row in measured:
        number = rollout.moves.index(row.move)
        if row in most:  # the others are shrunk (see `test_shown_wins`)
            assert row.loss == pytest.approx(best_mean - estimate.means()[number])
        assert row.interval == pytest.approx(NORMAL * row.error)  # type: ignore[operator]
        assert row.loss == pytest.approx(first.win - row.win)  # type: ignore[operator]
        assert row.is_equal == (row.loss <= row.loss_interval)  # type: ignore[operator]
        assert sum(row.wins) == pytest.approx(1)
        if row is not first and row in most:
            number, best = rollout.moves.index(row.move), rollout.moves.index(first.move)
            _, error = estimate.difference(best, number)
            assert row.loss_interval == pytest.approx(reach * error)
    for row in analysis.moves[len(measured) :]:
        assert (row.win, row.loss, row.interval, row.games) == (None, None, None, 0)
        assert not row.is_equal
    assert analysis.equal == tuple(row for row in measured if row.is_equal)


def test_where_the_game_is_decided_points_rank() -> None:
    _, rollout = analyzed(at_decision(30))
    seat, sums = rollout.view.seat, rollout.sums
    for table in (sums.sums, sums.squares, sums.products):  # as if all games had been won
        table[seat], table[1 - seat] = sums.worlds, 0
    wins = (0.02, 0.98)[:: 1 if seat else -1]
    rollout.searched = replace(rollout.searched, wins=wins)  # as if the search agreed
    by_points = with_evidence(rollout)
    assert by_points.is_decided
    first, *others = [row for row in by_points.moves if row.games == by_points.moves[0].games]
    losses = [row.margin_loss or 0.0 for row in (first, *others)]
    assert losses == sorted(losses)
    for row in others:
        assert row.is_equal == (row.margin_loss <= row.margin_interval)  # type: ignore[operator]


# --- limits, and an end by hand


@pytest.mark.parametrize("seconds", [10.0, 1.0, 0.1, 0.02, 1e-3, 0.0, -1.0])
@pytest.mark.parametrize("speed", [3.0, 3000.0, 1e6])
@pytest.mark.parametrize("games", [1, 12, 130])
def test_a_chunk_takes_a_part_of_the_time_left(seconds: float, speed: float, games: int) -> None:
    rounds = rounds_of_chunk(seconds, speed, games)
    expected = rounds * games / speed  # seconds
    if games / speed > max(seconds, 0.0):
        assert rounds == 0
    elif rounds != 1:
        assert 0.5 * min(seconds / 10, 0.15) < expected <= min(seconds / 2, 0.15)


@given(
    games=st.integers(1, 5000), speed=st.floats(1, 10_000), threads=st.integers(1, 16),
)  # fmt: skip
def test_all_threads_get_parts_of_equal_size(games: int, speed: float, threads: int) -> None:
    size = part_size(games, speed, threads)
    assert size == 1 or size <= 0.05 * speed
    parts = -(-games // size)
    assert parts * size < games + max(parts, threads)
    longest = -(-parts // threads) * size  # games that one thread plays
    assert longest < games / threads + 1 + parts / threads


def test_a_speed_falls_at_once_and_at_most_doubles() -> None:
    assert next_speed(1000, 500, 0.5) == 1000
    assert next_speed(1000, 500, 50.0) == 10
    assert next_speed(1000, 500, 0.001) == next_speed(1000, 500, 0.0) == 2000


class Clock(Threads):
    """Plays no games, but moves a clock on by what they would take."""

    def __init__(self, screening: float, noted: float, others: float) -> None:
        super().__init__()
        self.seconds, self.longest = 1.0, 0.0
        self._costs = screening, noted, others

    def submit(self, _: Any, *part: Any, **__: Any) -> Future[Any]:
        return super().submit(self._play, *part)

    def _play(self, chunk: Chunk, begin: int, end: int) -> PlayedPart:
        screening, noted, others = self._costs
        games = end - begin
        took = games * (screening if chunk.turns else noted if chunk.has_notes else others)
        self.seconds += took
        results = np.random.default_rng(chunk.first).random((games, game_kernel.RESULT))
        notes = np.zeros((games * chunk.has_notes, 1, game_kernel.NOTE_WORDS), np.uint64)
        return PlayedPart(results, GameNotes(notes, np.zeros(len(notes), np.uint64)), took)

    def monotonic(self) -> float:
        return self.seconds

    def monotonic_ns(self) -> int:
        self.seconds += 1e-5
        return int(self.seconds * 1e9)


@pytest.mark.parametrize(
    "costs", [(1e-3, 1e-3, 1e-3), (1e-6, 5e-4, 1e-6), (1e-7, 1e-3, 1e-3), (1e-6, 1e-6, 1e-6)]
)
def test_time_is_kept_whatever_games_take(
    costs: tuple[float, float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(*costs)
    for module in ("rollout", "games"):
        monkeypatch.setattr(f"masons.ai.rollout.{module}.time", clock)
    moves = tuple(at_decision(30).legal_moves()[:8])
    game, contenders = at_decision(30), Contenders(moves, (0.5,) * 8, 8, 0)
    rollout = Rollout(game.table, game.observe(game.seat), contenders, executor=clock)
    rollout.run(MAX_ROLLOUTS, clock.monotonic_ns() + 500_000_000)
    assert 1.45 < clock.seconds < 1.51
    assert rollout.sums.games.max() > 50
    noted = rollout.noted_after(rollout.moves[int(rollout.sums.games.argmax())])
    assert noted is not None
    assert noted.worlds < 300  # each takes kilobytes


def test_a_rollout_without_a_deadline_goes_on_however_slow_games_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Stopping(Clock):
        def _play(self, chunk: Chunk, begin: int, end: int) -> PlayedPart:
            played = super()._play(chunk, begin, end)
            if self.seconds > 300:
                rollout.stop()
            return played

    clock = Stopping(1e-3, 1.0, 1.0)
    for module in ("rollout", "games"):
        monkeypatch.setattr(f"masons.ai.rollout.{module}.time", clock)
    moves = tuple(at_decision(30).legal_moves()[:8])
    game, contenders = at_decision(30), Contenders(moves, (0.5,) * 8, 8, 0)
    rollout = Rollout(game.table, game.observe(game.seat), contenders, executor=clock)
    rollout.run(MAX_ROLLOUTS)
    assert clock.seconds > 300


def test_what_follows_a_search() -> None:
    view = Game(2, seed=1).observe(0)

    def plan(method: str = "halving", level: int | None = None, **limits: Any) -> Any:
        return plan_of(Limits(**limits), view, SearchOptions(method, level=level))

    assert plan(sims=100).games == 0
    assert plan(sims=100, movetime_ms=5000).games == 0
    assert plan(movetime_ms=100).games == 0  # too few could be played
    assert plan(movetime_ms=2000).games > 0
    assert plan(infinite=True).games > 0
    assert (plan(rollouts=70).sims, plan(rollouts=70).games) == (2000, 70)
    assert (plan(sims=9, rollouts=70).sims, plan(sims=9, rollouts=70).games) == (9, 70)
    assert plan("ismcts", movetime_ms=2000).games == 0
    assert plan(level=9, movetime_ms=2000).games == 0
    assert plan(movetime_ms=500).search_ms == 40
    assert plan(movetime_ms=60_000).search_ms == pytest.approx(1200)


def test_the_speed_of_the_last_rollout_is_what_the_next_one_expects() -> None:
    view, limits = Game(2, seed=1).observe(0), Limits(movetime_ms=2000)
    assert plan_of(limits, view, SearchOptions(), 700.0).expected_games == 1400
    counted = plan_of(Limits(rollouts=70), view, SearchOptions(), 700.0)
    assert counted.expected_games == 70


@pytest.mark.parametrize(
    ("ms", "shortened"), [(50, (50, 50)), (280, (280, 40)), (60_000, (300, 150))]
)
def test_a_shortened_plan_takes_no_longer_than_before(
    ms: float, shortened: tuple[float, float]
) -> None:
    view = Game(2, seed=1).observe(0)
    plan = plan_of(Limits(movetime_ms=ms), view, SearchOptions()).within(300)
    assert (plan.ms, plan.search_ms) == pytest.approx(shortened)
    endless = plan_of(Limits(infinite=True), view, SearchOptions())
    assert endless.within(300).ms is None


def test_stop_keeps_what_there_is() -> None:
    game, stop, session = at_decision(2), Stop(), Session(at_decision(2).table, seed=1)
    seen: list[Analysis] = []

    def watch(analysis: Analysis) -> None:
        seen.append(analysis)
        if analysis.moves[0].games > 20:
            stop.set()

    analysis = session.analyze(
        game, limits=Limits(sims=200, rollouts=4000), stop=stop, progress=watch, interval=0.02
    )
    assert analysis.stopped
    assert analysis.rollouts >= seen[-1].rollouts > 0
    assert analysis.moves[0].games > 20
    assert analysis.moves[0].interval is not None
    games = analysis.rollouts
    assert games < 4000
    more = session.analyze(game, limits=Limits(rollouts=4000), rollout=session.rollout)
    assert 4000 >= more.rollouts > games


def test_a_search_that_was_stopped_before_any_game_has_no_figures() -> None:
    stop = Stop()
    stop.set()
    limits = Limits(sims=50, rollouts=500)
    analysis = Session(at_decision(2).table).analyze(at_decision(2), limits=limits, stop=stop)
    assert (analysis.stopped, analysis.rollouts) == (True, 0)
    assert {row.win for row in analysis.moves} == {None}
    assert analysis.moves[0].visits > 0


# --- sums: means and differences as plain numpy has them, errors as they come out

CONTENDERS = 4
MEASURES = 2
BATCHES = st.lists(
    st.tuples(
        st.lists(st.integers(0, CONTENDERS - 1), min_size=1, unique=True),
        st.integers(1, 6),  # worlds
        st.integers(0, 1 << 30),  # the seed of what is measured
    ),
    min_size=1,
    max_size=6,
)


def values_of(contenders: list[int], worlds: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(worlds, 1, MEASURES))
    return shared + rng.normal(size=(worlds, len(contenders), MEASURES))


def slow_difference(table: np.ndarray, first: int, other: int, prior: float) -> float:
    """Return the standard error, from float64[worlds, contenders], nan without a game."""
    first_column, second_column = table[:, first], table[:, other]
    both = ~np.isnan(first_column) & ~np.isnan(second_column)
    counts = [int((~np.isnan(column)).sum()) for column in (first_column, second_column)]
    variance = sum(
        (n * float(np.nanvar(column)) + prior) / n**2
        for n, column in zip(counts, (first_column, second_column), strict=True)
    )
    if both.any():
        covariance = float(np.cov(first_column[both], second_column[both], bias=True)[0, 1])
        variance -= 2 * both.sum() * covariance / (counts[0] * counts[1])
    return math.sqrt(max(variance, prior / min(counts) ** 2))


@given(BATCHES)
def test_sums_are_those_of_plain_numpy(batches: list[tuple[list[int], int, int]]) -> None:
    sums, rows = PairedSums(CONTENDERS, MEASURES), []
    for contenders, worlds, seed in batches:
        values = values_of(contenders, worlds, seed)
        sums.add(contenders, values)
        row = np.full((worlds, CONTENDERS, MEASURES), np.nan)
        row[:, contenders] = values
        rows.append(row)
    table = np.concatenate(rows)
    games = (~np.isnan(table[:, :, 0])).sum(axis=0)
    assert sums.games.tolist() == games.tolist()
    played = np.flatnonzero(games)
    for measure in range(MEASURES):
        plain = table[:, :, measure]
        means = sums.means(measure)
        assert means[played] == pytest.approx(np.nanmean(plain[:, played], axis=0))
        assert np.isnan(np.delete(means, played)).all()
        for i in played:
            variance = np.nanvar(plain[:, i])
            expected = math.sqrt((games[i] * variance + 0.5) / games[i] ** 2)
            assert sums.error(measure, i, 0.5) == pytest.approx(expected)
        for i, j in combinations(played.tolist(), 2):
            mean, error = sums.difference(measure, i, j, 0.5)
            assert mean == pytest.approx(means[i] - means[j], abs=1e-12)
            assert error == pytest.approx(slow_difference(plain, i, j, 0.5), rel=1e-6)
            assert sums.difference(measure, j, i, 0.5) == (pytest.approx(-mean), error)


@pytest.mark.parametrize("block", [1, 4])
def test_differences_lie_within_their_errors(block: int) -> None:
    """Of two contenders that share a part of the worlds, all of them or one in four."""
    rng, sigmas, errors = np.random.default_rng(block), [], []
    for _ in range(800):
        sums = PairedSums(2, 1)
        world = rng.normal(size=(40, 1, 1))
        sums.add([0, 1], 0.4 * (world + rng.normal(size=(40, 2, 1))) + [[[0], [0.1]]])
        if block > 1:
            sums.add([0], 0.4 * rng.normal(size=(120, 1, 1)) * math.sqrt(2))
        mean, error = sums.difference(0, 0, 1, 1 / 12)
        sigmas.append((mean + 0.1) / error)
        errors.append(error)
    inside = float((np.abs(sigmas) <= NORMAL).mean())
    assert 0.93 < inside < 0.975
    assert abs(float(np.mean(sigmas))) < 0.15


def test_games_that_are_alike_are_not_certain() -> None:
    sums = PairedSums(2, 1)
    sums.add([0, 1], np.ones((9, 2, 1)))
    assert sums.error(0, 0, 1 / 12) > 0.02
    assert sums.difference(0, 0, 1, 1 / 12) == (0, pytest.approx(math.sqrt(2 / 12) / 9))


def test_the_first_of_several_equal_ones_seems_better_by_so_much() -> None:
    """The table of `selected_normal`, drawn: contenders that are equally good, one best by luck."""
    rng = np.random.default_rng(1)
    for contenders in (2, 3, 5, 9, 16, 24, 36, 48):
        means = np.sort(rng.normal(size=(100_000, contenders)), axis=1)
        sigmas = (means[:, -1:] - means[:, :-1]) / math.sqrt(2)
        assert selected_normal(contenders) == pytest.approx(np.quantile(sigmas, 0.95), abs=0.015)
    assert selected_normal(90) == selected_normal(48)
