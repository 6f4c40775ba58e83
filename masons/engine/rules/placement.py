"""Placing walls, towers and houses on the board, with all direct consequences.

Two tower spaces with towers belong to the same component, and have the same label, if walls connect
them. A wall between two tower spaces of one component closes a cycle and so completes exactly one
city. The flood fill therefore runs only for such walls. Labels are joined but never split: when a
city returns a wall to the supply, the border of the land outside stays connected without that wall.
On a board with holes, a cycle may surround a lake and enclose nothing. There, closing lines are
only candidates, and `settle_closing` checks each candidate before the next wall.

Busy play, and policies built on busy play, choose from the sets of lines TOUCHED, DOUBLE and
CLOSING. Functions with an argument `sets` update these sets if `sets` is true. Uniformly random
play does not need the sets and is faster without them.

The towers or houses to place are passed as the *step* of their outcome (see `roll_outcomes`). The
processor cannot predict which end of a wall has a tower or which color comes up, so a branch would
often be mispredicted. Arithmetic and small tables therefore place the pieces.
"""

from __future__ import annotations

from masons.engine.board import packed_board
from masons.engine.board.board_description import MAX_TOWERS
from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import Byte, Word, Words, bytes_of, halves_of, inlined, inner
from masons.engine.rules import roll_outcomes
from masons.engine.state import layout
from masons.engine.state.areas import encloses


@inlined
def drop_line(state: Words, w: Word, bit: Word) -> None:
    """Update TOUCHED, DOUBLE and CLOSING after a wall was placed on a line.

    The function removes the line from these sets. `bit` is the bit of the line in word `w`.
    """
    state[layout.TOUCHED + w] &= ~bit
    state[layout.DOUBLE + w] &= ~bit
    state[layout.CLOSING + w] &= ~bit


@inlined
def touch_lines(
    state: Words, board: Words, first: Word, second: Word, put_1: Word, put_2: Word
) -> None:
    """Update TOUCHED and DOUBLE after towers were placed at the ends of a wall.

    `first` and `second` are the tower spaces at the ends. `put_1` and `put_2` are 1 if a tower was
    placed at the first and second end, else 0.
    """
    for w in range(U(4)):
        lines = board[packed_board.TOWER_LINES + U(4) * first + w] & (~put_1 + U(1))
        lines |= board[packed_board.TOWER_LINES + U(4) * second + w] & (~put_2 + U(1))
        lines &= state[layout.OPEN + w]
        # No open line connects these two ends, because the only line between them carries the wall.
        touched = state[layout.TOUCHED + w]
        state[layout.DOUBLE + w] |= touched & lines
        state[layout.TOUCHED + w] = touched | lines


@inlined
def close_beside(state: Words, board: Words, tower: Word, label: Word, put: Word) -> None:
    """Update CLOSING after a tower was placed at `tower`, one end of a wall.

    `label` is the component of the other end. The other lines from `tower` to that component would
    now complete a city. Does nothing if `put` is 0.
    """
    b = bytes_of(state)
    table = bytes_of(board)
    alike = U(0)
    for j in range(U(6)):
        neighbor = U(table[packed_board.TOWER_NEXT + U(8) * tower + j])
        alike |= U(U(b[layout.LABELS_BYTE + neighbor]) == label) << j
    alike &= ~put + U(1)
    # One neighbor in the component is the other end of the wall itself.
    if alike & (alike - U(1)):
        _close_sides(state, board, tower, alike)


@inner
def _close_sides(state: Words, board: Words, tower: Word, sides: Word) -> None:
    """Add to CLOSING the open lines on some sides of a tower space.

    `sides` is a set of sides, numbered from 0 to 5.
    """
    while sides:
        line = U(bytes_of(board)[packed_board.TOWER_SIDES + U(8) * tower + lowest(sides)])
        sides &= sides - U(1)
        w = line >> U(6)
        state[layout.CLOSING + w] |= state[layout.OPEN + w] & (U(1) << (line & U(63)))


@inlined
def _within(state: Words, board: Words, line: Word) -> Word:
    """Return whether both ends of a line between two towers belong to the same component."""
    b = bytes_of(state)
    at = packed_board.LINE_PLACES + U(8) * line
    first, second = U(bytes_of(board)[at]), U(bytes_of(board)[at + U(1)])
    return b[layout.LABELS_BYTE + first] == b[layout.LABELS_BYTE + second]


@inner
def close_joined(state: Words, board: Words) -> None:
    """Update CLOSING after two components have been joined.

    The function adds the lines that would now complete a city.
    """
    for w in range(U(4)):
        lines = state[layout.DOUBLE + w] & ~state[layout.CLOSING + w]
        while lines:
            at = lowest(lines)
            lines &= lines - U(1)
            state[layout.CLOSING + w] |= U(_within(state, board, (w << U(6)) + at)) << at


@inner
def settle_closing(state: Words, board: Words) -> None:
    """Recompute CLOSING on a board with holes: the lines where a wall would enclose an area."""
    for w in range(U(4)):
        # DOUBLE may contain lines that already carry a wall if the sets were not updated.
        lines = state[layout.DOUBLE + w] & state[layout.OPEN + w]
        state[layout.CLOSING + w] = U(0)
        while lines:
            bit = lines & (~lines + U(1))
            line = (w << U(6)) + lowest(lines)
            lines ^= bit
            if not _within(state, board, line):
                continue
            state[layout.WALLS + w] |= bit
            if encloses(state, board, line):
                state[layout.CLOSING + w] |= bit
            state[layout.WALLS + w] ^= bit


_LABEL_COUNT = U(MAX_TOWERS)
_BEFORE_TOWERS = layout.TOWERS - U(2)
_HALF = U((1 << 32) - 1)


@inlined
def line_ends(board: Words, line: Word) -> tuple[Word, Word]:
    """Return the two tower spaces at the ends of a line."""
    at = packed_board.LINE_PLACES + U(8) * line
    return U(bytes_of(board)[at]), U(bytes_of(board)[at + U(1)])


@inner
def _relabel(state: Words, kept: Word, gone: Word) -> None:
    """Join two components by changing the label `gone` to `kept`."""
    b = bytes_of(state)
    old, new = Byte(gone), Byte(kept)
    for i in range(_LABEL_COUNT):
        label = b[layout.LABELS_BYTE + i]
        b[layout.LABELS_BYTE + i] = new if label == old else label


@inlined
def raise_wall(state: Words, board: Words, line: Word, sets: bool) -> tuple[Word, Word, Word]:
    """Put a wall on an open line.

    Returns three numbers: 1 if the wall completes a city, else 0, and then the labels of the first
    and second end.
    """
    b = bytes_of(state)
    first, second = line_ends(board, line)
    label_1, label_2 = U(b[layout.LABELS_BYTE + first]), U(b[layout.LABELS_BYTE + second])
    w = line >> U(6)
    bit = U(1) << (line & U(63))
    state[layout.WALLS + w] |= bit
    state[layout.OPEN + w] &= ~bit
    if sets:
        drop_line(state, w, bit)
    closes = U(0)
    if max(label_1, label_2) != layout.NONE:
        if label_1 == label_2:
            closes = U(1) if board[packed_board.HOLES] == U(0) else encloses(state, board, line)
        else:
            _relabel(state, label_1, label_2)
            label_2 = label_1
            if sets:
                close_joined(state, board)
    return closes, label_1, label_2


@inlined
def colors_placed(step: Word) -> tuple[Word, Word]:
    """Return the colors that a step puts at the first and second end, from 1, or 0 for no tower."""
    first = (step >> roll_outcomes.TOWER_FIRST) & roll_outcomes.TOWER_COLOR
    second = (step >> roll_outcomes.TOWER_SECOND) & roll_outcomes.TOWER_COLOR
    return first, second


@inlined
def _towers_placed(step: Word) -> tuple[Word, Word]:
    """Return for both ends 1 if a step puts a tower there, else 0.

    This is arithmetic because the compiler would turn a condition into branches.
    """
    first, second = colors_placed(step)
    return (first + roll_outcomes.TOWER_COLOR) >> U(2), (second + roll_outcomes.TOWER_COLOR) >> U(2)


@inlined
def raise_towers(state: Words, board: Words, line: Word, step: Word) -> None:
    """Put the towers of an outcome into TOWERS, at the ends of the wall on a line.

    `step` is the step of the outcome (see `roll_outcomes`).
    """
    first, second = line_ends(board, line)
    color_1, color_2 = colors_placed(step)
    put_1, put_2 = _towers_placed(step)
    # If no tower is placed, the word before TOWERS is addressed and nothing is added to it.
    state[_BEFORE_TOWERS + U(2) * color_1 + (first >> U(6))] |= put_1 << (first & U(63))
    state[_BEFORE_TOWERS + U(2) * color_2 + (second >> U(6))] |= put_2 << (second & U(63))


@inlined
def join_towers(
    state: Words, board: Words, line: Word, labels: tuple[Word, Word], step: Word, sets: bool
) -> None:
    """Label the towers that a step puts at the ends of the wall on a line.

    `labels` are the labels of the ends, as returned by `raise_wall`.
    """
    b = bytes_of(state)
    first, second = line_ends(board, line)
    label_1, label_2 = labels
    put_1, put_2 = _towers_placed(step)
    label = min(label_1, label_2)
    label = first if label == layout.NONE else label
    if sets:
        touch_lines(state, board, first, second, put_1, put_2)
        close_beside(state, board, second if put_2 else first, label, put_1 | put_2)
    b[layout.LABELS_BYTE + first] = label if put_1 else label_1
    b[layout.LABELS_BYTE + second] = label if put_2 else label_2


@inlined
def raise_houses(state: Words, board: Words, line: Word, step: Word) -> Word:
    """Put houses beside the wall on a line.

    `step` encodes the houses of an outcome (see `roll_outcomes`). Returns the increase in
    LAND_HOUSES.
    """
    halves = halves_of(state)
    places = bytes_of(board)
    at = packed_board.LINE_PLACES + U(8) * line
    pieces = roll_outcomes.HOUSE_PIECES[step >> roll_outcomes.HOUSE_CODE]
    halves[layout.SPACES_HALF + U(places[at + U(2)])] += pieces & _HALF
    halves[layout.SPACES_HALF + U(places[at + U(3)])] += pieces >> U(32)
    return (step & roll_outcomes.HOUSE_COUNTS) + board[packed_board.LINE_LAND + line]


@inlined
def lacking_house(board: Words, line: Word, step: Word) -> Word:
    """Return the correction to subtract from LAND_HOUSES after the game's last house.

    `raise_houses` counts a house in the region of each space beside the line, but the last house
    fills only one of two spaces. The correction is 0 if both spaces got a house, or if there is
    only one space beside the line.
    """
    places = bytes_of(board)
    at = packed_board.LINE_PLACES + U(8) * line
    pieces = roll_outcomes.HOUSE_PIECES[step >> roll_outcomes.HOUSE_CODE]
    if not places[at + U(6)] or (pieces & _HALF and pieces >> U(32)):
        return U(0)
    region = U(places[at + (U(5) if pieces & _HALF else U(4))])
    return U(1) << (U(packed_board.LAND_REGION_SHIFT) + U(8) * region)


@inlined
def ended_by(walls: Word, towers: Word, houses: Word) -> Word:
    """Return the reason for the end of the game (END_WALLS and so on), or 0 if no supply is empty.

    The arguments are the supplies of walls, towers and houses. If several supplies are empty, the
    reason is the supply that ran out first. Within a turn, walls are placed first and houses last.
    """
    end = layout.END_HOUSES if houses == U(0) else U(0)
    end = layout.END_TOWERS if towers == U(0) else end
    return layout.END_WALLS if walls == U(0) else end


@inlined
def _note_end(state: Words) -> None:
    b = bytes_of(state)
    if b[layout.END] == U(0):
        b[layout.END] = ended_by(
            U(b[layout.WALL_LEFT]), state[layout.TOWER_SUPPLY], state[layout.HOUSE_SUPPLY]
        )


@inlined
def put_wall(state: Words, board: Words, line: Word, sets: bool) -> None:
    """Put this turn's wall on an open line."""
    b = bytes_of(state)
    closes, _, _ = raise_wall(state, board, line, sets)
    b[layout.LINE], b[layout.CLOSES] = line, closes
    b[layout.WALL_LEFT] = U(b[layout.WALL_LEFT]) - U(1)
    _note_end(state)


@inlined
def place_towers(state: Words, board: Words, line: Word, step: Word, sets: bool) -> None:
    """Put towers, given as the step of an outcome, at the ends of this turn's wall."""
    b = bytes_of(state)
    first, second = line_ends(board, line)
    labels = U(b[layout.LABELS_BYTE + first]), U(b[layout.LABELS_BYTE + second])
    raise_towers(state, board, line, step)
    join_towers(state, board, line, labels, step, sets)
    state[layout.TOWER_SUPPLY] -= roll_outcomes.tower_bytes(step)
    _note_end(state)


@inlined
def place_houses(state: Words, board: Words, line: Word, step: Word) -> None:
    """Put houses, given as the step of an outcome, beside this turn's wall."""
    state[layout.LAND_HOUSES] += raise_houses(state, board, line, step)
    state[layout.HOUSE_SUPPLY] -= step & roll_outcomes.HOUSE_COUNTS
    if state[layout.HOUSE_SUPPLY] == U(0):
        state[layout.LAND_HOUSES] -= lacking_house(board, line, step)
    _note_end(state)
