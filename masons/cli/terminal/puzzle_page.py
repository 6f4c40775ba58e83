"""The display of a puzzle in `practice`, as a page or as plain text, and of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from masons.ai.practice.puzzles import Candidate, Puzzle, answer_title, why_best
from masons.cli.console import hanging, indented, output
from masons.cli.reports.analysis_report import position_words
from masons.cli.terminal.styled_board import draw_board, fitting_look
from masons.cli.terminal.text_page import (
    LETTERS,
    LOW_ROWS,
    Frame,
    Scene,
    card_values,
    draw_page,
    fit,
    flow,
    hang,
    pages_of,
    rows_below,
    size_for,
)
from masons.engine.formats.move_text import Move
from masons.engine.formats.text_board import Look
from masons.engine.plain_text import percent, spread
from masons.engine.state.packed_move import FINAL, HOUSES, MERGE, NONE, SWAP, TOWERS, WALL
from masons.words.scored_view import ScoredView

_HIGH: Final = 60  # a terminal with this number of rows shows the large board


def question(puzzle: Puzzle, choices: Sequence[Candidate], which: str) -> RenderableType:
    """Return a puzzle as plain text: the deciding seat's view and the moves to choose from."""
    board, position = puzzle.table.board, puzzle.view.position
    look = fitting_look(output(), board, _HIGH)
    drawing = draw_board(board, position, look) if look else []
    words = ScoredView(puzzle.table, position)
    moves = [
        hanging(Text(f"  {letter}  {words.words(puzzle.move_of(each))}"), 5)
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
    """Return the verdict on a choice, the reasons, and the values of all candidates."""
    best = puzzle.candidates[0]
    words = ScoredView(puzzle.table, puzzle.view.position)
    style = "bold green" if chosen is best else "green" if chosen.is_right else "bold red"
    title = Text(answer_title(puzzle, chosen), style=style)
    why = [indented(Text(sentence), 2) for sentence in why_best(puzzle, chosen)]
    # Not a table of figures, whose form would depend on the length of the moves.
    table = Table(box=None, header_style="cyan", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("win %", justify="right")
    table.add_column("loss %", justify="right")
    table.add_column("move", overflow="fold")
    for each in puzzle.candidates:
        note = "  (yours)" if each is chosen else ""
        note += "  (played)" if each.move == puzzle.played else ""
        table.add_row(
            f"{percent(each.win)} {spread(each.interval)}",
            "" if each is best else f"{percent(each.loss)} {spread(each.loss_interval)}",
            Text(words.words(puzzle.move_of(each)) + note),
        )
    return Group(title, *why, table)


def answer_notes(puzzle: Puzzle, choices: Sequence[Candidate], chosen: Candidate) -> list[Text]:
    """Return the verdict on a choice, the reasons, and the values of all moves, as short notes."""
    best, view = puzzle.candidates[0], ScoredView(puzzle.table, puzzle.view.position)
    letters = {each.move: letter for each, letter in zip(choices, LETTERS, strict=False)}
    notes = [Text(answer_title(puzzle, chosen), style="bold")]
    if chosen is not best:
        move = view.words(puzzle.move_of(best))
        notes.append(Text(f"Best: {letters[best.move]}  {move}", style="green"))
    notes += map(Text, why_best(puzzle, chosen))
    for each in puzzle.candidates:
        loss = f", loss {percent(each.loss)} {spread(each.loss_interval)} %"
        mark = " (yours)" if each is chosen else ""
        mark += " (played)" if each.move == puzzle.played else ""
        words = view.words(puzzle.move_of(each))
        win = f"{letters[each.move]}  wins {percent(each.win)} {spread(each.interval)} %"
        notes.append(Text(f"{win}{'' if each is best else loss}: {words}{mark}"))
    return notes


def answer_pages(
    puzzle: Puzzle, moves: Sequence[Move], notes: Sequence[Text], frame: Frame
) -> list[list[Text]]:
    """Return pages that show the notes below the deciding seat's view."""
    rows = rows_below(puzzle.table.board, frame)
    pages = pages_of(notes, frame.width, rows)
    return [draw_page(_scene(puzzle, moves, page), frame) for page in pages]


def puzzle_page(puzzle: Puzzle, moves: Sequence[Move], frame: Frame) -> list[Text]:
    """Return the page of a puzzle: the deciding seat's view, and the moves below it."""
    board, position = puzzle.table.board, puzzle.view.position
    view = ScoredView(puzzle.table, position)
    rows = rows_below(board, frame)
    has_hand_beside = size_for(board, frame) == "small" and rows < LOW_ROWS
    cards = ", ".join(_cards(view))
    hand = [] if has_hand_beside else fit([f"hand: {cards}"], frame.width)
    lettered = list(zip(LETTERS, moves, strict=False))
    words = [
        row
        for letter, move in lettered
        for row in hang(f"{letter}  {view.words(move)}", 3, frame.width)
    ]
    if len(words) + len(hand) > rows:
        short = [Text(f"{letter} {_short(move)}") for letter, move in lettered]
        words = [row for line in flow(short, 3, frame.width) for row in hang(line, 2, frame.width)]
    return draw_page(_scene(puzzle, moves, [*hand, *words]), frame)


def _cards(view: ScoredView) -> list[str]:
    """Return the deciding seat's cards with the points that they would score now."""
    values = card_values(view, view.view.seat)
    return [name if points == "-" else f"{name} {points}" for name, points in values]


def _scene(puzzle: Puzzle, moves: Sequence[Move], notes: Sequence[Text]) -> Scene:
    """Return a scene with the deciding seat's view, and notes below it."""
    position = puzzle.view.position
    return Scene(
        board=puzzle.table.board,
        position=position,
        names=[f"seat {seat}" for seat in range(position.players)],
        brief=["", "hand", *_cards(ScoredView(puzzle.table, position))],
        notes=notes,
        look=_numbered(moves),
    )


def _short(move: Move) -> str:
    """Return a move's notation, without the first word if all moves of the decision share it."""
    text = str(move)
    return text.partition(":")[2] if move.kind in (WALL, TOWERS, HOUSES, SWAP) else text


def _numbered(moves: Sequence[Move]) -> Look:
    """Return a look that numbers the places to which the moves refer."""
    cities = [
        move.place if move.kind == MERGE else move.city
        for move in moves
        if move.kind in (MERGE, FINAL)
    ]
    houses = [at for move in moves if move.kind == HOUSES for at, _ in move.put]
    return Look(
        line_ids=frozenset(move.place for move in moves if move.kind == WALL),
        tower_ids=frozenset(at for move in moves if move.kind == TOWERS for at, _ in move.put),
        space_ids=frozenset([*houses, *(city for city in cities if city not in (None, NONE))]),
    )
