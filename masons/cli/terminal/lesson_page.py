"""The pages of a lesson in `learn`: the board and texts, and the learner's answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rich.text import Text

from masons.cli.terminal.game_display import numbered
from masons.cli.terminal.screen import Screen
from masons.cli.terminal.text_page import (
    Frame,
    Scene,
    draw_page,
    fit,
    flow,
    pages_of,
    rows_below,
)
from masons.cli.terminal.typed_moves import read_move
from masons.engine.errors import MoveError
from masons.engine.formats.text_board import Look
from masons.engine.lessons.lesson import LessonRun
from masons.engine.plain_text import count
from masons.words.scored_view import Item, ScoredView, line_groups, menu_items

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


class LessonPage:
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
            self._notes += self._question()
            typed = self._ask("your move (hint, show, undo, q): ")
            if typed in _QUIT:
                return False
            if typed == "hint":
                self._notes.append(run.step.hint or "There is no hint for this step.")
            elif typed == "undo":
                if not run.undo():
                    self._notes.append("This is the first move of the lesson.")
            elif typed == "show":
                answer = run.show_answer()
                self._notes.append(f"The answer is {answer}.")
                self._try(str(answer))
            elif typed:
                self._try(typed)
        return True

    def _try(self, typed: str) -> None:
        """Try the typed text as a move, and add the reaction of the lesson to the notes."""
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
            self._notes.append(f"You score {count(attempt.points, 'point')}.")
        self._notes += attempt.words.splitlines()

    def _question(self) -> list[str]:
        """Return the task and its menu as one note if a page has room for it, or else as two."""
        task, menu = f"> {self._run.step.task}", "\n".join(self._menu())
        notes = [f"{task}\n{menu}"] if menu else [task]
        is_long = len(fit(notes, self._frame().width)) > self._rows
        return [task, menu] if is_long else notes

    def _menu(self) -> list[str]:
        """Return a menu in a phase with few moves, or else a hint how to type a move, if any.

        If a page has no room for one move a row, there are several in a row.
        """
        phase = self._run.game.phase
        if phase in ("towers", "houses", "merge"):
            moves = [Text(f"{item.key:>3} {item.words}") for item in self._items()[:_MENU]]
            width = self._frame().width
            is_long = len(fit(moves, width)) >= self._rows
            return [row.plain for row in flow(moves, 2, width)] if is_long else [*map(str, moves)]
        return [_HOW_TO_TYPE[phase]] if phase in _HOW_TO_TYPE else []

    @property
    def _rows(self) -> int:
        """The number of rows for notes on a page."""
        return rows_below(self._run.game.board, self._frame()) if self._screen.live else 99

    @property
    def _scored_view(self) -> ScoredView:
        return ScoredView(self._run.game.table, self._run.view)

    def _items(self) -> list[Item]:
        return menu_items(self._scored_view, self._run.game.legal_moves())

    def _ask(self, prompt: str) -> str:
        """Show the notes page by page, and return the text typed at the last page."""
        width = self._frame().width
        is_live = self._screen.live
        pages = pages_of(self._notes, width, self._rows) if is_live else [fit(self._notes, width)]
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
        run, game = self._run, self._run.game
        groups = line_groups(self._scored_view)[:2]
        lines = {line for group in groups for line in group.lines if len(group.lines) < _FEW_LINES}
        if not run.is_done:
            lines |= {move.place for move in game.legal_moves() if run.step.accepts(move)}
        return frozenset(lines)
