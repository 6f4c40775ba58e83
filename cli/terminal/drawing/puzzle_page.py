"""A puzzle on a terminal: the page of `play`, with the moves to choose from below the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from masons.cli.terminal.drawing.text_board import Look
from masons.cli.terminal.drawing.text_page import (
    LOW,
    Frame,
    Scene,
    draw_page,
    fit,
    rows_below,
    size_for,
)
from masons.cli.terminal.drawing.text_panels import card_values
from masons.engine.state.packed_move import FINAL, HOUSES, MERGE, SWAP, TOWERS, WALL
from masons.match.playing.scored_view import ScoredView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from masons.ai.practice.puzzles import Puzzle
    from masons.engine.formats.move_text import Move

LETTERS = "abcdefghij"
_GAP = 3  # columns between moves in a row


def puzzle_page(puzzle: Puzzle, moves: Sequence[Move], frame: Frame) -> list[Text]:
    """The position as its seat sees it and the moves, in the words that find room below it."""
    board, position = puzzle.table.board, puzzle.view.position
    view = ScoredView(puzzle.table, position)
    values = card_values(view, position.seat)
    cards = [name if points == "-" else f"{name} {points}" for name, points in values]
    rows = rows_below(board, frame)
    is_low = size_for(board, frame) == "small" and rows < LOW  # the hand stands beside the board
    hand = [] if is_low else fit([f"hand: {', '.join(cards)}"], frame.width)
    lettered = list(zip(LETTERS, moves, strict=False))
    words = fit([f"{letter}  {view.words(move)}" for letter, move in lettered], frame.width)
    if len(words) + len(hand) > rows:
        words = fit(
            _in_rows([f"{a} {_short(move)}" for a, move in lettered], frame.width), frame.width
        )
    scene = Scene(
        board=board,
        position=position,
        names=[f"seat {seat}" for seat in range(position.players)],
        brief=["", "hand", *cards],
        notes=[*hand, *words],
        look=_numbered(moves),
    )
    return draw_page(scene, frame)


def _short(move: Move) -> str:
    """A move as it is written, without the word that all of a decision share."""
    text = str(move)
    return text.partition(":")[2] if move.kind in (WALL, TOWERS, HOUSES, SWAP) else text


def _in_rows(words: Sequence[str], width: int) -> list[str]:
    """As many in a row as fit."""
    rows = [words[0]]
    for word in words[1:]:
        if len(rows[-1]) + _GAP + len(word) <= width:
            rows[-1] += " " * _GAP + word
        else:
            rows.append(word)
    return rows


def _numbered(moves: Sequence[Move]) -> Look:
    """The places of the moves are numbered on the board."""
    places: dict[int, set[int]] = {WALL: set(), TOWERS: set(), HOUSES: set()}
    for move in moves:
        if move.kind == WALL:
            places[WALL].add(move.place)
        elif move.kind in (TOWERS, HOUSES):
            places[move.kind].update(place for place, _ in move.put)
        elif move.kind == MERGE and move.place is not None:
            places[HOUSES].add(move.place)
        elif move.kind == FINAL and move.city is not None:
            places[HOUSES].add(move.city)
    return Look(
        line_ids=frozenset(places[WALL]),
        tower_ids=frozenset(places[TOWERS]),
        space_ids=frozenset(places[HOUSES]),
    )
