"""Putting walls, towers and houses on the board, and what follows at once from each.

Components: two tower spaces with towers have the same label when walls connect them. A wall put
between two tower spaces of one component closes a cycle and with it exactly one city, so the flood
fill runs only then. Labels are joined, never split: a wall that a city gives back never touches the
land outside, and the border of the land outside stays connected without it. On a board with holes
a cycle may run round a lake and enclose nothing, so there the flood fill decides.

Which end of a wall has a tower and which colour comes up is as good as random: what is put where is
worked out by arithmetic and small tables, since a branch on it would be predicted wrong.

`sets` says whether to keep TOUCHED, DOUBLE and CLOSING right (see `lines`): only players that look
at them need them, and uniform random play is faster without.
"""

from __future__ import annotations

from masons.engine.board.board_description import MAX_TOWERS
from masons.engine.board.packed_board import HOLES, LAND_REGION_SHIFT, LINE_LAND, LINE_PLACES
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Byte, Word, Words, bytes_of, halves_of, inlined, inner
from masons.engine.rules.lines import close_beside, close_joined, drop_line, touch_lines
from masons.engine.rules.roll_outcomes import (
    HOUSE_CODE,
    HOUSE_COUNTS,
    HOUSE_PIECES,
    TOWER_COLOR,
    TOWER_FIRST,
    TOWER_SECOND,
    tower_bytes,
)
from masons.engine.state.areas import encloses
from masons.engine.state.layout import (
    CLOSES,
    END,
    END_HOUSES,
    END_TOWERS,
    END_WALLS,
    HOUSE_SUPPLY,
    LABELS_BYTE,
    LAND_HOUSES,
    LINE,
    NONE,
    OPEN,
    SPACES_HALF,
    TOWER_SUPPLY,
    TOWERS,
    WALL_LEFT,
    WALLS,
)

_LABEL_COUNT = U(MAX_TOWERS)
_BEFORE_TOWERS = TOWERS - U(2)
_HALF = U((1 << 32) - 1)


@inlined
def line_ends(board: Words, line: Word) -> tuple[Word, Word]:
    """The two tower spaces at the ends of a line."""
    at = LINE_PLACES + U(8) * line
    return U(bytes_of(board)[at]), U(bytes_of(board)[at + U(1)])


@inner
def _relabel(state: Words, kept: Word, gone: Word) -> None:
    """Make two components one."""
    b = bytes_of(state)
    old, new = Byte(gone), Byte(kept)
    for i in range(_LABEL_COUNT):
        label = b[LABELS_BYTE + i]
        b[LABELS_BYTE + i] = new if label == old else label


@inlined
def raise_wall(state: Words, board: Words, line: Word, sets: bool) -> tuple[Word, Word, Word]:
    """Put a wall on an open line: 1 if it completes a city, else 0, and the labels of its ends."""
    b = bytes_of(state)
    first, second = line_ends(board, line)
    label_1, label_2 = U(b[LABELS_BYTE + first]), U(b[LABELS_BYTE + second])
    w = line >> U(6)
    bit = U(1) << (line & U(63))
    state[WALLS + w] |= bit
    state[OPEN + w] &= ~bit
    if sets:
        drop_line(state, w, bit)
    closes = U(0)
    if max(label_1, label_2) != NONE:
        if label_1 == label_2:
            closes = U(1) if board[HOLES] == U(0) else encloses(state, board, line)
        else:
            _relabel(state, label_1, label_2)
            label_2 = label_1
            if sets:
                close_joined(state, board)
    return closes, label_1, label_2


@inlined
def raise_towers(
    state: Words, board: Words, line: Word, labels: tuple[Word, Word], step: Word, sets: bool
) -> None:
    """Put the towers of an outcome (its step) at the ends of the wall on a line."""
    b = bytes_of(state)
    first, second = line_ends(board, line)
    label_1, label_2 = labels
    color_1, color_2 = (step >> TOWER_FIRST) & TOWER_COLOR, (step >> TOWER_SECOND) & TOWER_COLOR
    # 1 or 0 by arithmetic: the compiler makes branches of a condition.
    put_1, put_2 = (color_1 + TOWER_COLOR) >> U(2), (color_2 + TOWER_COLOR) >> U(2)
    # Where no tower is put it is another word, and nothing is added.
    state[_BEFORE_TOWERS + U(2) * color_1 + (first >> U(6))] |= put_1 << (first & U(63))
    state[_BEFORE_TOWERS + U(2) * color_2 + (second >> U(6))] |= put_2 << (second & U(63))
    label = min(label_1, label_2)
    label = first if label == NONE else label
    if sets:
        touch_lines(state, board, first, second, put_1, put_2)
        close_beside(state, board, second if put_2 else first, label, put_1 | put_2)
    b[LABELS_BYTE + first] = label if put_1 else label_1
    b[LABELS_BYTE + second] = label if put_2 else label_2


@inlined
def raise_houses(state: Words, board: Words, line: Word, step: Word) -> Word:
    """Put the houses of an outcome (its step) beside the wall on a line; what LAND_HOUSES gains."""
    halves = halves_of(state)
    places = bytes_of(board)
    at = LINE_PLACES + U(8) * line
    pieces = HOUSE_PIECES[step >> HOUSE_CODE]
    halves[SPACES_HALF + U(places[at + U(2)])] += pieces & _HALF
    halves[SPACES_HALF + U(places[at + U(3)])] += pieces >> U(32)
    return (step & HOUSE_COUNTS) + board[LINE_LAND + line]


@inlined
def lacking_house(board: Words, line: Word, step: Word) -> Word:
    """Return what `raise_houses` counts too much where the last house is one for two spaces."""
    places = bytes_of(board)
    at = LINE_PLACES + U(8) * line
    pieces = HOUSE_PIECES[step >> HOUSE_CODE]
    if not places[at + U(6)] or (pieces & _HALF and pieces >> U(32)):
        return U(0)
    region = U(places[at + (U(5) if pieces & _HALF else U(4))])
    return U(1) << (U(LAND_REGION_SHIFT) + U(8) * region)


@inlined
def ended_by(walls: Word, towers: Word, houses: Word) -> Word:
    """Return what ends the game where this is left: what ran out first in a turn; 0 if nothing."""
    end = END_HOUSES if houses == U(0) else U(0)
    end = END_TOWERS if towers == U(0) else end
    return END_WALLS if walls == U(0) else end


@inlined
def _note_end(state: Words) -> None:
    b = bytes_of(state)
    if b[END] == U(0):
        b[END] = ended_by(U(b[WALL_LEFT]), state[TOWER_SUPPLY], state[HOUSE_SUPPLY])


@inlined
def put_wall(state: Words, board: Words, line: Word, sets: bool) -> None:
    """Put this turn's wall on an open line."""
    b = bytes_of(state)
    closes, _, _ = raise_wall(state, board, line, sets)
    b[LINE], b[CLOSES] = line, closes
    b[WALL_LEFT] = U(b[WALL_LEFT]) - U(1)
    _note_end(state)


@inlined
def place_towers(state: Words, board: Words, line: Word, step: Word, sets: bool) -> None:
    """Put the towers of an outcome (its step) at the ends of this turn's wall."""
    b = bytes_of(state)
    first, second = line_ends(board, line)
    labels = U(b[LABELS_BYTE + first]), U(b[LABELS_BYTE + second])
    raise_towers(state, board, line, labels, step, sets)
    state[TOWER_SUPPLY] -= tower_bytes(step)
    _note_end(state)


@inlined
def place_houses(state: Words, board: Words, line: Word, step: Word) -> None:
    """Put the houses of an outcome (its step) beside this turn's wall."""
    state[LAND_HOUSES] += raise_houses(state, board, line, step)
    state[HOUSE_SUPPLY] -= step & HOUSE_COUNTS
    if state[HOUSE_SUPPLY] == U(0):
        state[LAND_HOUSES] -= lacking_house(board, line, step)
    _note_end(state)
