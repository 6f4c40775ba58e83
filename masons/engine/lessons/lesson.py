"""Lessons, read from files and played step by step under the rules of the game.

A lesson is a TOML file with a `title` and `steps`. The learner plays the seat that decides in a
step.

| key of a step | value |
| --- | --- |
| `words`    | text that the learner reads first |
| `position` | the position as text with all hands; if omitted, it is that after the previous step |
| `task`     | what to do; if omitted, the learner only reads |
| `accept`   | patterns of the right moves: `wall:57`, `play:*land-red*`, `houses:*` |
| `answer`   | a right move to show; if omitted, the first legal move that is accepted |
| `hint`     | text for a learner who asks for help, and after a legal move that is not right |
| `after`    | events that follow: `roll white red ?` (`-`: no tower die), `draw cities`, or moves |
| `done`     | text shown after a right move |

In a text, the id of a card in braces stands for the card's name: `You hold {land-red}.`
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from masons.engine.board.components import CARD_NAMES
from masons.engine.checks import check_list, check_text
from masons.engine.errors import READ_ERRORS, MasonsError, MoveError
from masons.engine.files import refuse_special
from masons.engine.formats.move_text import Move, move_given
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.plain_text import plain, quoted
from masons.engine.state.position import Position

SUFFIX: Final = ".toml"
_CARD: Final = re.compile(r"\{([a-z0-9-]+)\}")
_MOST_BYTES: Final = 1 << 18
_NAMED_PLACES: Final = re.compile(
    r"\b(?P<kind>line|tower space|tower|space)s? (?P<numbers>\d+(?:(?:, | and | or )\d+)*)", re.I
)


@dataclass(frozen=True)
class LessonStep:
    """A step of a lesson. The fields are the keys of a step in the file."""

    words: str
    position: str | None = None
    task: str | None = None
    accept: tuple[str, ...] = ()
    answer: str | None = None
    hint: str = ""
    after: tuple[str, ...] = ()
    done: str = ""

    def accepts(self, move: Move) -> bool:
        """Return whether a move is right."""
        return any(fnmatchcase(str(move), pattern) for pattern in self.accept)


_FIELDS: Final = tuple(field.name for field in fields(LessonStep))
_LISTS: Final = ("accept", "after")
_TEXTS: Final = ("words", "task", "hint", "done")  # fields that are translated


def named_places(text: str) -> list[tuple[str, int]]:
    """Return the places that a text names by number, in their order, such as `("line", 82)`.

    A kind is `line`, `space`, or `tower` for a tower space. `spaces 40 and 53` names two places.
    """
    return [
        (match["kind"].lower().removesuffix(" space"), int(number))
        for match in _NAMED_PLACES.finditer(text)
        for number in re.findall(r"\d+", match["numbers"])
    ]


@dataclass(frozen=True)
class Lesson:
    """A lesson. Its name is the name of its file without the suffix."""

    name: str
    title: str
    steps: tuple[LessonStep, ...]


@dataclass(frozen=True)
class Attempt:
    """The result of a move that the learner tried."""

    is_right: bool
    words: str  # text to show about the move: the hint if it is not right
    points: int = 0  # points that the move scored


class LessonRun:
    """A learner's way through a lesson, step by step.

    Raises MasonsError if a step of the lesson breaks a rule.
    """

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.number = 0  # number of the step that is due, from 0
        self._moves: list[Move | None] = []  # the learner's move in each step, if it had a task
        self._shown: set[int] = set()  # the steps whose answer was shown
        self._seat = 0
        self._game = self._begin_step(None)

    @property
    def is_done(self) -> bool:
        """True after the last step has been finished."""
        return self.number == len(self.lesson.steps)

    @property
    def where(self) -> str:
        """The lesson and the step that is due, as text for messages."""
        return f"lesson {self.lesson.name}, step {self.number + 1}"

    @property
    def step(self) -> LessonStep:
        """The step that is due."""
        return self.lesson.steps[self.number]

    @property
    def game(self) -> Game:
        """The game in the step that is due. Callers may read it, but must not make moves in it."""
        return self._game

    @property
    def seat(self) -> int:
        """The learner's seat, which makes the decision of the current or the last task."""
        return self._seat

    @property
    def view(self) -> Position:
        """The position as the learner's seat sees it."""
        return self._game.view(self._seat)

    def read_on(self) -> None:
        """Go on from a step that has no task.

        Raises MasonsError if the step has a task.
        """
        if self.step.task is not None:
            raise MasonsError("this step wants a move")
        self._finish_step(None)

    def try_move(self, move: Move | str) -> Attempt:
        """Try a move for the task of the step that is due.

        A right move is played, and the next step begins. Raises MoveError for a text that is not a
        move, and for a move that is not legal.
        """
        chosen, before, seat = move_given(move), self._game.position.scores, self._game.seat
        self._game.apply(chosen)
        if not self.step.accepts(chosen):
            self._game.undo()
            return Attempt(False, self.step.hint)
        points, done = self._game.position.scores[seat] - before[seat], self.step.done
        self._finish_step(chosen)
        return Attempt(True, done, points)

    @property
    def counts(self) -> bool:
        """True if the learner has answered every step so far without being shown the answer."""
        return not self._shown

    def show_answer(self) -> Move:
        """Return the answer of the step that is due, which the learner then no longer finds alone.

        The lesson counts again if the learner takes the step back.
        """
        self._shown.add(self.number)
        return self.answer

    @property
    def answer(self) -> Move:
        """A right move for the step that is due. Raises MasonsError if no move is accepted."""
        step = self.step
        if step.answer is not None:
            return move_given(step.answer)
        for move in self._game.legal_moves():
            if step.accepts(move):
                return move
        raise MasonsError(f"{self.where}: no legal move is accepted")

    def undo(self) -> bool:
        """Go back to the last step with a move; return whether there was one."""
        while self._moves and self._moves[-1] is None:
            self._moves.pop()
        if not self._moves:
            return False
        kept = self._moves[:-1]
        self.number, self._moves = 0, []
        self._game = self._begin_step(None)
        for move in kept:
            if move is not None:
                self._game.apply(move)
            self._finish_step(move)
        self._shown = {number for number in self._shown if number < self.number}
        return True

    def _finish_step(self, move: Move | None) -> None:
        """Play the events that follow the step, and begin the next step."""
        for event in self.step.after:
            self._happen(event)
        self._moves.append(move)
        self.number += 1
        if not self.is_done:
            self._game = self._begin_step(self._game)

    def _begin_step(self, game: Game | None) -> Game:
        """Return the game with which the step that is due begins."""
        position = self.step.position
        if position is not None:
            try:
                game = Game.from_position(position, chance=Outside())
            except MasonsError as error:
                raise MasonsError(f"{self.where}: {error}") from None
        if game is None:
            raise MasonsError(f"{self.where}: the first step needs a position")
        if position is not None or self.step.task is not None:
            self._seat = game.seat
        return game

    def _happen(self, event: str) -> None:
        """Play an event: a roll, a draw or a move of another seat."""
        try:
            match event.split():
                case ["roll", tower, first, second]:
                    self._game.give_roll(None if tower == "-" else tower, first, second)
                case ["draw", card]:
                    self._game.give_card(card)
                case _:
                    self._game.apply(event)
        except MasonsError as error:
            raise MasonsError(f"{self.where}, after {quoted(event, 60)}: {error}") from None


def read_lesson(path: Path) -> Lesson:
    """Return the lesson in a file, after playing it through once.

    Raises MasonsError if the file is not a valid lesson, and OSError if it cannot be read.
    """
    refuse_special(str(path))
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    try:
        if len(data) > _MOST_BYTES:
            raise MasonsError(f"it is longer than {_MOST_BYTES} bytes")
        lesson = parse_lesson(path.name.removesuffix(SUFFIX), data.decode())
        play_through(lesson)
    except UnicodeDecodeError:
        raise MasonsError(f"{path}: it is not UTF-8 text") from None
    except MasonsError as error:
        raise MasonsError(f"{path}: {error}") from None
    return lesson


def parse_lesson(name: str, text: str, *, is_translation: bool = False) -> Lesson:
    """Return the lesson in a text. Raises MasonsError if the text is not a lesson.

    Cards in braces are replaced by their English names, except in a translation.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MasonsError(f"it is not TOML: {plain(str(error))}") from None
    except READ_ERRORS:
        raise MasonsError("it is not TOML: a number too long, or nested too deeply") from None
    if set(data) != {"title", "steps"}:
        raise MasonsError("a lesson has a title and steps, and nothing else")
    steps = check_list("steps", data["steps"], dict, "a list of tables, [[steps]]")
    lesson = Lesson(
        name,
        check_text("title", data["title"]),
        tuple(_step(n, step) for n, step in enumerate(steps, 1)),
    )
    if is_translation:
        return lesson
    return replace(lesson, steps=tuple(_with_card_names(step) for step in lesson.steps))


def _with_card_names(step: LessonStep) -> LessonStep:
    """Return a step in whose texts each card in braces is replaced by its name."""

    def named(text: str) -> str:
        return _CARD.sub(lambda match: CARD_NAMES.get(match[1], match[0]), text)

    return replace(
        step,
        words=named(step.words),
        task=step.task and named(step.task),
        hint=named(step.hint),
        done=named(step.done),
    )


def _step(number: int, data: dict[str, Any]) -> LessonStep:
    """Return a step from a file. Raises MasonsError if it is not valid."""
    if unknown := sorted(set(data) - set(_FIELDS)):
        known = ", ".join(_FIELDS)
        raise MasonsError(f"step {number} has {quoted(unknown[0], 30)}: its keys are {known}")
    if "words" not in data:
        raise MasonsError(f"step {number} has no words")
    values: dict[str, Any] = {
        key: tuple(check_list(f"step {number}: {key}", value, str, "a list of texts"))
        if key in _LISTS
        else check_text(f"step {number}: {key}", value)
        for key, value in data.items()
    }
    return LessonStep(**values)


def play_through(lesson: Lesson) -> Game:
    """Return the game after every step of a lesson has been answered correctly.

    Raises MasonsError if a step breaks a rule, or does not accept its own answer.
    """
    run = LessonRun(lesson)
    while not run.is_done:
        where = run.where
        if run.step.task is None:
            run.read_on()
            continue
        try:
            attempt = run.try_move(run.answer)
        except MoveError as error:  # an illegal answer; other errors name their step
            raise MasonsError(f"{where}: {error}") from None
        if not attempt.is_right:
            raise MasonsError(f"{where}: its answer is not accepted")
    return run.game


def bundled_lessons(language: str = "en") -> list[Lesson]:
    """Return the lessons that come with the program, in order, without playing them through.

    The translation of a lesson is a file with only the title and the texts, in the folder of the
    language. A lesson without a translation is in English. Translations still have cards in braces,
    for the page to name them.
    """
    folder = files("masons.engine.lessons").joinpath("data")
    lessons = _lessons_in(folder)
    if language not in {path.name for path in folder.iterdir() if path.is_dir()}:
        return lessons
    translated = _lessons_in(folder.joinpath(language), is_translation=True)
    translations = {lesson.name: lesson for lesson in translated}
    return [_translated(each, translations.get(each.name, each)) for each in lessons]


def _lessons_in(folder: Traversable, *, is_translation: bool = False) -> list[Lesson]:
    texts = {path.name: path for path in folder.iterdir() if path.name.endswith(SUFFIX)}
    return [
        parse_lesson(
            name.removesuffix(SUFFIX),
            texts[name].read_text(encoding="utf-8"),
            is_translation=is_translation,
        )
        for name in sorted(texts)
    ]


def _translated(lesson: Lesson, translation: Lesson) -> Lesson:
    """Return a lesson with the title and the texts of its translation, step by step."""
    steps = tuple(
        replace(step, **{name: getattr(said, name) for name in _TEXTS})
        for step, said in zip(lesson.steps, translation.steps, strict=True)
    )
    return Lesson(lesson.name, translation.title, steps)


def said_in(lesson: Lesson, translation: Lesson) -> dict[str, str]:
    """Return a dict that maps each text of a lesson to the translation of this text."""
    return {
        getattr(step, name): getattr(said, name)
        for step, said in zip(lesson.steps, translation.steps, strict=True)
        for name in _TEXTS
        if getattr(step, name)
    }
