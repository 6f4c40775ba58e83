"""The moves of a decision as a person chooses them: in groups, best known first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from masons.engine.formats.move_text import Move, early_roll_move
from masons.engine.plain_words import count
from masons.engine.state import layout as at
from masons.engine.state.packed_move import ABSTAIN, WALL
from masons.engine.state.position import members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.engine.game.observation import Observation
    from masons.match.playing.scored_view import ScoredView

# Of a swap only these are listed: any other is typed by its cards.
MOST: Final = 500


@dataclass(frozen=True)
class Item:
    """A move that can be chosen by a key: a number, that of the line for a wall."""

    key: str
    move: Move
    words: str


@dataclass(frozen=True)
class Lines:
    """Lines for a wall that have something in common."""

    title: str
    lines: tuple[int, ...]
    notes: tuple[str, ...] = ()  # for each line, if there is something to say


def menu_items(scored_view: ScoredView, moves: Sequence[Move]) -> list[Item]:
    """The moves with their keys; points first where there are any."""
    if any(move.kind == WALL for move in moves[:2]):
        return [
            Item(str(move.place), move, scored_view.words(move))
            for move in moves
            if move.kind == WALL
        ]
    some = list(moves[:MOST])
    ordered = sorted(some, key=lambda m: (m.kind == ABSTAIN, -sum(scored_view.move_points(m))))
    return [Item(str(at), move, scored_view.words(move)) for at, move in enumerate(ordered, 1)]


def line_groups(scored_view: ScoredView, view: Observation) -> list[Lines]:
    """The open lines: those that complete a city, those between two towers, beside one, others."""
    sets = [
        members(view.state, int(base), 4) for base in (at.CLOSING, at.DOUBLE, at.TOUCHED, at.OPEN)
    ]
    listed: set[int] = set()
    groups = []
    titles = ("completes a city", "between two towers", "beside a tower", "elsewhere")
    for number, (title, found) in enumerate(zip(titles, sets, strict=True)):
        lines = tuple(line for line in found if line not in listed)
        listed.update(lines)
        if lines:
            notes = tuple(_size(scored_view, line) for line in lines) if number == 0 else ()
            groups.append(Lines(title, lines, notes))
    return groups


def _size(scored_view: ScoredView, line: int) -> str:
    cities = scored_view.closed_by(line)
    return count(max(map(len, cities), default=0), "space")


def line_moves(moves: Sequence[Move]) -> list[int]:
    """The lines that may be walled."""
    return [move.place for move in moves if move.kind == WALL]


def may_roll_early(moves: Sequence[Move]) -> bool:
    """Whether the dice may be rolled before the wall."""
    return early_roll_move() in moves
