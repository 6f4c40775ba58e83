"""Lessons: those that ship can be done, a move is checked by the rules, faults are named."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from masons.engine.board.components import CARD_NAMES
from masons.engine.errors import MasonsError, MoveError
from masons.engine.lessons.lesson import (
    Lesson,
    LessonRun,
    bundled_lessons,
    parse_lesson,
    play_through,
    read_lesson,
)
from masons.engine.lessons.progress import keep_done, read_done
from tests.support.paths import PACKAGE

LESSONS = bundled_lessons()
DATA = PACKAGE / "engine" / "lessons" / "data"
CITY = next(lesson for lesson in LESSONS if lesson.name == "04-closing-a-city")
STEP = '[[steps]]\nwords = "Look."\n'


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_can_be_done_by_its_answers(lesson: Lesson) -> None:
    play_through(lesson)
    for step in lesson.steps:
        assert (step.task is None) == (not step.accept)
        assert step.task is None or step.hint


def test_only_a_right_move_is_played() -> None:
    run = LessonRun(CITY)
    before = run.game.text
    attempt = run.try_move("wall:0")
    assert (attempt.is_right, attempt.words) == (False, CITY.steps[0].hint)
    with pytest.raises(MoveError, match="wall:82 is not legal now"):
        run.try_move("wall:82")
    assert (run.game.text, run.number) == (before, 0)
    assert run.try_move("wall:86").is_right
    assert (run.number, run.game.phase) == (1, "houses")


def test_undo_goes_back_to_the_last_move() -> None:
    run = LessonRun(CITY)
    assert not run.undo()
    run.try_move("wall:86")
    due = run.game.text
    run.try_move(run.answer)
    run.read_on()
    assert run.is_done
    assert run.undo()
    assert (run.number, run.game.text) == (1, due)
    assert run.undo()
    assert (run.number, run.game.phase) == (0, "wall")


def test_a_learner_sees_no_other_hand() -> None:
    for lesson in LESSONS:
        run = LessonRun(lesson)
        others = [hand for seat, hand in enumerate(run.view.hands) if seat != run.game.seat]
        assert not any(isinstance(hand, tuple) and hand for hand in others)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("title = 3", "a lesson has a title and steps, and nothing else"),
        ("title = ", "it is not TOML: "),
        (f'title = "A"\n{STEP}colour = "red"', "step 1 has 'colour': its keys are words, "),
        ('title = "A"\n[[steps]]\ntask = "?"', "step 1 has no words"),
        (f'title = "A"\n{STEP}accept = "wall:1"', "step 1: accept is 'wall:1': it must be a list"),
        (f'title = "A"\n{STEP}', "step 1: the first step needs a position"),
        (f'title = "A"\n{STEP}position = "masons1"', "step 1: "),
    ],
)
def test_the_fault_of_a_file_is_named(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MasonsError) as raised:
        read_lesson(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert fault in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"wall:86"', '"wall:82"', "no legal move is accepted"),
        ("roll - green blue", "roll white green blue", "the tower die is not rolled"),
        ("roll - green blue", "draw cities", "no card is due"),
        ("roll - green blue", " ", "after ' '"),
    ],
)
def test_a_step_that_breaks_a_rule_is_named(old: str, new: str, fault: str) -> None:
    text = (DATA / f"{CITY.name}.toml").read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(MasonsError, match=f"lesson mine, step 1.*{fault}"):
        play_through(parse_lesson("mine", text.replace(old, new)))


def test_progress_is_kept_and_a_damaged_file_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "lessons.json"
    assert read_done(path) == []
    for name in ("b", "a", "b"):
        keep_done(path, name)
    assert read_done(path) == ["b", "a"]
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(MasonsError, match="it holds no progress of lessons"):
        read_done(path)
    keep_done(path, "c")
    assert read_done(path) == ["c"]
    assert path.with_name("lessons.json.bad").read_text(encoding="utf-8") == "{}"
    assert json.loads(path.read_text(encoding="utf-8"))["format"] == "masons-lessons"


@pytest.mark.parametrize("language", ["de", "es"])
def test_every_text_of_every_lesson_is_there_in_each_language(language: str) -> None:
    english, folder = LESSONS, DATA / language
    assert sorted(path.stem for path in folder.iterdir()) == [lesson.name for lesson in english]
    for lesson in english:
        data = tomllib.loads((folder / f"{lesson.name}.toml").read_text(encoding="utf-8"))
        assert set(data) == {"title", "steps"}
        assert len(data["steps"]) == len(lesson.steps)
        original = tomllib.loads((DATA / f"{lesson.name}.toml").read_text(encoding="utf-8"))
        for texts, said in zip(original["steps"], data["steps"], strict=True):
            assert set(said) == texts.keys() & {"words", "task", "hint", "done"}, lesson.name
            for name, text in said.items():
                assert numbers(text) == numbers(texts[name]), (lesson.name, text)
                assert text.strip().count("\n") == texts[name].strip().count("\n")
    named = bundled_lessons(language)
    assert [lesson.title for lesson in named] != [lesson.title for lesson in english]
    assert [step.accept for lesson in named for step in lesson.steps] == [
        step.accept for lesson in english for step in lesson.steps
    ]


def numbers(text: str) -> list[str]:
    """Return the numbers of more than one digit, and the cards that a text names in braces."""
    return sorted(re.findall(r"\d\d+|\{[\w-]+\}", text))


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_no_text_of_a_lesson_has_the_id_of_a_card(language: str) -> None:
    """English texts have the names; in others, each id stands in braces, for the page to name."""
    for lesson in bundled_lessons(language):
        for step in lesson.steps:
            text = f"{step.words} {step.task} {step.hint} {step.done}"
            named = re.sub(r"\{([\w-]+)\}", lambda m: CARD_NAMES[m[1]], text)
            assert not re.search(r"\b(?:city|land)-\w|\{", named)
            assert language != "en" or named == text


def test_the_learner_keeps_a_seat_while_reading() -> None:
    """The hand that is shown is the learner's, also when the others decide."""
    for lesson in bundled_lessons():
        run = LessonRun(lesson)
        while not run.is_done:
            seat = run.seat
            assert isinstance(run.view.hands[seat], tuple)
            if run.step.task is None:
                run.read_on()
                goes_on = not run.is_done and run.step.position is None and run.step.task is None
                assert not goes_on or run.seat == seat
            else:
                assert run.seat == run.game.seat
                run.try_move(run.answer)
                assert not run.is_done or run.seat == seat
