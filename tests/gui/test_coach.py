"""The coach: marks as in a review, a question before a mistake, nothing of what is hidden."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from masons.ai.practice.puzzles import Puzzle, bundled
from masons.ai.review.decision_loss import MARKED
from masons.ai.session import Session
from masons.engine.board.components import CARDS
from masons.engine.formats.move_text import parse_move
from masons.engine.game.game import Game
from masons.gui import coach, live_searches
from masons.gui.coach import CoachedDecision, CoachLimits
from masons.gui.kept_reviews import KeptReviews
from masons.gui.position_messages import choices_of
from masons.words.scored_view import ScoredView
from tests.support.gui_pages import (
    BOARD,
    ENGINE,
    PERSON,
    Page,
    choose,
    new_games,
    pages_with_other_hands,
    played_of,
    until,
)

# By games alone, so that a mark depends on nothing else.
COUNTED = CoachLimits(sims=100, games=600, first=600, answer_ms=None, answer_games=300)


async def settled(page: Page) -> None:
    """Wait until the coach has thought about the decision and rated the one before."""
    assert page.client.coach is not None
    tasks = page.client.coach._tasks
    await asyncio.sleep(0)
    await until(lambda: not tasks.running)


async def is_asked(page: Page, at: int) -> bool:
    """Wait until the move of position `at` is made, or asked about."""

    def is_question() -> bool:
        message = page.sent[-1]
        return message["type"] == "coach" and message["at"] == at and message["asks"]

    await until(lambda: page.position["at"] != at or is_question())
    return page.position["at"] == at


@pytest.mark.slow
async def test_the_coach_says_the_same_whatever_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two games that differ in the other hand alone: marks and questions are the same."""
    monkeypatch.setattr(coach, "LIMITS", COUNTED)
    told = []
    for host, page, _ in pages_with_other_hands():
        page.say("coach", on=True)
        chance, played = random.Random(11), played_of(host)
        while played.due != "over" and len(page.sent) < 80:
            if played.due == "roll":
                at = page if page.position["rolls"] is not None else host
                tower = "white" if at.position["rolls"] else None
                at.do("roll", tower=tower, houses=["red", chance.choice(["blue", "?"])])
            elif played.due == "card" or (played.game.phase == "score" and played.game.seat == 1):
                break
            elif page.position["decides"]:
                await settled(page)
                move, at = choose(page.position, chance), page.position["at"]
                page.say("move", move=move, at=at, sure=chance.random() < 0.5)
                if await is_asked(page, at):
                    page.say("move", move=move, at=at)
                await settled(page)
            else:
                host.do("move", move=choose(host.position, chance))
        assert not page.errors
        assert sum(each["type"] == "coach" for each in page.sent) > 5
        told.append([json.dumps(each, sort_keys=True) for each in page.sent])
    assert told[0] == told[1]


def _finds(puzzle: Puzzle) -> bool:
    """Return whether the short search of the coach ranks the best move first."""
    session = Session(puzzle.table)
    session.search(puzzle.view, sims=1000)
    return str(session.best) == puzzle.candidates[0].move


@pytest.mark.slow
def test_marks_are_those_of_the_puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best answer is no mistake and the worst is one, measured before the move or after it."""
    monkeypatch.setattr(coach, "LIMITS", replace(COUNTED, sims=1000, games=4000, answer_games=4000))
    walls = [each for each in bundled(BOARD) if each.candidates[-1].loss > 0.15]
    walls = [each for each in walls if each.kind == "wall"]
    clear = [each for each in walls if _finds(each)][:3]
    assert clear
    for puzzle in clear:
        names = [f"seat {seat}" for seat in range(puzzle.view.players)]
        worst, best = (puzzle.move_of(puzzle.candidates[i]) for i in (-1, 0))
        decision = CoachedDecision(BOARD, puzzle.view, names)
        unprepared = decision.rate(worst)
        assert unprepared["mark"] in MARKED
        assert unprepared["why"]
        prepared = CoachedDecision(BOARD, puzzle.view, names)
        prepared.think()
        assert prepared.rate(best)["mark"] not in MARKED
        assert prepared.rate(worst)["mark"] in MARKED
        assert prepared.rate(worst)["best"] != str(worst)


def test_moves_that_cannot_be_told_apart_from_the_best_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also for a move that was not among the likely ones, which few others are compared with."""
    monkeypatch.setattr(coach, "LIMITS", COUNTED)
    puzzle = next(each for each in bundled(BOARD) if each.kind == "wall")
    names = [f"seat {seat}" for seat in range(puzzle.view.players)]
    decision = CoachedDecision(BOARD, puzzle.view, names)
    decision.think()
    rollout = decision._rollout
    assert rollout is not None
    for move in (puzzle.move_of(puzzle.candidates[-1]), rollout.moves[0]):
        mark = decision.rate(move)
        best = parse_move(mark["best"])
        likely = []
        if best in rollout.moves:
            others = rollout.equal_to(rollout.moves.index(best))
            likely = [str(rollout.moves[i]) for i in others if rollout.moves[i] != move]
        assert set(likely) <= set(mark["equal"])
        assert mark["games"] > 0
        assert not {mark["best"], mark["played"]} & set(mark["equal"])


async def test_the_coach_is_on_at_first_against_weak_levels_alone() -> None:
    for seats, is_on in (
        ([PERSON, ENGINE], True),
        ([PERSON, {**ENGINE, "level": 5}], False),
        ([PERSON, ENGINE, {**ENGINE, "level": 10}], False),
        ([PERSON, PERSON], None),  # both would hear what it says
    ):
        page = Page(new_games())
        page.say("newgame", seats=seats, seed=3)
        assert page.position["coach"] is is_on


async def test_a_certain_mistake_is_asked_about(
    monkeypatch: pytest.MonkeyPatch, page: Page
) -> None:
    mark: dict[str, Any] = {
        "mark": "blunder", "played": "wall:57", "played_facts": {"points": [], "spaces": 0},
        "best": "wall:1", "best_facts": {"points": [], "spaces": 0}, "why": None, "line": [],
        "win": 0.6, "win_interval": 0.03, "loss": 0.2, "interval": 0.1, "points": 1.0,
        "points_interval": 0.5, "worth": None, "equal": [], "games": 900, "text": "",
    }  # fmt: skip
    monkeypatch.setattr(CoachedDecision, "think", lambda _: None)
    monkeypatch.setattr(CoachedDecision, "rate", lambda *_: mark)
    page.say("newgame", seats=[PERSON, ENGINE], seed=9)
    page.say("coach", on=True)
    page.do("move", move="wall:57", sure=False)
    await until(lambda: page.sent[-1]["type"] == "coach")
    assert page.sent[-1] == {"type": "coach", "at": page.position["at"], "asks": True, **mark}
    assert page.position["walls"] == []
    page.do("move", move="wall:57")
    await until(lambda: page.sent[-1]["type"] == "coach")
    assert page.position["walls"] == [57]
    assert not page.sent[-1]["asks"]
    mark["mark"] = "unsure"
    at = page.position["at"]
    page.do("move", move=choose(page.position, random.Random(1)), sure=False)
    await until(lambda: page.position["at"] != at)
    page.do("move", move="wall:999", sure=False)
    await until(lambda: page.errors)


@pytest.mark.parametrize("number", [0, 1])
async def test_a_hint_and_a_mark_come_from_the_same_games(
    monkeypatch: pytest.MonkeyPatch, page: Page, number: int
) -> None:
    """The moves that a hint names as likely best get a mark that says the same."""
    monkeypatch.setattr(coach, "LIMITS", replace(COUNTED, games=1200))
    page.say("newgame", seats=[PERSON, ENGINE], seed=9)
    page.say("coach", on=True)
    await settled(page)
    page.say("go")
    await until(lambda: page.sent[-1]["type"] == "bestmove")
    hint = page.sent[-1]
    assert hint["games"] >= 1200
    equals = [choice for choice in hint["choices"] if choice["is_equal"]]
    page.say("move", move=equals[number]["move"], at=page.position["at"], sure=True)
    await settled(page)
    mark = page.last("coach")
    assert mark["mark"] in ("best", "good", "unsure")
    assert mark["best"] in [choice["move"] for choice in equals]


async def test_the_review_adopts_the_verdict_of_the_coach(
    monkeypatch: pytest.MonkeyPatch, page: Page, folder: Path
) -> None:
    """The look back names the same best move and the same loss, in the folder's file too."""
    monkeypatch.setattr(coach, "LIMITS", COUNTED)
    quick = replace(live_searches.REVIEW, sims=50, playouts=1, rollouts=100)
    monkeypatch.setattr(live_searches, "REVIEW", quick)
    page.say("newgame", seats=[PERSON, ENGINE], seed=9)
    page.say("coach", on=True)
    page.do("move", move="wall:57")
    await until(lambda: page.sent[-1]["type"] == "coach")
    mark = page.sent[-1]
    page.do("resign")
    page.say("after")
    await until(lambda: "moments" in page.sent[-1])
    (review,) = KeptReviews(
        folder / "reviews.json", live_searches.CoachedVerdicts()
    ).reviews.values()
    (decision,) = (each for each in review.decisions if each.number == 1)
    assert (decision.mark, decision.loss, decision.points) == tuple(
        mark[name] for name in ("mark", "loss", "points")
    )
    page.say("study")
    page.say("review")
    await until(lambda: page.sent[-1]["type"] == "review")
    (decision,) = (each for each in page.sent[-1]["decisions"] if each["number"] == 1)
    assert decision["is_coached"]
    for name in (
        "mark",
        "best",
        "win",
        "win_interval",
        "loss",
        "interval",
        "points",
        "points_interval",
        "equal",
        "games",
    ):
        assert decision[name] == mark[name]


def test_the_points_of_closing_and_of_merges_are_those_of_the_scoring_that_follows() -> None:
    """With the pieces of the turn on the board before, those of closing are the scoring's."""
    closed = merged = 0
    for seed in range(12):
        game, chance = Game(seed=seed), random.Random(seed)
        while not game.is_over:
            before, moves = game.position, game.legal_moves()
            scored = ScoredView(game.table, game.view(game.seat))
            if game.phase == "merge":
                said = choices_of(scored, moves)["choices"]
                for move, choice in zip(moves, said, strict=True):
                    game.apply(move)
                    points = game.table.card_points(game.state, game.position.city)
                    assert scored.merged_points(move) == points
                    for card, some in choice["cards"]:
                        assert points[CARDS.index(card)] == some > 0
                    game.undo()
                    merged += 1
            closing = [
                move for move in moves if scored.closed_city(move.place)[0]
            ] if game.phase == "wall" else []  # fmt: skip
            if not closing:
                game.apply(chance.choice(list(moves)[:200]))
                continue
            line, logged = chance.choice(closing), len(game.log)
            game.apply(line)
            while game.phase in ("towers", "houses"):
                game.apply(game.legal_moves()[0])
            if game.phase != "score":
                continue
            houses = {space: list(counts) for space, counts in before.houses.items()}
            for event in game.log.events(logged):
                for space, color in event.get("put", ()) if event["e"] == "houses" else ():
                    at = ("red", "rose", "yellow", "green", "blue").index(color)
                    houses.setdefault(space, [0] * 5)[at] += 1
            with_houses = replace(before, houses={s: tuple(c) for s, c in houses.items()})
            size, points = ScoredView(game.table, with_houses).closed_city(line.place)
            (city,) = set(game.position.cities) - set(before.cities)
            assert size == len(city)
            assert points == game.table.card_points(game.state, game.position.city)
            closed += 1
    assert closed > 10
    assert merged > 10
