"""The areas that walls enclose, found by flood fill, and the borders and corners of areas.

An area is a set of spaces, stored as a bitset of two words: `lo` holds spaces 0 to 63, and `hi`
holds spaces 64 to 127.
"""

from __future__ import annotations

from typing import NamedTuple

from masons.engine.board import packed_board
from masons.engine.kernels.bits import U, lowest, opaque
from masons.engine.kernels.jit import Word, Words, bytes_of, inlined, inner, shared
from masons.engine.state.layout import NONE, WALLS


class Outline(NamedTuple):
    """The outline of an area."""

    border: tuple[Word, Word, Word, Word]  # the set of lines around the area
    lines: tuple[Word, Word, Word, Word]  # the set of all lines of the area's spaces
    corners: tuple[Word, Word]  # the set of tower spaces at its corners


NO_OUTLINE = Outline((U(0),) * 4, (U(0),) * 4, (U(0),) * 2)


@inner
def _single(space: Word) -> tuple[Word, Word]:
    """Return the area that consists of one space, or the empty area for NONE."""
    low = U(1) << (space & U(63))
    half = space >> U(6)
    return (low if half == U(0) else U(0)), (low if half == U(1) else U(0))


@inner
def _some(area: tuple[Word, Word]) -> Word:
    """Return 1 if an area contains a space, else 0."""
    return U(area[0] | area[1] != U(0))


@inner
def take_space(lo: Word, hi: Word) -> tuple[Word, Word, Word]:
    """Return the lowest space of a nonempty area, and the area without that space."""
    # Arithmetic, because a branch would often be mispredicted.
    is_high = U(lo == U(0))
    return (is_high << U(6)) + lowest(hi if is_high else lo), lo & (lo - U(1)), hi & (hi - is_high)


@inlined
def _beside(state: Words, board: Words, space: Word) -> tuple[Word, Word, Word]:
    """Return the neighboring spaces that no wall separates from a space, as two words.

    The third word is not 0 if a side of the space lies on the edge of the board and has no wall.
    """
    table, at = bytes_of(board), packed_board.SPACE_BESIDE + U(8) * space
    lo = hi = walls = U(0)
    # The processor cannot predict where walls stand, so this code uses arithmetic, not branches.
    for j in range(U(3)):
        line = U(table[packed_board.SPACE_SIDES + U(4) * space + j])
        wall = (state[WALLS + (line >> U(6))] >> (line & U(63))) & U(1)
        free = wall - U(1)  # all bits set if there is no wall, else none
        lo |= board[at + U(2) * j] & free
        hi |= board[at + U(2) * j + U(1)] & free
        walls |= wall << j
    return lo, hi, board[at + U(6)] & ~walls


@inlined
def _grow(
    state: Words, board: Words, area: tuple[Word, Word], todo: tuple[Word, Word]
) -> tuple[tuple[Word, Word], tuple[Word, Word], Word]:
    """Take the lowest space of `todo`, and add its neighbors to the area and to `todo`.

    `todo` holds the spaces of the area whose neighbors have not been added yet. Returns the new
    area, the new `todo`, and a word that is not 0 if the space lies open to the edge of the board.
    """
    space, todo_lo, todo_hi = take_space(todo[0], todo[1])
    new_lo, new_hi, edge = _beside(state, board, space)
    todo = (todo_lo | (new_lo & ~area[0]), todo_hi | (new_hi & ~area[1]))
    return (area[0] | new_lo, area[1] | new_hi), todo, edge


@inner
def enclosed_area(state: Words, board: Words, first: Word, second: Word) -> tuple[Word, Word]:
    """Return the area that walls enclose around space `first` or space `second`.

    The two spaces lie on the two sides of a line; pass NONE as `second` to look at `first` alone.
    The area returned is empty if walls enclose neither space.

    An area grows around each space, and the two areas grow in turns, one space at a time. They stop
    when one area cannot grow any more, and so is enclosed, or when one area reaches the edge of the
    board, and so is not enclosed. In the second case, the other area grows on alone.
    """
    area = todo = _single(first)
    if second != NONE:
        other = other_todo = _single(second)
        edge = other_edge = U(0)
        # One branch for three conditions, which the processor cannot predict one by one.
        while opaque(_some(todo) & _some(other_todo) & U(edge | other_edge == U(0))):
            area, todo, edge = _grow(state, board, area, todo)
            other, other_todo, other_edge = _grow(state, board, other, other_todo)
        is_other = opaque(U(edge != U(0)) | U(other_edge | _some(other_todo) == U(0)))
        area = other[0] if is_other else area[0], other[1] if is_other else area[1]
        todo = other_todo[0] if is_other else todo[0], other_todo[1] if is_other else todo[1]
    while todo[0] | todo[1]:
        area, todo, edge = _grow(state, board, area, todo)
        if edge:
            return U(0), U(0)
    return area


@shared
def encloses(state: Words, board: Words, line: Word) -> Word:
    """Return 1 if walls enclose an area on either side of a line, else 0."""
    table = bytes_of(board)
    for j in range(U(2)):
        lo, hi = enclosed_area(
            state, board, U(table[packed_board.LINE_SPACES + U(2) * line + j]), NONE
        )
        if lo | hi:
            return U(1)
    return U(0)


@inlined
def add_to_outline(board: Words, space: Word, area: Outline) -> Outline:
    """Return an area's outline after adding one space that the area does not contain yet."""
    b0, b1, b2, b3 = area.border
    a0, a1, a2, a3 = area.lines
    lo, hi = area.corners
    at, towers = packed_board.SPACE_LINES + U(4) * space, packed_board.SPACE_TOWERS + U(2) * space
    l0, l1, l2, l3 = board[at], board[at + U(1)], board[at + U(2)], board[at + U(3)]
    # A line between two spaces of the area occurs twice, so exclusive or leaves only the border.
    return Outline(
        (b0 ^ l0, b1 ^ l1, b2 ^ l2, b3 ^ l3),
        (a0 | l0, a1 | l1, a2 | l2, a3 | l3),
        (lo | board[towers], hi | board[towers + U(1)]),
    )


@inner
def outline(board: Words, lo: Word, hi: Word) -> Outline:
    """Return the outline of an area."""
    area = NO_OUTLINE
    while lo | hi:
        space, lo, hi = take_space(lo, hi)
        area = add_to_outline(board, space, area)
    return area


@inner
def corners(board: Words, lo: Word, hi: Word) -> tuple[Word, Word]:
    """Return the tower spaces at the corners of an area's spaces, as a set of two words."""
    corners_lo = corners_hi = U(0)
    while lo | hi:
        space, lo, hi = take_space(lo, hi)
        corners_lo |= board[packed_board.SPACE_TOWERS + U(2) * space]
        corners_hi |= board[packed_board.SPACE_TOWERS + U(2) * space + U(1)]
    return corners_lo, corners_hi
