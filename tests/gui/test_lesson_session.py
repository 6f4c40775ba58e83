"""Lessons in a page: the messages of a whole lesson, what is kept, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from masons.engine.board.geometry import load_board
from masons.engine.lessons.lesson import bundled_lessons, named_places
from masons.gui import lesson_session
from tests.support.gui_pages import Page, new_games
from tests.support.paths import BOARDS

LESSONS = bundled_lessons()


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with the lessons done."""
    path = tmp_path / "kept" / "lessons.json"
    monkeypatch.setattr(lesson_session, "progress_path", lambda: path)
    return path


def done(page: Page) -> list[int]:
    page.say("lessons")
    message = page.last("lessons")
    assert message["fault"] == ""
    return [lesson["number"] for lesson in message["lessons"] if lesson["done"]]


def do(page: Page, act: str, move: str = "") -> dict[str, Any]:
    page.say("learn", act=act, move=move)
    assert not page.errors, page.errors
    return page.last("lesson")


async def test_every_lesson_is_done_by_the_moves_that_it_shows(kept: Path, page: Page) -> None:
    assert done(page) == []
    for number, lesson in enumerate(LESSONS, 1):
        moves = []
        page.say("lesson", number=number)
        message = page.last("lesson")
        while message["step"] < message["steps"]:
            task = message["task"]
            assert (message["position"]["moves"] is None) == (task is None)
            message = do(page, "next" if task is None else "show")
            assert (message["said"]["shown"] is None) == (task is None)
            if task is not None:
                moves.append(message["said"]["shown"]["move"])
        assert message["title"] == lesson.title
        assert not message["counts"]
        assert done(page) == list(range(1, number))  # what was shown does not count
        page.say("lesson", number=number)
        message = page.last("lesson")
        while message["step"] < message["steps"]:
            is_read = message["task"] is None
            message = do(page, "next") if is_read else do(page, "move", moves.pop(0))
        assert message["counts"]
        assert done(page) == list(range(1, number + 1))
    assert json.loads(kept.read_text())["done"] == [lesson.name for lesson in LESSONS]


@pytest.mark.usefixtures("kept")
async def test_a_wrong_move_gets_the_hint_and_changes_nothing(page: Page) -> None:
    page.say("lesson", number=4)
    first = page.last("lesson")
    wrong = do(page, "move", "wall:0")
    assert wrong["said"]["right"] is False
    assert wrong["said"]["words"] == do(page, "hint")["said"]["words"]
    assert wrong["position"]["walls"] == first["position"]["walls"]
    right = do(page, "move", "wall:86")
    assert (right["said"]["right"], right["step"]) == (True, 1)
    assert do(page, "undo")["step"] == 0


@pytest.mark.usefixtures("kept")
async def test_a_last_step_without_a_task_ends_the_lesson_with_its_words(page: Page) -> None:
    page.say("lesson", number=7)
    answer = do(page, "show")["said"]["shown"]["move"]
    do(page, "undo")
    last = do(page, "move", answer)  # what is taken back counts again
    assert (last["step"], last["task"]) == (last["steps"], None)
    assert last["words"][0].startswith("The swap is a reason")
    assert last["said"]["words"][0].startswith("You drew “Completed cities”")
    assert done(page) == [7]


@pytest.mark.usefixtures("kept")
async def test_the_seats_of_a_lesson_have_names_that_the_page_translates(page: Page) -> None:
    for number, names in ((7, ["Other", "You"]), (8, ["Player 1", "You", "Player 3", "Player 4"])):
        page.say("lesson", number=number)
        assert page.last("lesson")["position"]["names"] == names


@pytest.mark.usefixtures("kept")
async def test_what_cannot_be_done_is_refused_in_a_line(page: Page) -> None:
    for message, code in (
        ({"type": "lesson", "number": 99}, "illegal"),
        ({"type": "learn", "act": "next"}, "state"),
        ({"type": "lesson", "number": 4}, None),
        ({"type": "learn", "act": "next"}, "illegal"),
        ({"type": "learn", "act": "undo"}, "state"),
        ({"type": "learn", "act": "move", "move": "wall:82"}, "illegal"),
        ({"type": "learn", "act": "move", "move": "nonsense"}, "illegal"),
        ({"type": "learn", "act": "win"}, "syntax"),
    ):
        page.say(**message)
        if code is not None:
            error = page.errors.pop()
            assert (error["code"], "\n" in error["text"]) == (code, False), error
    assert not page.errors


async def test_lessons_need_their_board() -> None:
    page = Page(new_games(board=load_board(BOARDS / "triangle-36.json")))
    assert "the lessons need the board classic" in page.refused("lesson", number=1)["text"]


async def test_a_damaged_file_is_named(kept: Path, page: Page) -> None:
    kept.parent.mkdir()
    kept.write_text("{}")
    page.say("lessons")
    fault = page.last("lessons")["fault"]
    assert fault.startswith(f"{kept}: it holds no progress of lessons")


@pytest.mark.usefixtures("kept")
async def test_a_step_shows_the_dice_whose_pieces_are_to_be_placed(page: Page) -> None:
    page.say("lesson", number=2)
    roll = page.last("lesson")["position"]["roll"]
    assert (roll["tower"], roll["houses"]) == ("white", ["red", "green"])
    page.say("lesson", number=1)
    assert page.last("lesson")["position"]["roll"] is None


def test_places_are_named_by_kind_and_number() -> None:
    text = "Line 0, spaces 40 and 53; tower spaces 3, 4 or 5, towers 6; seat 1, 10 points."
    assert named_places(text) == [
        ("line", 0), ("space", 40), ("space", 53),
        ("tower", 3), ("tower", 4), ("tower", 5), ("tower", 6),
    ]  # fmt: skip


@pytest.mark.usefixtures("kept")
async def test_a_lesson_in_german_marks_the_same_places(page: Page) -> None:
    """A language without lessons gets them in English."""
    page.say("lesson", number=1)
    english = page.last("lesson")
    page.say("lesson", number=1, language="de")
    german = page.last("lesson")
    assert german["title"] == "Mauern"
    assert "Linie 82" in german["task"]
    assert german["places"] == english["places"]
    assert "Linie 82 beginnt am linken Rand" in do(page, "move", "wall:0")["said"]["words"][0]
    for unknown in ("xx", "..", ""):
        page.say("lesson", number=1, language=unknown)
        assert page.last("lesson")["title"] == "Walls"
