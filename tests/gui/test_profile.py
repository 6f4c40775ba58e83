"""Reviews that are kept: the look back at a game, profiles, export, deletion, a damaged file."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from msgspec import structs
from msgspec.json import encode as json_bytes

from masons.ai.practice.progress import keep_answer
from masons.ai.practice.puzzles import bundled
from masons.engine.formats.position_text import format_position
from masons.engine.game.game import Game
from masons.engine.game.record import parse_record
from masons.gui import live_searches, margin_results, practice_session
from masons.gui.after_game import look_back
from masons.gui.kept_reviews import (
    KeptDecision,
    KeptReview,
    KeptReviews,
    KeptStroke,
    OverGame,
    _encoded,
)
from masons.gui.margin_results import luck_of
from masons.gui.practice_session import mistake_puzzles, puzzle_profile
from masons.gui.profile import RECENT, PlayedGames, level_near, profile_message
from masons.gui.study_line import StudyLine
from masons.match.playing.kept_games import people_in
from tests.support.gui_pages import BOARD, ENGINE, GAME, PERSON, Page, cut, new_games

QUICK = replace(live_searches.REVIEW, sims=50, playouts=1, rollouts=10)


def kept(folder: Path) -> Any:
    return json.loads((folder / "reviews.json").read_text(encoding="utf-8"))


@pytest.mark.slow
async def test_games_are_reviewed_once_and_make_a_profile(
    folder: Path, monkeypatch: pytest.MonkeyPatch, page: Page
) -> None:
    """One that breaks a rule is left out; everything can be exported and deleted."""
    monkeypatch.setattr(live_searches, "REVIEW", QUICK)
    broken = json.loads(GAME)
    for number, line in enumerate(
        (GAME, cut(GAME, 30), json.dumps({**broken, "events": broken["events"][1:]}))
    ):
        (folder / f"{number}.jsonl").write_text(line + "\n")
    page.say("profile")
    assert (await page.hears("profile"))["missing"] == 3
    page.say("profile", review=True)
    profile = await page.hears("profile")
    assert (profile["player"], profile["games"], profile["missing"]) == ("You", 2, 0)
    assert (profile["rating"], profile["curve"], profile["more"]) == (None, [], 1)
    assert sum(kind["decisions"] for kind in profile["kinds"]) > 20
    monkeypatch.setattr(live_searches, "review_work", lambda *_: 1 // 0)
    again = Page(new_games())
    again.say("profile")
    assert {**await again.hears("profile"), "missing": 0} == profile
    # A copy needs no review of its own, and neither does a file with a new date.
    (folder / "copy.jsonl").write_text(GAME + "\n")
    os.utime(folder / "1.jsonl", (1, 1))
    again.say("profile")
    assert (await again.hears("profile"))["missing"] == 1  # the one that could not be reviewed
    (folder / "copy.jsonl").unlink()
    # Result and moments.
    (review,) = [
        each
        for each in KeptReviews(
            folder / "reviews.json", live_searches.CoachedVerdicts()
        ).reviews.values()
        if each.has_end
    ]
    after = look_back(review, {0}, BOARD)
    (result,) = after["results"]
    scores = json.loads(GAME)["result"]["scores"]
    assert result["margin"] == scores[0] - scores[1] == result["luck"] + result["play"]
    assert len(after["moments"]) == 3
    for moment in after["moments"]:
        assert fromstring(moment["picture"]).tag.endswith("svg")
    # The files.
    again.say("export")
    export = json.loads((await again.hears("export"))["text"])
    assert export["games"]["0.jsonl"] == [json.loads(GAME)]
    assert export["reviews"] == kept(folder)["reviews"]
    again.say("forget")
    assert again.last("deleted")["held"] == 0
    assert again.last("games")["games"] == []
    assert list(folder.iterdir()) == []
    again.say("profile")
    assert (await again.hears("profile"))["games"] == 0


async def test_a_game_that_was_given_up_is_looked_back_at(
    monkeypatch: pytest.MonkeyPatch, page: Page, folder: Path
) -> None:
    monkeypatch.setattr(live_searches, "REVIEW", QUICK)
    page.say("newgame", seats=[PERSON, ENGINE], seed=9)
    assert "over" in page.refused("after")["text"]
    page.do("move", move="wall:57")
    page.do("resign")
    page.say("after")
    after = await page.hears("after", lambda message: "moments" in message)
    assert after["results"] == []
    assert [each["names"] for each in kept(folder)["reviews"].values()] == [
        ["You", "Engine (level 1)"]
    ]
    assert "no mistakes" in page.refused("practice", begin=True, file="none.jsonl")["text"]


async def test_a_game_whose_review_is_kept_opens_with_its_marks(folder: Path) -> None:
    """The mistakes of people are told from those of engines. Other games have no marks."""
    text = format_position(Game(seed=1).position, BOARD)
    told_of = {"played": "wall:1", "best": "wall:2", "position": text, "interval": 0.01}
    small, own, gift = (
        KeptDecision(number, 2, seat, "wall", mark, loss, 2.0, **told_of)
        for number, seat, mark, loss in (
            (3, 0, "inaccuracy", 0.03), (5, 0, "error", 0.07), (8, 1, "blunder", 0.2),
        )
    )  # fmt: skip
    quiet = KeptDecision(4, 2, 0, "wall", "good", 0.0, 0.0)
    made = structs.replace(review(1, 0.5), decisions=(small, quiet, own), others=(gift,))
    key = OverGame("", "", parse_record(GAME), frozenset()).key
    (folder / "reviews.json").write_bytes(_encoded({key: made}))
    (folder / "a.jsonl").write_text(GAME + "\n")
    page = Page(new_games())
    page.say("study", file="a.jsonl")
    marks = page.last("marks")
    assert marks["mistakes"] == [5, 3]
    found = [(each["number"], each["mark"], each["loss"]) for each in marks["decisions"]]
    assert found == [(5, "error", 0.07), (3, "inaccuracy", 0.03), (8, "blunder", 0.2)]
    page.sent.clear()
    for other in (cut(GAME, 30), text):
        page.say("study", text=other)
        assert page.last("study")
    assert not any(each["type"] == "marks" for each in page.sent)


WRONG_SEAT = json.dumps(
    {"format": "masons-kept-reviews", "version": 1, "reviews": {"x": {
        "file": "a", "ended": "", "names": ["You", "Engine 1"], "has_end": True,
        "margins": [1, -1], "luck": [0, 0], "luck_errors": [0, 0], "strokes": [],
        "decisions": [{"number": 1, "turn": 1, "seat": 2, "phase": "wall", "mark": "best",
                       "loss": 0, "points": 0}],
    }}}
)  # fmt: skip


DAMAGED = ["{", "{}", "[]", '{"format": "masons-kept-reviews", "version": 2, "reviews": {}}',
           WRONG_SEAT.replace("2", "x"), WRONG_SEAT, "\ufeff\ud800"]  # fmt: skip


@pytest.mark.parametrize("text", ["", *DAMAGED])
async def test_a_damaged_file_is_named_and_set_aside(text: str, folder: Path) -> None:
    path = folder / "reviews.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    page = Page(new_games())
    if not text:
        assert not page.errors
        return
    (error,) = page.errors
    assert str(path) in error["text"]
    assert "\n" not in error["text"]
    assert path.with_name("reviews.json.bad").read_bytes() == text.encode("utf-8", "surrogatepass")
    assert page.last("games")["level"] == 1
    assert not Page(new_games()).errors


def review(number: int, points: float, seats: int = 2, spread: float = 0.1) -> KeptReview:
    """A game in which each of twelve walls lost so many points, more or less."""
    decisions = tuple(
        KeptDecision(i, i, 0, "wall", "unsure", 0.01, points + (-1) ** i * spread)
        for i in range(12)
    )
    names = ("You", *(f"Engine {seat}" for seat in range(1, seats)))
    nothing = (0.0,) * seats
    return KeptReview(
        f"{number:02}.jsonl", f"2026-11-{number:02} 12:00", names, True, nothing, nothing, nothing,
        decisions, (),
    )  # fmt: skip


def test_the_rating_is_that_of_the_last_games_and_the_level_follows_it() -> None:
    weak, strong = [review(n, 1.4) for n in range(1, 21)], [review(n, 0.3) for n in range(8, 29)]
    played = PlayedGames("You", [*strong[20:], *weak])
    assert played.curve()[0][0] == "2026-11-03 12:00"
    rating = PlayedGames("You", weak).rating.settled()
    assert rating is not None
    assert rating[1] <= rating[0] <= rating[2]
    assert level_near(rating) < level_near(PlayedGames("You", strong).rating.settled())
    profile = profile_message([*weak, review(30, 1.4, seats=3)], "", 4)
    assert (profile["games"], profile["missing"], profile["level"]) == (21, 4, level_near(rating))
    assert [kind["kind"] for kind in profile["kinds"]] == ["walls"]
    assert [level_near(each) for each in (None, (-274,), (40,), (295,), (296,))] == [1, 1, 5, 9, 10]
    assert profile_message([], "", 0)["rating"] is None
    mixed = [*weak[:3], review(30, 1.4, seats=3), review(31, 1.4, seats=4)]
    profile = profile_message(mixed, "", 0)
    assert (profile["games"], profile["rated"], profile["seats"]) == (5, 3, 2)


def test_the_profile_has_results_luck_and_the_thirds_of_games() -> None:
    """A shared victory counts in part, and a game that was broken off is no result."""
    won, shared = structs.replace(review(1, 1.0), margins=(5.0, -5.0)), review(2, 1.0)
    broken = structs.replace(review(3, 1.0), has_end=False, luck=(90.0, -90.0))
    names = ("You", "Engine 1 (level 3)", "Engine 2 (level 6)")
    three = structs.replace(review(4, 1.0, seats=3), names=names, margins=(-4.0, 6.0, -2.0))
    level = structs.replace(won, names=("You", "Engine (level 4)"), luck=(3.0, -3.0))
    profile = profile_message([won, shared, broken, three, level], "You", 0)
    assert profile["results"] == [
        {"seats": 2, "level": None, "games": 2, "won": 1.5},
        {"seats": 2, "level": 4, "games": 1, "won": 1.0},
        {"seats": 3, "level": 6, "games": 1, "won": 0.0},
    ]
    assert profile["luck"][0] == 0.8
    assert [(each["kind"], each["decisions"]) for each in profile["thirds"]] == [
        ("early", 20), ("middle", 20), ("late", 20),
    ]  # fmt: skip


def test_the_profile_has_the_puzzles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "practice.json"
    monkeypatch.setattr(practice_session, "progress_path", lambda: path)
    assert puzzle_profile(BOARD) is None
    walls = [each for each in bundled(BOARD) if each.themes == ("close",)][:2]
    for puzzle, is_solved in zip(walls, (True, False), strict=True):
        today = date.today()
        keep_answer(path, puzzle.id, today, is_solved=is_solved, rating=puzzle.rating)
    puzzles = puzzle_profile(BOARD)
    assert puzzles is not None
    assert puzzles["themes"] == [("close", 2, 50)]
    assert (puzzles["due"], puzzles["standing"]["longest"], len(puzzles["days"])) == (1, 1, 1)
    path.write_text("{")
    assert puzzle_profile(BOARD) is None


async def test_the_level_offered_follows_the_rating_one_level_at_a_time(
    folder: Path, page: Page
) -> None:
    """From the first settled rating on, and down as well as up."""
    assert page.last("games")["level"] == 1
    offered = []
    for losses in ([0.5] * 2, [0.5] * 3, [0.5] * 4, [0.5] * 20, [0.5] * 20 + [1.4] * 20):
        reviews = {str(n): review(n, loss) for n, loss in enumerate(losses)}
        file = {"format": "masons-kept-reviews", "version": 1, "reviews": reviews}
        (folder / "reviews.json").write_bytes(json_bytes(file))
        again = Page(new_games())
        offered.append(again.last("games")["level"])
    assert offered == [1, 2, 3, 7, 2]
    again.say("profile")
    profile = await again.hears("profile")
    assert offered[-1] == profile["level"] == profile["offered"]


def test_a_rating_takes_three_games_and_a_narrow_interval() -> None:
    even, uneven = (
        [review(n, points, spread=spread) for n in range(1, 31)]
        for points, spread in ((1.4, 0.1), (0.6, 6.0))
    )
    for games, more in ((even[:1], 2), (even[:2], 1), (even[:3], 0)):
        profile = profile_message(games, "", 0)
        assert (profile["more"], profile["rating"] is None) == (more, more > 0)
    for count in (3, 8, 19):
        played = PlayedGames("You", uneven[:count])
        assert played.rating.settled() is None
        assert played.rating.estimate() is not None
        assert 1 <= played.rating.more_games() <= RECENT - count
    assert PlayedGames("You", uneven).rating.settled() is not None


def test_three_decisions_say_little_about_their_kind() -> None:
    """The interval is that of so few values, so the page tells no loss."""
    played = review(1, 0.0)
    few = tuple(
        structs.replace(each, phase="swap", points=points)
        for each, points in zip(played.decisions, (5.0, 9.0, 4.0), strict=False)
    )
    (kind,) = PlayedGames("You", [structs.replace(played, decisions=few)]).kinds()
    assert kind["kind"] == "swaps"
    assert kind["interval"] == pytest.approx(4.303 * 2.6458 / 3**0.5, abs=0.002)


def test_names_of_engines_are_no_people() -> None:
    names = ["You", "Engine 1", "Ann", "Engine X", "Engine (level 3)", "Engine 2 (plain)", "Engine"]
    assert people_in(names) == {0, 2, 3, 6}


def test_a_costly_mistake_of_another_seat_is_a_moment_before_smaller_luck() -> None:
    text = format_position(Game(seed=1).position, BOARD)
    told_of = {"played": "wall:1", "best": "wall:2", "position": text}
    gift = KeptDecision(5, 2, 1, "wall", "error", 0.073, 2.0, **told_of)
    strokes = tuple(KeptStroke(turn, text, (gain, -gain), "dice") for turn, gain in
                    ((1, 0.1), (3, -0.05), (4, 0.02)))  # fmt: skip
    played = structs.replace(review(1, 0.5), strokes=strokes, others=(gift,))
    after = look_back(played, {0}, BOARD)
    marks = [(each.get("mark"), each.get("is_gift", False)) for each in after["moments"]]
    assert marks == [(None, False), ("error", True), (None, False)]
    assert after["mistakes"] == 0
    maybe = KeptDecision(7, 3, 0, "wall", "unsure", 0.04, 2.0, **told_of)
    unsure = structs.replace(played, decisions=(*played.decisions, maybe))
    marks = [each.get("mark", "luck") for each in look_back(unsure, {0}, BOARD)["moments"]]
    assert marks == ["unsure", "luck", "error"]
    (mistake, *_) = look_back(played, {1}, BOARD)["moments"]
    assert (mistake["mark"], mistake["number"]) == ("error", 5)


def test_the_luck_of_a_game_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    record = StudyLine(cut(GAME, 4), BOARD, 1).record
    assert record is not None
    luck = luck_of(live_searches.review_work(record, BOARD))
    monkeypatch.setattr(margin_results, "margin_luck", lambda *_: [(0.0, 1.0)] * 2)
    assert luck_of(live_searches.review_work(parse_record(cut(GAME, 4)), BOARD)) == luck
    assert luck_of(live_searches.review_work(parse_record(cut(GAME, 5)), BOARD)) != luck


def test_mistakes_of_engines_are_not_practiced() -> None:
    steps = [SimpleNamespace(seat=seat) for seat in (0, 1, 0)]
    verdict = SimpleNamespace(
        mark="error", difference=0.06, error=0.01, moves=("wall:1", "wall:2"), equal=()
    )
    work: Any = SimpleNamespace(
        timeline=SimpleNamespace(names=["You", "Engine 1"], steps=steps),
        verdicts={1: verdict, 2: verdict},
        settings=SimpleNamespace(seed=0),
    )
    made: list[Any] = mistake_puzzles(work)
    assert [each.args[1] for each in made] == [2]
    work.timeline.names = ["Engine 1", "Engine 2"]
    assert len(mistake_puzzles(work)) == 2
