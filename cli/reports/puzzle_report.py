"""A puzzle of `practice` and its answer for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.text import Text

from masons.ai.practice.puzzles import answer_title, why_missed
from masons.cli.reports.analysis_report import position_words
from masons.cli.reports.report_tables import figures_table
from masons.cli.support.console import output
from masons.cli.terminal.text_board import Look, draw_board
from masons.cli.terminal.text_page import LETTERS
from masons.engine.plain_text import percent, within
from masons.match.playing.scored_view import ScoredView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.ai.practice.puzzles import Candidate, Puzzle

_SMALL: Final = 50  # columns that the small board needs
_LARGE: Final = 70
_HIGH: Final = 60


def question(puzzle: Puzzle, choices: Sequence[Candidate], which: str) -> RenderableType:
    """The position as its seat sees it, and the moves to choose from."""
    console, board = output(), puzzle.table.board
    position = puzzle.view.position
    low = console.is_terminal and console.height < _HIGH
    look = Look(
        size="large" if console.width >= _LARGE and not low else "small",
        color=console.is_terminal and not console.no_color,
        ascii=not console.encoding.lower().startswith("utf"),
    )
    drawing = draw_board(board, position, look) if console.width >= _SMALL else []
    words = ScoredView(puzzle.table, position)
    moves = [
        Text(f"  {letter}  {words.words(puzzle.move_of(each))}")
        for letter, each in zip(LETTERS, choices, strict=False)
    ]
    return Group(
        Text(f"Position {which}: what does seat {position.seat} do?", style="bold"),
        Text("\n", end="").join(drawing),
        "",
        position_words(board, position, hands=True),
        "",
        *moves,
    )


def answer(puzzle: Puzzle, chosen: Candidate) -> RenderableType:
    """Return the loss of the choice, why, and the values of all candidates."""
    best = puzzle.candidates[0]
    words = ScoredView(puzzle.table, puzzle.view.position)
    style = "bold green" if chosen is best else "green" if chosen.is_right else "bold red"
    title = Text(answer_title(puzzle, chosen), style=style)
    why = [Text(f"  {sentence}") for sentence in why_missed(puzzle, chosen)]
    table = figures_table("win %", "loss %", "move")
    table.columns[0].justify = "right"
    table.columns[2].justify = "left"
    table.columns[2].no_wrap = False
    for each in puzzle.candidates:
        note = "  (yours)" if each is chosen else ""
        note += "  (played)" if each.move == puzzle.played else ""
        table.add_row(
            f"{percent(each.win)} {within(each.interval)}",
            "" if each is best else f"{percent(each.loss)} {within(each.loss_interval)}",
            Text(words.words(puzzle.move_of(each)) + note),
        )
    return Group(title, *why, table)
