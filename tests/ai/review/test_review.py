"""Reviews: losses, luck and their sums, reasons, work that is resumed, and the page."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import random
import re
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from masons.ai.review import decision_loss
from masons.ai.review.decision_loss import MARK_NAMES, LossVerdict, rate_decision
from masons.ai.review.loss_rollout import LossRollout
from masons.ai.review.luck import LUCK
from masons.ai.review.performance import (
    CUTS,
    PHASES,
    RANKS,
    by_part,
    elo_of_loss,
    rank_of,
    summary_of,
)
from masons.ai.review.review_data import decisions_csv, report_of
from masons.ai.review.review_work import ReviewSettings, Work
from masons.ai.review.timeline import CARDS, DEAL, DECISION, DICE, Timeline, timeline_of
from masons.ai.review.trends import trends
from masons.ai.review.worth import worth_of
from masons.ai.rollout import game_kernel
from masons.ai.rollout.evidence import margins_of
from masons.ai.rollout.figures import with_evidence
from masons.ai.rollout.games import Chunk, PlayedChunk, PlayedPart
from masons.ai.rollout.noted_games import GameNotes
from masons.ai.rollout.plan import Contenders
from masons.ai.search.executors import Threads
from masons.ai.search.limits import Limits
from masons.ai.session import analyze
from masons.cli.reports.review_report import _mistakes
from masons.engine.errors import MasonsError, RecordError
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.game.record import format_record, game_record, read_record
from masons.engine.kernels.kernel_cache import cache_folder
from masons.engine.state.packed_move import ABSTAIN
from masons.gui.pictures.review_page import review_page
from masons.gui.pictures.review_tables import (
    elo_notes,
    known_words,
    loss_words,
    player_cells,
    players_note,
    points_words,
    rank_notes,
)
from tests.support.commands import Called
from tests.support.named_play import GAMES
from tests.support.playing import play

pytestmark = pytest.mark.usefixtures("compiled")
TINY = ReviewSettings(sims=16, seconds=None, playouts=4, seed=3, rollouts=24)
# Where seat 1 of the second game scores a city well with two cards.
GOOD_PLAY = 93
BEST_PLAY = 144  # nothing else comes near it


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return read_record(GAMES)


@pytest.fixture(scope="module")
def timeline(record: dict[str, Any]) -> Timeline:
    return timeline_of(record)


@pytest.fixture(scope="module")
def second() -> Timeline:
    return timeline_of(read_record(GAMES, 2))


@pytest.fixture(scope="module")
def work(timeline: Timeline) -> Work:
    return done(Work(timeline, TINY, "key"))


@pytest.fixture(scope="module")
def report(work: Work) -> dict[str, Any]:
    return report_of(work, plain_words)


def done(work: Work) -> Work:
    while work.done < work.total:
        work.go_on()
    return work


def plain_words(_: Observation, move: Move) -> str:
    return f"<{move}> & more"


def index_of(timeline: Timeline, number: int) -> int:
    """Return the step of a decision."""
    steps = enumerate(timeline.steps)
    return next(i for i, step in steps if (step.cause, step.number) == (DECISION, number))


# --- the course of a game


@pytest.mark.parametrize("game", [1, 2, 3])
def test_the_course_is_the_record(game: int) -> None:
    record = read_record(GAMES, game)
    timeline = timeline_of(record)
    assert timeline.steps[0].cause == DEAL
    rolls = [event for event in record["events"] if event["e"] == "roll"]
    drawn = [name for e in record["events"] for key in ("drew", "in") for name in e.get(key, ())]
    dice = [step for step in timeline.steps if step.cause == DICE]
    assert [step.fell for step in dice] == [(e["tower"] or "-", *e["houses"]) for e in rolls]
    assert [name for s in timeline.steps if s.cause == CARDS for name in s.fell] == drawn
    assert list(timeline.scores) == record["result"]["scores"]


def test_a_record_that_breaks_a_rule_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(RecordError):
        timeline_of({**record, "events": record["events"][:-1]})
    with pytest.raises(RecordError):
        timeline_of({**record, "result": {**record["result"], "scores": [1, 2]}})


def test_names_are_short_printable_and_told_apart(record: dict[str, Any]) -> None:
    names = timeline_of({**record, "names": ["a\x1b[31m\n" + "x" * 90, ""]}).names
    assert all(name.isprintable() and 0 < len(name) <= 24 for name in names)
    assert timeline_of({**record, "names": ["Ann", "Ann"]}).names == ("Ann (0)", "Ann (1)")


# --- verdicts


def test_the_best_move_loses_nothing(second: Timeline) -> None:
    index = index_of(second, BEST_PLAY)
    move = second.steps[index].move
    assert move is not None
    limits = Limits(sims=1000, rollouts=2000, seed=1)
    verdict = rate_decision(second.table, second.observe(index), move, limits)
    assert (verdict.mark, verdict.difference, verdict.points) == ("best", 0.0, 0.0)
    assert verdict.played == verdict.best == str(move)
    assert verdict.win_played == verdict.win_best


def test_a_planted_blunder_is_detected_and_explained(second: Timeline) -> None:
    """An abstention where two cards score well."""
    view = second.observe(index_of(second, GOOD_PLAY))
    legal = second.table.legal_moves(view.state)
    move = next(move for move in legal if move.kind == ABSTAIN)
    limits = Limits(sims=1000, rollouts=2000, seed=1)
    verdict = rate_decision(second.table, view, move, limits, ("Ann", "Bob", "Cy"))
    assert verdict.mark in ("error", "blunder")
    assert verdict.difference > 2 * verdict.error > 0
    assert verdict.points > 5 * verdict.points_error > 0
    assert verdict.best.startswith("play:")
    assert re.match(r"\+\d+ for Bob: more points in this turn", verdict.why[0])
    assert all(sentence.endswith(".") for sentence in verdict.why)


def test_a_verdict_is_as_certain_as_an_analysis_of_its_games(second: Timeline) -> None:
    view = second.observe(index_of(second, 1))
    moves = tuple(second.table.legal_moves(view.state)[:3])
    searched = analyze(second.table, view, sims=200, seed=0, top=0)
    rollout = LossRollout(
        second.table, view, Contenders(moves, (0.5,) * 3, 3, 0), moves[0], searched=searched
    )
    rollout.run(600)
    verdict = decision_loss.verdict_of(rollout, 0, ["a", "b", "c"])
    rows = {str(row.move): row for row in with_evidence(rollout).moves}
    assert verdict.win_error == pytest.approx(rows[verdict.best].error, rel=0.05)


class Noise(Threads):
    """Plays no games: their results are noise."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._rng = np.random.default_rng(seed)

    def submit(self, _: Any, *part: Any, **__: Any) -> Future[Any]:
        return super().submit(self._noise, *part)

    def _noise(self, _: Chunk, begin: int, end: int) -> PlayedPart:
        count = end - begin
        results = self._rng.random((count, game_kernel.RESULT))
        shape = (count, 1, game_kernel.NOTE_WORDS)
        notes = GameNotes(np.zeros(shape, np.uint64), np.zeros(count, np.uint64))
        return PlayedPart(results, notes, 1e-3)


def test_choosing_the_best_of_many_does_not_raise_the_loss() -> None:
    """Among equally good moves, the loss of any move is 0 on average and spreads by its error."""
    game = Game(players=2, seed=3)
    view, played = game.observe(game.seat), game.legal_moves()[0]
    losses = []
    searched = analyze(game, sims=16, seed=0, top=0)
    contenders = Contenders(tuple(game.legal_moves()[:4]), (0.5,) * 4, 4, 0)
    for seed in range(60):
        rollout = LossRollout(
            game.table, view, contenders, played, searched=searched, seed=seed,
            executor=Noise(seed),
        )  # fmt: skip
        rollout.run(400)
        losses.append(rollout.loss_of(0))
    mean, errors = np.mean(losses, axis=0)
    assert abs(mean) < 3 * errors / np.sqrt(len(losses))
    spread, error = np.sqrt(np.mean(np.square(losses), axis=0))
    assert 0.7 * error < spread < 1.4 * error


def verdict_of(difference: float, error: float, points: float = 0.0) -> LossVerdict:
    scores = (1.0, 2.0)
    return LossVerdict(
        "wall:1", "wall:2", 0.5, 0.5 + difference, difference, error, scores, scores, points, 0.1
    )


@pytest.mark.parametrize(
    ("difference", "error", "mark"),
    [
        (0.13, 0.01, "blunder"), (0.11, 0.01, "error"), (0.05, 0.01, "inaccuracy"),
        (0.01, 0.001, "good"), (-0.05, 0.01, "good"), (0.03, 0.01, "unsure"),
        (0.12, 0.07, "unsure"), (0.0, 0.02, "unsure"),
    ],
)  # fmt: skip
def test_a_mark_is_what_the_whole_interval_says(difference: float, error: float, mark: str) -> None:
    verdict = verdict_of(difference, error)
    assert (verdict.mark, verdict.difference) == (mark, difference)
    assert LossVerdict.from_data(json.loads(json.dumps(verdict.to_data())), players=2) == verdict


class NotingRollout(LossRollout):
    """Notes the final margin of each game after the first contender."""

    def _add(self, played: PlayedChunk) -> None:
        super()._add(played)
        scores = played.results[:, played.chunk.contenders.index(0), game_kernel.SCORE :]
        self.margins = getattr(self, "margins", [])
        self.margins += margins_of(scores[:, : self.view.players], self.view.seat).tolist()


@pytest.mark.parametrize(
    ("from_end", "points", "kind"), [(10, 2.0, "margin"), (10, 4.0, "margin"), (8, 6.0, "behind")]
)
def test_what_points_are_worth_is_what_games_count(
    timeline: Timeline, from_end: int, points: float, kind: str
) -> None:
    """The points decide the games that are won by no more than the points."""
    index = [i for i, step in enumerate(timeline.steps) if step.cause == DECISION][-from_end]
    view, table = timeline.observe(index), timeline.table
    contenders = Contenders((table.legal_moves(view.state)[0],), (0.5,), 1, 0)
    searched = analyze(table, view, sims=16, seed=0, top=0)
    rollout = NotingRollout(table, view, contenders, contenders.moves[0], searched=searched)
    rollout.run(2000)
    margins = np.array(rollout.margins)
    win, after = (np.mean(margins > each) + np.mean(margins == each) / 2 for each in (0, points))
    deviation = decision_loss.verdict_of(rollout, 0, ["a", "b"]).deviation
    assert deviation == pytest.approx(margins.std())
    verdict = replace(verdict_of(win - after, 0.03, points), win_best=win, deviation=deviation)
    worth = worth_of(verdict)
    assert worth is not None
    assert (worth.kind, worth.spread) == (kind, round(margins.std()))
    assert worth.games == pytest.approx(100 * (win - after if kind == "margin" else win), abs=6)


@pytest.mark.parametrize(
    ("loss", "points", "win", "deviation", "said"),
    [
        (0.02, 6.0, 0.95, 14, "Far ahead: the move played still wins about 93 games of 100."),
        (0.02, 6.0, 0.05, 14, "Far behind: even the best move wins only about 5 games of 100."),
        (0.25, 4.0, 0.5, 6, "by about 6 points, so a difference of 4.0 decides about 25 games of"),
        (0.15, 16.0, 0.5, 40, "by about 40 points, so a difference of 16.0 decides about 16 games"),
        (0.16, 6.0, 0.5, 14, ""), (0.4, 4.0, 0.5, 6, ""), (0.02, 1.0, 0.95, 14, ""),
        (0.02, 6.0, 0.95, 0.1, ""),
    ],
)  # fmt: skip
def test_a_word_is_said_where_points_and_win_probability_seem_not_to_fit(
    loss: float, points: float, win: float, deviation: float, said: str
) -> None:
    verdict = replace(verdict_of(loss, 0.02, points), win_best=win, deviation=deviation)
    worth = worth_of(verdict)
    assert said in worth.words(points) if worth and said else worth is None and not said


def test_nine_turns_are_three_thirds_of_three(timeline: Timeline) -> None:
    step = timeline.steps[index_of(timeline, 1)]
    game = replace(timeline, steps=tuple(replace(step, turn=turn) for turn in range(1, 10)))
    verdicts = {index: verdict_of(0.1 * index, 0.01) for index in range(9)}
    parts = by_part(verdicts, game, PHASES)
    assert [part.decisions for part in parts.values()] == [3, 3, 3]
    assert [part.lost for part in parts.values()] == pytest.approx([0.3, 1.2, 2.1])


def test_losses_below_zero_count() -> None:
    summary = summary_of([verdict_of(0.13, 0.01), verdict_of(-0.02, 0.01), verdict_of(0.04, 0.03)])
    assert summary.mean(summary.lost) == pytest.approx(0.05)
    assert summary.error == pytest.approx(0.0331662, abs=1e-6)
    assert summary.marks == {**dict.fromkeys(MARK_NAMES, 0), "blunder": 1, "good": 1, "unsure": 1}
    assert summary_of([]).mean(0.0) == 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_ranks_and_ratings_go_by_points(players: int) -> None:
    assert elo_of_loss(players, [1.0] * 5) is None
    ratings = []
    for rank, (low, high) in zip(RANKS, pairwise((-0.2, *CUTS[players], 9.0)), strict=True):
        verdicts = [verdict_of(0.0, 0.01, (low + high) / 2)] * 400
        assert rank_of(players, summary_of(verdicts)) == (rank, None)
        middle, worst, best = elo_of_loss(players, [low, high] * 200) or (0, 0, 0)
        assert worst <= middle <= best
        ratings.append(middle)
    assert ratings == sorted(ratings, reverse=True)


def test_a_rank_needs_an_interval_in_two_neighboring_ones() -> None:
    few = [verdict_of(0.0, 0.01, 0.5)] * 9
    assert rank_of(2, summary_of(few)) == (None, None)
    unsure = [replace(verdict_of(0.0, 0.01, 0.5), points_error=4.0)] * 12
    rank, times = rank_of(2, summary_of(unsure))
    assert rank is None
    assert times is not None
    surer = [replace(verdict, points_error=4.0 / times**0.5 - 1e-9) for verdict in unsure]
    assert rank_of(2, summary_of(surer))[0] is not None


def test_a_seat_that_was_not_rated_has_no_figures() -> None:
    idle = {"decisions": 0, "mean_loss": 0.0, "error": 0.0, "points_lost": 0.0,
            "points_error": 0.0, "rating": "-", "times": None}  # fmt: skip
    few = {**idle, "decisions": 12, "times": 3.7}
    assert (loss_words(idle), points_words(idle)) == ("-", "-")
    assert set(player_cells({"players": [idle]})[0]) == {"-"}
    notes = rank_notes({"names": ["Ann", "Bob"], "players": [idle, few]})
    longer = "a review about 4 times as long would be enough."
    assert notes == [f"Bob: not enough decisions for a rank; {longer}"]


def game_report(loss: float, seats: int = 2, decisions: int = 10) -> dict[str, Any]:
    """Return the part of a review of a game of Ann that `trends` reads."""
    player = {
        "decisions": decisions, "mean_loss": loss, "error": 0.01, "points_lost": 20 * loss,
        "points_error": 0.1, "kinds": {"walls": {"points": 150 * loss}, "swaps": {"points": 0.1}},
    }  # fmt: skip
    account = {"share": 0.5, "luck": 0.0}
    return {
        "names": ["Ann", "Bob", "Cleo", "Dan"][:seats],
        "players": [player, *[{"decisions": 0}] * (seats - 1)],
        "accounts": [account] * seats,
        "decisions": [{"seat": 0, "points": 20 * loss}] * decisions,
    }


def test_a_trend_needs_games() -> None:
    assert trends([(1, game_report(0.1))])["Ann"]["slope"] is None
    better = trends([(n, game_report(0.1 - 0.01 * n)) for n in range(6)])["Ann"]
    assert better["slope"] == {"mean": pytest.approx(-0.01), "error": pytest.approx(0)}
    assert better["games"] == len(better["history"]) == 6
    assert better["mean_loss"] == pytest.approx(0.075)
    assert better["error"] == pytest.approx(0.01 / 6**0.5, abs=1e-6)
    assert better["costs_most"] == "walls"
    assert better["elo"][1] <= better["elo"][0] <= better["elo"][2]


@pytest.mark.parametrize(
    ("games", "used"),
    [
        ([(2, 10), (3, 10), (3, 10)], (2, 3)),
        ([(3, 10), (3, 10), (2, 30)], (2, 3)),
        ([(4, 10), (2, 12), (3, 11)], (1, 2)),  # a tie: the number with more decisions
        ([(2, 10), (2, 10)], (2, 2)),
    ],
)
def test_a_rating_says_which_games_it_is_from(
    games: list[tuple[int, int]], used: tuple[int, int]
) -> None:
    reports = [game_report(0.1 / seats, seats, decisions) for seats, decisions in games]
    summary = trends(list(enumerate(reports, 1)))
    assert (summary["Ann"]["elo_games"], summary["Ann"]["elo_players"]) == used
    points = [20 * 0.1 / used[1]] * sum(number for seats, number in games if seats == used[1])
    assert summary["Ann"]["elo"] == elo_of_loss(used[1], points)
    note = f"Ann: the Elo-like rating is from {used[0]} of {len(games)} games, "
    notes = [f"{note}with {used[1]} players."] if used[0] < len(games) else []
    assert elo_notes(summary) == notes
    assert elo_notes({"Ann": {**summary["Ann"], "elo": None}}) == []


def test_inaccuracies_are_counted_only_if_they_are_not_listed() -> None:
    inaccuracies = [{"mark": "inaccuracy", "number": number} for number in (4, 9)]
    names = ["Ann", "Ben"]
    report = {"decisions": inaccuracies, "critical": [4, 9], "names": names}
    assert list(_mistakes(report)) == []
    (line,) = _mistakes({**report, "critical": [4]})
    assert str(line) == "1 other inaccuracy: see --html or --json"


def test_what_is_said_of_a_game_is_in_sentences() -> None:
    limits = {"blunder": 0.1, "error": 0.05, "inaccuracy": 0.02}
    settings = {"seconds": None, "rollouts": 500}
    note = players_note({"limits": limits, "settings": settings})
    assert ". Blunder from 10 %, error from 5 %, inaccuracy from 2 %, where" in note
    assert "interval is for the player" in note
    assert "The rank is for the play in this game alone." in note
    known = known_words({"known": "held cities; unseen: Bob 2 cards"})
    assert known == "Held cities; unseen: Bob 2 cards"


# --- the work


@pytest.mark.slow
def test_forced_decisions_are_skipped(work: Work) -> None:
    steps = work.timeline.steps
    free = [i for i, s in enumerate(steps) if s.cause == DECISION and s.choices > 1]
    assert sorted(work.verdicts) == free


def broken(work: Work) -> Iterator[str]:
    """Texts that are not the work of this review."""
    whole = work.format()
    data = json.loads(whole)
    value, verdict = data["values"][0], data["verdicts"][0]
    yield from ("", whole[: len(whole) // 2], "[]")
    changes: list[dict[str, Any]] = [
        {"format": "x"}, {"key": "other"}, {"version": 4}, {"values": [1]},
        {"values": [{**value, "before": [[1, "x"]]}]}, {"values": [{**value, "after": [[1]]}]},
        {"values": data["values"] * 2}, {"verdicts": [{}]}, {"verdicts": ""},
        {"verdicts": data["verdicts"][1:]}, {"verdicts": data["verdicts"] * 2},
    ]  # fmt: skip
    for number, each in enumerate(data["values"][:9]):
        for key in ("before", "after"):
            other = [] if each[key] else value["before"]
            for spoiled in (other, [["nan"] * 2] * 8, [[1e308] * 2] * 8):
                values = [*data["values"][:number], {**each, key: spoiled}]
                changes.append({"values": values})
    for key, wrong in (
        ("played", "wall:x"), ("played", "early-roll"), ("best", "wall:170"),
        ("best", "merge:none"), ("win_best", 255), ("points_error", -1), ("scores_best", [1]),
        ("scores_best", 3), ("scores_played", [1, 1e308]), ("error", None), ("error", True),
        ("error", -1), ("why", "x"),
    ):  # fmt: skip
        changes.append({"verdicts": [{**verdict, key: wrong}]})
    for change in changes:
        yield json.dumps({**data, **change})


@pytest.mark.slow
def test_work_of_another_review_is_refused(timeline: Timeline, work: Work) -> None:
    for text in broken(work):
        fresh = Work(timeline, TINY, "key")
        with pytest.raises(MasonsError):
            fresh.take_up(text)
        assert fresh.done == 0


def test_the_key_tells_reviews_apart(record: dict[str, Any]) -> None:
    keys = {
        settings.key(record_, release)
        for settings in (TINY, replace(TINY, seed=4), replace(TINY, sims=17))
        for record_ in (record, read_record(GAMES, 2))
        for release in ("1", "2")
    }
    assert len(keys) == 12


# --- the report and the page


@pytest.mark.slow
def test_the_report_is_whole(work: Work, report: dict[str, Any]) -> None:
    assert json.loads(json.dumps(report)) == report
    assert len(report["moments"]) == len(work.timeline.steps) + 1
    assert report["moments"][-1]["wins"] == pytest.approx(report["shares"])
    by_number = {decision["number"]: decision["loss"] for decision in report["decisions"]}
    dearest = [by_number[number] for number in report["critical"]]
    assert dearest == sorted(dearest, reverse=True)
    assert all(loss > 0.02 for loss in dearest)
    for seat, player in enumerate(report["players"]):
        for parts in (player["kinds"], player["phases"]):
            assert sum(part["decisions"] for part in parts.values()) == player["decisions"]
            lost = sum(part["lost"] for part in parts.values())
            assert lost == pytest.approx(player["lost"], abs=1e-4)
        assert player["error"] > 0 < player["points_error"]
        assert player["rating"] in (*RANKS, "-")
        assert 0 <= player["agreement"] <= 1
        assert seat == player["seat"]
    for decision in report["decisions"]:
        assert decision["mark"] in MARK_NAMES
        assert parse_move(decision["played"])
        assert bool(decision["reasons"]) <= (decision["mark"] in report["limits"])
    for account in report["accounts"]:
        luck = sum(account[name] for name in LUCK)
        assert account["luck"] == pytest.approx(luck, abs=1e-5)


@pytest.fixture(scope="module")
def marked(report: dict[str, Any]) -> dict[str, Any]:
    """A report with nasty names and a mistake of every phase."""
    decisions = [dict(decision) for decision in report["decisions"]]
    for phase in {decision["phase"] for decision in decisions}:
        first = next(d for d in decisions if d["phase"] == phase)
        first |= {"mark": "blunder", "loss": 0.2, "reasons": ["Gives <b>up</b> & more."]}
    return {**report, "names": ["<script>alert(1)</script>", "\"'&amp;"], "decisions": decisions}


@pytest.mark.slow
def test_the_page_is_well_formed_and_alone(timeline: Timeline, marked: dict[str, Any]) -> None:
    text = review_page(timeline.table.board, marked)
    body = text.partition("<main>")[2].partition("</main>")[0]
    page = ElementTree.fromstring(f"<main>{body}</main>")
    tags = [element.tag for element in page.iter()]
    assert text.count("<script") == 1
    assert tags.count("article") == len(marked["decisions"])
    pictured = [d for d in marked["decisions"] if d["mark"] in ("error", "blunder")]
    assert len(pictured) >= len({d["phase"] for d in pictured}) >= 6
    assert sum(tag.endswith("figure") for tag in tags) == len(pictured) + len(marked["strokes"])
    ids = [element.attrib["id"] for element in page.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    for element in page.iter():
        assert not {"src", "srcset", "onclick", "onerror", "style"} & set(element.attrib), element
        link = element.attrib.get("href")
        assert link is None or (link[0] == "#" and link[1:] in ids)
    outside = text.replace("http://www.w3.org/2000/svg", "")
    assert "http" not in outside.replace("http-equiv", "")
    (policy,) = re.findall(r'http-equiv="[^"]*" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none';")
    for tag in ("script", "style"):
        inside = text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "<script>alert(1)</script>" in "".join(page.itertext())
    assert text == review_page(timeline.table.board, marked)


# --- the command


@pytest.fixture(scope="module")
def short_game(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with a game of three, by chance."""
    game = play(Game(players=3, seed=4, early_roll=True), random.Random(4))
    file = tmp_path_factory.mktemp("games") / "game.jsonl"
    file.write_text(format_record(game_record(game, ["Ann", "Bob", "Cleo"])) + "\n")
    return str(file)


@pytest.fixture
def called(called: Called) -> Called:
    """The command, which reviews quickly."""
    quick = ("--sims", "16", "--playouts", "4", "--rollouts", "24")
    return lambda *arguments: called("review", *arguments, *quick)


@pytest.mark.slow
def test_the_command(short_game: str, tmp_path: Path, called: Called) -> None:
    kept, file = str(tmp_path / "work.json"), tmp_path / "page.html"
    code, out, err = called(short_game, "--resume", kept, "--html", str(file))
    assert code == 0, err
    for words in ("Ann", "win probability over the game", "loss %", "luckiest and unluckiest"):
        assert words in out
    assert file.read_text().startswith("<!DOCTYPE html>")
    # Everything is done already, and is the same again; so it is from the beginning.
    code, again, err = called(short_game, "--resume", kept)
    assert (code, again) == (0, out)
    assert "continuing" in err
    code, text, _ = called(short_game, "--resume", kept, "--json")
    assert json.loads(text)["format"] == "masons-review"


@pytest.mark.slow
def test_no_name_is_a_formula_of_a_spreadsheet(report: dict[str, Any]) -> None:
    text = decisions_csv([(1, {**report, "names": ["=cmd|calc", "a;=1"]})])
    rows = list(csv.DictReader(io.StringIO(text), quoting=csv.QUOTE_NONNUMERIC))
    assert {row["player"] for row in rows} == {"'=cmd|calc", "a;=1"}
    assert '"a;=1"' in text
    assert min(row["difference"] for row in rows) < 0
    texts = [text for row in rows for text in row.values() if not isinstance(text, float)]
    assert not any(str(text).startswith(("=", "+", "-", "@", "\t", "\r")) for text in texts)


@pytest.mark.slow
def test_one_seat_and_several_games(short_game: str, tmp_path: Path, called: Called) -> None:
    lines, kept = tmp_path / "lines.csv", str(tmp_path / "work.json")
    code, out, err = called(
        short_game, "--seat", "Bob", "--csv", str(lines), "--resume", kept, "--json"
    )
    assert code == 0, err
    report = json.loads(out)
    assert {decision["seat"] for decision in report["decisions"]} == {1}
    rows = lines.read_text().splitlines()
    assert rows[0].startswith('"game","player","number"')
    assert len(rows) == 1 + len(report["decisions"])
    assert all(row.startswith('1,"Bob",') for row in rows[1:])
    two = tmp_path / "two.jsonl"
    two.write_text(Path(short_game).read_text() * 2)
    code, out, err = called(str(two), "--all", "--seat", "Bob")
    assert code == 0, err
    assert "trend" in out
    assert "cost most" in out
    assert "game 2 of 2" in err
    assert called(short_game, "--seat", "Dora")[0] == 1
    assert called(short_game, "--all", "--game", "1")[0] == 2
    overview = tmp_path / "all games.html"
    assert called(str(two), "--all", "--seat", "Bob", "--html", str(overview))[0] == 0
    text = overview.read_text()
    assert "<h1>2 games</h1>" in text
    for number in (1, 2):
        assert f'href="all%20games-{number}.html"' in text
        assert "Critical moments" in (tmp_path / f"all games-{number}.html").read_text()


@pytest.mark.slow
def test_work_that_does_not_fit_is_refused_or_repaired(
    short_game: str, tmp_path: Path, called: Called
) -> None:
    kept = tmp_path / "work.json"
    assert called(short_game, "--resume", str(kept))[0] == 0
    out = called(short_game, "--resume", str(kept))[1]
    data = json.loads(kept.read_text())
    older = {**data, "version": data["version"] - 1}
    kept.write_text(json.dumps(older))
    code, _, err = called(short_game, "--resume", str(kept))
    assert (code, err.count("\n")) == (1, 1)
    assert f"{kept}: another release wrote it: its version is {older['version']}, not" in err
    spoiled = json.dumps({**data, "values": [{"before": [], "after": []}, *data["values"][1:]]})
    kept.write_text(spoiled)
    code, _, err = called(short_game, "--resume", str(kept))
    assert (code, err.startswith(f"error: {kept}: "), err.count("\n")) == (1, True, 1)
    assert kept.read_text() == spoiled
    code, again, err = called(short_game, "--resume", str(kept), "--repair")
    assert (code, again) == (0, out)
    assert f"it is kept as {kept}.bad" in err


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done(
    short_game: str, tmp_path: Path, called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = called(short_game, "--resume", str(tmp_path / "whole.json"))[1]
    go_on = Work.go_on
    steps = len(timeline_of(read_record(short_game)).steps)
    for number in (5, 200):

        def stopping(work: Work, limit: int = number) -> None:
            if work.done >= limit:
                raise KeyboardInterrupt
            go_on(work)

        monkeypatch.setattr(Work, "go_on", stopping)
        code, out, err = called(short_game, "--resume", str(tmp_path / "w.json"))
        assert (code, out) == (130, "")
        shown = "luck measured for 5 of" if number < steps else f"{number - steps} of"
        assert f"interrupted: {shown}" in err
    monkeypatch.setattr(Work, "go_on", go_on)
    code, out, err = called(short_game, "--resume", str(tmp_path / "w.json"))
    assert (code, out) == (0, whole)
    assert f"continuing: {200 - steps} of" in err
    assert "decisions rated so far" in err


@pytest.mark.slow
def test_the_work_is_kept_in_the_cache(
    short_game: str, tmp_path: Path, called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = cache_folder()  # where this process keeps its kernels: they stay there
    monkeypatch.setenv("NUMBA_CACHE_DIR", "" if folder is None else str(folder.parent))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for words in ("", "continuing: "):
        code, _, err = called(short_game)
        assert code == 0, err
        assert words in err
    assert len(list(tmp_path.rglob("reviews/*.json"))) == 1
