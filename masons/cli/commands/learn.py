"""The command `learn`, which gives lessons in the terminal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from masons.cli import options
from masons.cli.process import prepare, say
from masons.engine.errors import MoveError
from masons.engine.plain_text import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from masons.cli.terminal.screen import Screen
    from masons.cli.terminal.text_page import Frame
    from masons.engine.lessons.lesson import Lesson, LessonRun
    from masons.words.scored_view import Item, ScoredView

_QUIT: Final = ("q", "quit")
_MENU: Final = 5
_FEW_LINES: Final = 9  # the lines of a group are numbered if there are fewer than this
_HOW_TO_TYPE: Final = {
    "wall": "Type the number of a line, such as 57",
    "score": "Type cards by their letters: play a c",
    "swap": "Type cards by their letters: swap a c",
    "final": "Type the city's number and cards by their letters: final 17 a c",
}
_NEXT: Final = "[Enter: go on, q: leave] "


@click.command("learn")
@click.argument("lesson", metavar="[LESSON]", required=False)
@click.option("--list", "is_list", is_flag=True, help="List the lessons and which ones are done.")
@click.option(
    "--progress", "progress_file", type=options.file_name, metavar="FILE",
    help="File for the list of finished lessons.  [default: a file in your data folder]",
)  # fmt: skip
def learn(lesson: str | None, is_list: bool, progress_file: str | None) -> None:
    """Learn the game in ten short lessons.

    Each lesson shows positions, asks for moves and checks them. LESSON is the number of a lesson,
    or a file with a lesson of your own. Without LESSON, you continue with the next lesson. In a
    lesson, hint helps, show plays the answer, undo takes back a move, and q leaves.
    """
    from masons.engine.lessons.lesson import bundled_lessons, read_lesson
    from masons.engine.lessons.progress import done_or_fault, progress_path

    path = Path(progress_file) if progress_file else progress_path()
    lessons = bundled_lessons()
    done, fault = done_or_fault(path)
    if fault:
        say(fault)
    if is_list:
        for number, each in enumerate(lessons, 1):
            click.echo(f"{number:>3}  {'done' if each.name in done else '    '}  {each.title}")
        return
    prepare()
    if lesson is not None and lesson.endswith(".toml"):
        _teach([read_lesson(Path(lesson))], 0, None)
        return
    _teach(lessons, _first(lessons, lesson, done), path)


def _first(lessons: Sequence[Lesson], wanted: str | None, done: Sequence[str]) -> int:
    """Return the index of the lesson to begin with. Raises UsageError."""
    if wanted is None:
        left = [n for n, lesson in enumerate(lessons) if lesson.name not in done]
        if not left:
            say("all lessons are done: starting over with the first")
        return left[0] if left else 0
    if not (wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= len(lessons)):
        raise click.UsageError(
            f"{quoted(wanted, 30)} is no lesson: give a number from 1 to {len(lessons)}, or the "
            "name of a .toml file"
        )
    return int(wanted) - 1


def _teach(lessons: Sequence[Lesson], first: int, path: Path | None) -> None:
    """Run the lessons from index `first` on, and record finished lessons in the file."""
    from masons.cli.terminal.screen import Screen
    from masons.engine.lessons.lesson import LessonRun
    from masons.engine.lessons.progress import keep_done

    screen = Screen()
    for number in range(first, len(lessons)):
        lesson = lessons[number]
        title = f"{number + 1}. {lesson.title}" if path else lesson.title
        if not _Page(LessonRun(lesson), title, screen).go_through():
            say("masons-engine learn continues here")
            return
        if path is not None:
            keep_done(path, lesson.name)
    if path is not None:
        screen.show(["That was the last lesson. Now play: masons-engine play --level 1"])


class _Page:
    """A lesson on the screen. It shows the board and the texts, and reads the learner's answers."""

    def __init__(self, run: LessonRun, title: str, screen: Screen) -> None:
        self._run, self._title, self._screen = run, title, screen
        self._notes: list[str] = []

    def go_through(self) -> bool:
        """Go through the steps of the lesson. Return False if the learner leaves."""
        while not self._run.is_done:
            step = self._run.step
            self._notes += step.words.strip().splitlines()
            if step.task is None:
                self._notes.append("")
                is_left = self._ask(_NEXT) in _QUIT
                if not is_left:
                    self._run.read_on()
            else:
                is_left = not self._do_task()
            if is_left:
                return False
        if self._notes:
            return self._ask(_NEXT) not in _QUIT
        return True

    def _do_task(self) -> bool:
        """Ask for moves until the step is done or `undo` returns to an earlier step.

        Returns False if the learner leaves.
        """
        run, number = self._run, self._run.number
        while not run.is_done and run.number == number:
            self._notes += [f"> {run.step.task}", *self._menu()]
            typed = self._ask("your move (hint, show, undo, q): ")
            if typed in _QUIT:
                return False
            if typed == "hint":
                self._notes.append(run.step.hint or "There is no hint for this step.")
            elif typed == "undo":
                if not run.undo():
                    self._notes.append("This is the first move of the lesson.")
            elif typed == "show":
                self._notes.append(f"The answer is {run.answer}.")
                self._try(str(run.answer))
            elif typed:
                self._try(typed)
        return True

    def _try(self, typed: str) -> None:
        """Try the typed text as a move, and add the reaction of the lesson to the notes."""
        from masons.cli.terminal.typed_moves import read_move

        run, game = self._run, self._run.game
        hand = self._scored_view.hand(game.seat)
        try:
            move = read_move(typed, game.phase, hand, self._items(), game.board)
            attempt = run.try_move(move)
        except MoveError as error:
            self._notes.append(f"! {error}")
            return
        if not attempt.is_right:
            self._notes.append("Not yet.")
        if attempt.points:
            self._notes.append(f"You score {attempt.points} points.")
        self._notes += attempt.words.splitlines()

    def _menu(self) -> list[str]:
        """Return a menu in a phase with few moves, or else a hint how to type a move, if any."""
        phase = self._run.game.phase
        if phase in ("towers", "houses", "merge"):
            return [f"{item.key:>3} {item.words}" for item in self._items()[:_MENU]]
        return [_HOW_TO_TYPE[phase]] if phase in _HOW_TO_TYPE else []

    @property
    def _scored_view(self) -> ScoredView:
        from masons.words.scored_view import ScoredView

        return ScoredView(self._run.game.table, self._run.view)

    def _items(self) -> list[Item]:
        from masons.words.scored_view import menu_items

        return menu_items(self._scored_view, self._run.game.legal_moves())

    def _ask(self, prompt: str) -> str:
        """Show the notes page by page, and return the text typed at the last page."""
        from masons.cli.terminal.text_page import fit, rows_below

        frame = self._frame()
        lines = fit(self._notes, frame.width)
        rows = rows_below(self._run.game.board, frame) if self._screen.live else len(lines) or 1
        pages = [lines[at : at + rows] for at in range(0, len(lines), rows)] or [[]]
        self._notes = []
        try:
            for page in pages[:-1]:
                if self._show(page, "[Enter: read on, q: leave] ") in _QUIT:
                    return _QUIT[0]
            return self._show(pages[-1], prompt)
        except EOFError:
            return _QUIT[0]

    def _show(self, notes: Sequence[Text], prompt: str) -> str:
        """Draw the board with notes below it, and return the typed text."""

        def draw(_: Sequence[str] = ()) -> None:
            self._screen.wipe()
            self._screen.show(self._lines(notes))

        draw()
        return self._screen.ask(prompt, (), draw).lower()

    def _lines(self, notes: Sequence[Text]) -> list[Text]:
        from rich.text import Text

        from masons.cli.terminal.game_display import numbered
        from masons.cli.terminal.text_page import Scene, draw_page
        from masons.engine.formats.text_board import Look

        game, view = self._run.game, self._run.view
        scene = Scene(
            board=game.board,
            position=view,
            names=[f"seat {seat}" for seat in range(game.players)],
            seat=None if game.is_over else self._run.seat,
            scored_view=self._scored_view,
            notes=notes if self._screen.live else (),
            look=numbered(Look(), game, self._line_ids),
        )
        page = draw_page(scene, self._frame())
        rest = () if self._screen.live else notes
        return [Text(self._title, style="bold"), *page, *rest]

    def _frame(self) -> Frame:
        """Return the terminal's frame without the row of the title."""
        frame = self._screen.frame()
        return replace(frame, height=frame.height - 1)

    def _line_ids(self) -> frozenset[int]:
        """Return the lines to number: those of the right answers and of a few promising walls."""
        from masons.words.scored_view import line_groups

        run, game = self._run, self._run.game
        groups = line_groups(self._scored_view)[:2]
        lines = {line for group in groups for line in group.lines if len(group.lines) < _FEW_LINES}
        if not run.is_done:
            lines |= {move.place for move in game.legal_moves() if run.step.accepts(move)}
        return frozenset(lines)
