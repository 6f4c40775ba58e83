"""Areas of the board: growing one inside its walls, its border lines and its corners.

An area is a set of spaces in two words (lower, upper).
"""

from __future__ import annotations

from masons.engine.bits import U, has, lowest
from masons.engine.jit import Words, bytes_of, inner
from masons.engine.layout import NONE, WALLS
from masons.engine.topology import SPACE_LINES, SPACE_NEXT, SPACE_SIDES, SPACE_TOWERS


@inner
def _single(space: int) -> tuple[int, int]:
    """The area of one space; the empty area for NONE."""
    low = U(1) << (space & U(63))
    half = space >> U(6)
    return (low if half == U(0) else U(0)), (low if half == U(1) else U(0))


@inner
def _take(lo: int, hi: int) -> tuple[int, int, int]:
    """The lowest space of an area that is not empty, and the area without it."""
    if lo:
        return lowest(lo), lo & (lo - U(1)), hi
    return U(64) + lowest(hi), lo, hi & (hi - U(1))


@inner
def enclosed_area(state: Words, board: Words, first: int, second: int) -> tuple[int, int]:
    """The area that walls enclose on one side of a line: that of space `first` or of `second`.

    `second` is NONE where only the first can be enclosed. Both sides grow by turns, space by space,
    so the work is twice the smaller one's; a side that reaches the board's edge is not enclosed.
    """
    table = bytes_of(board)
    seen_lo, seen_hi = _single(first)
    todo_lo, todo_hi = seen_lo, seen_hi
    rest_lo, rest_hi = _single(second)
    next_lo, next_hi = rest_lo, rest_hi
    alone = second == NONE
    while todo_lo | todo_hi:
        space, todo_lo, todo_hi = _take(todo_lo, todo_hi)
        outside = False
        for j in range(U(3)):
            if has(state, WALLS, U(table[SPACE_SIDES + U(4) * space + j])):
                continue
            beside = U(table[SPACE_NEXT + U(4) * space + j])
            if beside == NONE:
                outside = True
                break
            new_lo, new_hi = _single(beside)
            todo_lo |= new_lo & ~seen_lo
            todo_hi |= new_hi & ~seen_hi
            seen_lo |= new_lo
            seen_hi |= new_hi
        if outside or (not alone and (todo_lo | todo_hi)):
            alone = alone or outside
            todo_lo, next_lo = next_lo, todo_lo
            todo_hi, next_hi = next_hi, todo_hi
            seen_lo, rest_lo = rest_lo, seen_lo
            seen_hi, rest_hi = rest_hi, seen_hi
    return seen_lo, seen_hi


@inner
def city_area(state: Words, board: Words, root: int) -> tuple[int, int]:
    """The area of the completed city that `root` belongs to."""
    return enclosed_area(state, board, root, NONE)


@inner
def lines_of(
    board: Words, lo: int, hi: int
) -> tuple[int, int, int, int, int, int, int, int]:
    """The lines of an area's spaces: four words for its border, four for all of them."""
    x0 = x1 = x2 = x3 = U(0)
    a0 = a1 = a2 = a3 = U(0)
    while lo | hi:
        space, lo, hi = _take(lo, hi)
        at = SPACE_LINES + U(4) * space
        # A line inside occurs twice, so that exclusive or leaves the border.
        x0, a0 = x0 ^ board[at], a0 | board[at]
        x1, a1 = x1 ^ board[at + U(1)], a1 | board[at + U(1)]
        x2, a2 = x2 ^ board[at + U(2)], a2 | board[at + U(2)]
        x3, a3 = x3 ^ board[at + U(3)], a3 | board[at + U(3)]
    return x0, x1, x2, x3, a0, a1, a2, a3


@inner
def corners(board: Words, lo: int, hi: int) -> tuple[int, int]:
    """The tower spaces at the corners of an area's spaces, a set of two words."""
    corners_lo = corners_hi = U(0)
    while lo | hi:
        space, lo, hi = _take(lo, hi)
        at = SPACE_TOWERS + U(2) * space
        corners_lo |= board[at]
        corners_hi |= board[at + U(1)]
    return corners_lo, corners_hi
