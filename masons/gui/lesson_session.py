"""The list of lessons, and the session in which a learner does one lesson on a page."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from masons.engine.errors import FileLostError, MasonsError
from masons.engine.game.table import Table
from masons.engine.lessons.lesson import LessonRun, bundled_lessons, named_places, said_in
from masons.engine.lessons.progress import done_or_fault, keep_done, progress_path
from masons.gui.background import Declined, declined_as, error_message
from masons.gui.position_messages import names_for, study_position
from masons.protocol.messages.error_codes import Refused
from masons.words.scored_view import ScoredView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from masons.engine.board.geometry import Board
    from masons.engine.formats.move_text import Move
    from masons.engine.lessons.lesson import Lesson
    from masons.engine.state.position import Position
    from masons.gui.messages import DoLesson


@lru_cache(4)
def lessons_in(language: str) -> Sequence[Lesson]:
    """Return the bundled lessons with texts in a language. Their files are read only once."""
    return bundled_lessons(language)


def lesson_list(language: str) -> dict[str, Any]:
    """Return the `lessons` message, with titles in a language.

    The titles are English if there are no lessons in this language. If the file of finished lessons
    is damaged, the message says so, and no lesson counts as done.
    """
    try:
        done, fault = done_or_fault(progress_path())
    except OSError as error:
        done, fault = [], error_message(error)["text"]
    lessons = [
        {"number": number, "title": lesson.title, "done": lesson.name in done}
        for number, lesson in enumerate(lessons_in(language), 1)
    ]
    return {"type": "lessons", "lessons": lessons, "fault": fault}


class LessonSession:
    """A lesson on one page. Lessons that the learner finished alone are saved, as by `learn`."""

    def __init__(
        self, board: Board, number: int, language: str, send: Callable[[dict[str, Any]], None]
    ) -> None:
        """Begin the lesson with the given number, from 1, and show its first step.

        Raises Refused if there is no such lesson or it needs another board.
        """
        lessons = lessons_in("en")
        if not 1 <= number <= len(lessons):
            raise Refused("illegal", f"lesson.number is {number}: it is 1 to {len(lessons)}")
        self._number, self._language = number, language
        self._run = LessonRun(lessons[number - 1])
        self._translation = lessons_in(language)[number - 1]
        self._texts = said_in(self._run.lesson, self._translation)
        if self._run.game.board.sha256 != board.sha256:
            needed = self._run.game.board.name
            text = f"the lessons need the board {needed}: start without --board"
            raise Declined("state", text, "board", board=needed)
        self._table = Table(board)
        self._send = send
        self._shown = 0  # the number of positions shown so far
        self._show()

    @property
    def view(self) -> Position:
        """The position as the learner's seat sees it."""
        return self._run.view

    def hear(self, message: DoLesson) -> None:
        """Carry out a learner's message, and show the step that follows. Raises MasonsError."""
        run = self._run
        match message.act:
            case "next":
                if run.is_done:
                    raise Refused("state", "the lesson is done: lesson begins another one")
                run.read_on()
                self._show()
            case "undo":
                if not run.undo():
                    raise Declined("state", "this is the first move of the lesson", "firstMove")
                self._show()
            case "hint":
                self._need_task()
                self._show(words=run.step.hint)
            case "show":
                self._need_task()
                answer = run.show_answer()
                facts = ScoredView(self._table, run.view).facts(answer)
                self._try(answer, shown={"move": str(answer), "facts": facts})
            case "move":
                self._need_task()
                self._try(message.move)

    def _need_task(self) -> None:
        if self._run.is_done or self._run.step.task is None:
            raise Declined("state", "this step of the lesson wants no move", "noMove")

    def _try(self, move: Move | str, shown: dict[str, Any] | None = None) -> None:
        """Try a move. Raises MoveError if the rules forbid the move.

        If the learner asked for the answer, `shown` holds its notation and its facts.
        """
        with declined_as("move"):
            attempt = self._run.try_move(move)
        self._show(
            is_right=attempt.is_right, words=attempt.words, points=attempt.points, shown=shown
        )

    def _show(
        self,
        *,
        words: str = "",
        is_right: bool | None = None,
        points: int = 0,
        shown: dict[str, Any] | None = None,
    ) -> None:
        """Send the current step with the lesson's words about the last move.

        A last step without a task is done when it is shown.
        """
        run = self._run
        step = None if run.is_done else run.step
        task = None if step is None else step.task
        told = "" if step is None else step.words
        if step is not None and task is None and run.number + 1 == len(run.lesson.steps):
            run.read_on()  # the lesson ends with these words
        named = list(dict.fromkeys(named_places(f"{words} {told} {task}")))  # in English texts
        words, told = self._texts.get(words, words), self._texts.get(told, told)
        self._shown += 1
        names = names_for(run.game.players, run.seat)
        position = study_position(self._table, run.view, names, lesson=True, at=self._shown)
        position["hand"] = position["hands"][run.seat]
        if task is None:
            position |= {"decides": False, "moves": None}
        if run.is_done and run.counts:
            self._keep()
        self._send(
            {
                "type": "lesson",
                "number": self._number,
                "lessons": lesson_list(self._language)["lessons"],
                "title": self._translation.title,
                "step": run.number,
                "steps": len(run.lesson.steps),
                "words": told.strip().splitlines(),
                "task": task and self._texts.get(task, task),
                "counts": run.counts,
                "said": {
                    "right": is_right, "points": points, "shown": shown,
                    "words": words.splitlines(),
                },
                "places": named,
                "position": position,
            }
        )  # fmt: skip

    def _keep(self) -> None:
        """Save that the lesson is done. If this fails, tell the page."""
        try:
            keep_done(progress_path(), self._run.lesson.name)
        except (MasonsError, FileLostError, OSError) as error:
            self._send(error_message(error))
