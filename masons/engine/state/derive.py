"""Packed states made from scratch: the state before the first turn, and the state of a position.

The code is plain Python and computes each field of a state anew. The tests therefore also use this
module to check the fields that kernels update move by move.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from masons.engine.board import components as box
from masons.engine.board.geometry import Board
from masons.engine.board.packed_board import ALL_LINES, PackedBoard, put_item
from masons.engine.kernels.jit import aligned_zeros
from masons.engine.state import layout
from masons.engine.state.packed_move import PHASE_NAMES
from masons.engine.state.position import Cards, Position, one_of
from masons.engine.state.position_checks import enclosed_areas, need, standing_cities


def _per_color(count: int, colors: Sequence[str]) -> int:
    """Return a supply word that has the same count in a byte for each color."""
    return sum(count << (8 * i) for i in range(len(colors)))


def empty_state(
    table: PackedBoard, players: int, *, first: int = 0, early_roll: bool = False
) -> layout.State:
    """Return the state before the first turn, with all 60 cards in the deck and no hands dealt.

    The state is a uint64[STATE_WORDS]; call `deal_hands` to deal the cards.
    """
    state = aligned_zeros(layout.STATE_WORDS, np.uint64)
    small = state.view(np.uint8)
    state[int(layout.OPEN) : int(layout.OPEN) + 4] = table[int(ALL_LINES) : int(ALL_LINES) + 4]
    state[int(layout.DECK)] = layout.ALL_CARDS
    state[int(layout.TOWER_SUPPLY)] = _per_color(box.TOWERS_PER_COLOR, box.TOWER_COLORS)
    state[int(layout.HOUSE_SUPPLY)] = _per_color(box.HOUSES_PER_COLOR, box.HOUSE_COLORS)
    state[int(layout.PALACE_SUPPLY)] = _per_color(box.PALACES_PER_COLOR, box.HOUSE_COLORS)
    small[int(layout.LABELS_BYTE) : int(layout.SPACES) * 8] = int(layout.NONE)
    small[int(layout.WALL_LEFT)] = box.WALLS
    small[int(layout.PLAYERS)] = players
    small[int(layout.ACTIVE)] = small[int(layout.SEAT)] = first
    for field in (layout.LINE, layout.DIE, layout.CITY):
        small[int(field)] = int(layout.NONE)
    small[int(layout.OPTIONS)] = int(layout.EARLY_ROLL_OPTION) if early_roll else 0
    return state


def deal_hands(state: layout.State, hands: Sequence[Sequence[int]]) -> None:
    """Move the cards of each hand from the deck to its seat (`state` is modified in place).

    `hands[seat]` lists kinds of cards, from 0 to 29.
    """
    deck = int(state[int(layout.DECK)])
    for seat, hand in enumerate(hands):
        for kind in hand:
            card = one_of(deck, kind)
            deck ^= card
            state[int(layout.HANDS) + seat] |= np.uint64(card)
    state[int(layout.DECK)] = deck


def components(board: Board, position: Position) -> dict[int, int]:
    """Return the component label of each tower.

    The label is the lowest tower space that walls connect to the tower.
    """
    label = {tower: tower for tower in position.towers}
    changed = True
    while changed:
        changed = False
        for line in position.walls:
            first, second = board.line_towers[line]
            if first in label and second in label and label[first] != label[second]:
                label[first] = label[second] = min(label[first], label[second])
                changed = True
    return label


def _fill_lines(state: layout.State, board: Board, position: Position) -> None:
    inside = frozenset().union(*position.cities)
    label, areas = components(board, position), len(enclosed_areas(board, position.walls))
    for line, (spaces, (a, b)) in enumerate(zip(board.line_spaces, board.line_towers, strict=True)):
        beside_city = any(space in inside for space in spaces)
        if beside_city:
            put_item(state, layout.CITY_LINES, line)
        if line in position.walls or beside_city:
            state[int(layout.OPEN) + line // 64] &= ~np.uint64(1 << (line % 64))
            continue
        if a in label or b in label:
            put_item(state, layout.TOUCHED, line)
        if a in label and b in label:
            put_item(state, layout.DOUBLE, line)
            is_loop = label[a] == label[b]
            if is_loop and len(enclosed_areas(board, position.walls | {line})) > areas:
                put_item(state, layout.CLOSING, line)
    small = state.view(np.uint8)
    for tower, lowest in label.items():
        small[int(layout.LABELS_BYTE) + tower] = lowest


def city_towers(board: Board, position: Position) -> set[int]:
    """Return the tower spaces whose tower stands at an end of a wall around a completed city."""
    inside = frozenset().union(*position.cities)
    return {
        tower
        for line in position.walls
        if any(space in inside for space in board.line_spaces[line])
        for tower in board.line_towers[line]
        if tower in position.towers
    }


def _fill_land(state: layout.State, board: Board, position: Position) -> None:
    inside = frozenset().union(*position.cities)
    for tower in city_towers(board, position):
        put_item(state, layout.CITY_TOWERS, tower)
    state[int(layout.CITIES)] = len(position.cities)
    counts = [0] * 8
    for space, houses in position.houses.items():
        if space not in inside:
            for color, count in enumerate(houses):
                counts[color] += count
                counts[4 + board.space_region[space]] += count
    base = int(layout.LAND_HOUSES) * 8
    state.view(np.uint8)[base : base + 8] = counts


def _fill_pieces(state: layout.State, position: Position) -> None:
    small = state.view(np.uint8)
    spaces = state.view(np.uint32)[int(layout.SPACES_HALF) :]
    for city in position.cities:
        for space in city:
            spaces[space] = int(layout.IN_CITY) | min(city)
        spaces[min(city)] = int(layout.IS_CITY)
    for shift, width, where, supply in (
        (0, 4, position.houses, int(layout.HOUSE_SUPPLY) * 8),
        (20, 2, position.palaces, int(layout.PALACE_SUPPLY) * 8),
    ):
        for space, counts in where.items():
            for color, count in enumerate(counts):
                spaces[space] |= count << (shift + width * color)
                small[supply + color] -= count
    for line in position.walls:
        put_item(state, layout.WALLS, line)
    small[int(layout.WALL_LEFT)] -= len(position.walls)
    for tower, color in position.towers.items():
        put_item(state, int(layout.TOWERS) + 2 * color, tower)
        small[int(layout.TOWER_SUPPLY) * 8 + color] -= 1


def _fill_turn(state: layout.State, board: Board, position: Position) -> None:
    small = state.view(np.uint8)
    small[int(layout.ACTIVE)] = position.active
    small[int(layout.SEAT)] = position.seat
    small[int(layout.PHASE)] = PHASE_NAMES.index(position.phase)
    small[int(layout.END)] = layout.END_NAMES.index(position.end)
    small[int(layout.ROLLED)] = position.rolled
    small[int(layout.DUE)] = position.due
    small[int(layout.QUEUE)] = sum(1 << seat for seat in position.queue)
    state[int(layout.SCORES)] = sum(s << (16 * seat) for seat, s in enumerate(position.scores))
    state[int(layout.TURN)] = position.turn
    if position.city is not None:
        small[int(layout.CITY)] = position.city
    if position.line is not None:
        small[int(layout.LINE)] = position.line
        before = len(standing_cities(board, position))
        small[int(layout.CLOSES)] = len(enclosed_areas(board, position.walls)) > before
    if position.roll is not None:
        die, die_1, die_2 = position.roll
        small[int(layout.DIE)] = int(layout.NONE) if die is None else die
        small[int(layout.DICE) : int(layout.DICE) + 2] = die_1, die_2


def _check_ready(state: layout.State, board: Board, position: Position) -> None:
    """Check that the move or draw that a settled position waits for is possible in its state.

    Raises PositionError if the move or draw is impossible.
    """
    has_line = bool(state[int(layout.OPEN) : int(layout.OPEN) + 4].any())
    if position.phase == "wall":
        need(has_line, "no line is left for a wall: the game has ended, end=no-line")
    if position.end == "no-line":
        need(not has_line, "end is no-line, but there is a line for a wall")
    if position.phase == "draw":
        need(position.due > 0, "phase draw needs due, the number of cards to draw")
        need(position.deck_size > 0, "phase draw: no card is left to draw")
    if position.phase == "merge":
        new = next(city for city in position.cities if position.city in city)
        others = frozenset().union(*position.cities) - new
        is_shared = any(new & set(pair) and others & set(pair) for pair in board.line_spaces)
        need(
            is_shared, f"phase merge: no other city shares a wall with the city of {position.city}"
        )


def derive_state(board: Board, table: PackedBoard, position: Position) -> layout.State:
    """Return the state (uint64[STATE_WORDS]) of a settled position.

    The cards of hidden hands stay in the deck. VALUES, the points of the cards in a scoring, are
    not filled in; `transitions.refresh_values` fills them in. Raises PositionError if the move or
    draw that the position waits for is impossible.
    """
    state = empty_state(table, position.players, early_roll=position.early_roll)
    known: list[Cards] = [() if isinstance(hand, int) else hand for hand in position.hands]
    deal_hands(state, known)
    deck = int(state[int(layout.DECK)])
    for kind in position.discard:
        card = one_of(deck, kind)
        deck ^= card
        state[int(layout.DISCARD)] |= np.uint64(card)
    state[int(layout.DECK)] = deck
    _fill_lines(state, board, position)
    _fill_land(state, board, position)
    _fill_pieces(state, position)
    _fill_turn(state, board, position)
    _check_ready(state, board, position)
    return state
