"""The action history: statistics of each seat's choices, as evidence of the cards in its hand.

Everybody sees these choices, but a position does not show who made them. A game therefore keeps the
action history from its first turn on, and a search can use the history to estimate hands. Players
tend to put walls, towers and houses where their land cards score, and to play their highest cards.
The effects of chance are left out: the effect of a choice on each card is compared with the mean
effect of all legal choices.

An action history is float64[HISTORY_SIZE]. It begins with the entries of each seat, seat by seat:

| name   | entries  | sum                                                                   |
| ------ | -------- | --------------------------------------------------------------------- |
| WALLED | LANDS    | over walls: expected points of a land card after the wall, less the   |
|        |          | mean over all legal walls, in standard deviations                     |
| PLACED | LANDS    | over choices of towers and houses: points of a land card, less the    |
|        |          | mean over all legal choices                                           |
| PASSED | KINDS    | over scorings: points of a card, less the points of the lowest card   |
|        |          | that the seat played; 0 if that is negative                           |
| PLAYS  | 1        | number of scorings                                                    |
| SWAPS  | 1        | number of cards swapped                                               |
| SORTS  | 4        | number of walls of each sort: completing a city; otherwise between    |
|        |          | two towers, beside one tower, or beside no tower                      |

After these come the entries for all seats together:

| name | entries  | content                                                                |
| ---- | -------- | ---------------------------------------------------------------------- |
| KEPT | KINDS    | copies of a card that were in hands at the last reshuffle and have not |
|      |          | been discarded since, so that some seat still holds them               |

When the last card of the deck is drawn, every card outside the discard pile is in a hand, so
everybody can work out by counting which cards are in hands. Until the first reshuffle, KEPT is 0.
If one copy of a card was drawn and one copy was discarded since a reshuffle, nobody knows which
copy was discarded. KEPT may then be too low, but it is never too high.

A seat that abstains plays no card, so its lowest card counts as 0 points. When a seat draws cards,
its earlier entries are multiplied by the share of old cards in its new hand. The entries of a card
are reset when the card is played or discarded. Merges, the final scoring, early rolls and forced
placings are not recorded.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.components import (
    CARD_COPIES,
    CARDS,
    FIRST_LAND,
    HOUSE_COLORS,
    KINDS,
    LANDS,
    MAX_PLAYERS,
    TOWER_COLORS,
)
from masons.engine.board.packed_board import LINE_PLACES, SHORE
from masons.engine.kernels.bits import U, has, popcount
from masons.engine.kernels.jit import Floats, Word, Words, bytes_of, inner
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.rules.placement import put_wall
from masons.engine.rules.scoring import score_cards, score_new_city
from masons.engine.rules.transitions import apply_legal
from masons.engine.rules.turns import ABSTAIN_DRAWS, PLAY_DRAWS
from masons.engine.state import layout

_LANDS = U(LANDS)
_VALUES = layout.VALUES_BYTE + U(FIRST_LAND)


def _land(name: str) -> int:
    return CARDS.index(name) - FIRST_LAND


_REGIONS = U(_land("land-region-1"))
_TOWERS = U(_land("land-towers"))
_TOWERS_COLOR = U(_land("land-towers-white"))
_SHORE = U(_land("land-shore"))
_HOUSES = U(len(HOUSE_COLORS))
_COLORS = U(len(TOWER_COLORS))
_HOUSE_PART: Final = 1.0 / len(HOUSE_COLORS)
_TOWER_PART: Final = 2.0 / len(TOWER_COLORS)


@inner
def land_prospects(state: Words, board: Words, line: Word, workspace: Words, out: Floats) -> Word:
    """Fill `out` (float64[LANDS]) with the expected points of the land cards after a wall.

    The wall is put on `line`. All colors count as equally likely. Returns 1 if the wall completes a
    city, else 0. If it completes a city, the roll is ignored, because most of the pieces from the
    roll go to the city. `workspace` is uint64[STATE_WORDS].
    """
    layout.copy_state(workspace, state)
    put_wall(workspace, board, line, False)
    r, table = bytes_of(workspace), bytes_of(board)
    closes = U(r[layout.CLOSES])
    if closes:
        score_new_city(workspace, board)
    else:
        score_cards(workspace, board, layout.NONE)
    for land in range(_LANDS):
        out[land] = float(r[_VALUES + land])
    if closes:
        return closes
    at = LINE_PLACES + U(8) * line
    for side in range(U(2)):
        end = U(table[at + side])
        if U(r[layout.LABELS_BYTE + end]) == layout.NONE:
            out[_TOWERS] += 1.0
            for color in range(_COLORS):
                out[_TOWERS_COLOR + color] += _TOWER_PART
            if has(board, SHORE, end):
                out[_SHORE] += 2.0
    spaces = U(1) if table[at + U(2)] == table[at + U(3)] else U(2)
    for side in range(spaces):
        out[_REGIONS + U(table[at + U(4) + side])] += 1.0
        for color in range(_HOUSES):
            out[color] += _HOUSE_PART
    return closes


WALLED = U(0)
PLACED = U(LANDS)
PASSED = U(2 * LANDS)
PLAYS = U(2 * LANDS + KINDS)
SWAPS = U(2 * LANDS + KINDS + 1)
SORTS = U(2 * LANDS + KINDS + 2)
ENTRIES: Final = 2 * LANDS + KINDS + 6  # number of entries for each seat
KEPT = U(MAX_PLAYERS * ENTRIES)
HISTORY_SIZE: Final = MAX_PLAYERS * ENTRIES + KINDS
# The workspace holds the points of each land card, their sums over choices and the sums of their
# squares.
HISTORY_WORKSPACE: Final = 3 * LANDS

ActionHistory = NDArray[np.float64]

_KINDS, _ENTRIES = U(KINDS), U(ENTRIES)
_FIRST_LAND = U(FIRST_LAND)
_SUM, _SQUARES = U(LANDS), U(2 * LANDS)
_LEAST: Final = 1e-9  # a smaller variance is a rounding error


class Choice(NamedTuple):
    """A decision of a state's SEAT, with the move chosen; kernels do not modify the arrays."""

    state: Words  # uint64[STATE_WORDS]
    board: Words  # uint64[BOARD_WORDS]: the packed board
    moves: Words  # uint64[move_count]: all legal moves, for walls, towers and houses
    move_count: Word
    move: Word


@inner
def page_of(seat: Word) -> Word:
    """Return a seat's `page`: the index in an action history at which its entries begin."""
    return _ENTRIES * seat


@inner
def clear_history(history: Floats) -> None:
    """Set an action history to zeros, as before the first turn of a game."""
    for i in range(U(HISTORY_SIZE)):
        history[i] = 0.0


@inner
def _clear_sums(work: Floats) -> None:
    for i in range(U(HISTORY_WORKSPACE)):
        work[i] = 0.0


@inner
def _add_lands(work: Floats) -> None:
    """Add the points of the land cards to their sums, and the squares to the sums of squares."""
    for land in range(_LANDS):
        work[_SUM + land] += work[land]
        work[_SQUARES + land] += work[land] * work[land]


@inner
def _note_wall(choice: Choice, workspace: Words, work: Floats, history: Floats, page: Word) -> None:
    """Record how the land cards' points after a wall differ from the mean over all legal walls."""
    state, board, moves = choice.state, choice.board, choice.moves
    line = choice.move & U(255)
    _clear_sums(work)
    walls = 0.0
    for i in range(choice.move_count):
        if moves[i] >> layout.KIND_SHIFT == layout.WALL_MOVE:
            land_prospects(state, board, moves[i] & U(255), workspace, work)
            _add_lands(work)
            walls += 1.0
    closes = land_prospects(state, board, line, workspace, work)
    for land in range(_LANDS):
        mean = work[_SUM + land] / walls
        variance = work[_SQUARES + land] / walls - mean * mean
        if variance > _LEAST:
            history[page + WALLED + land] += (work[land] - mean) / math.sqrt(variance)
    sort = U(3)
    if closes:
        sort = U(0)
    elif has(state, layout.DOUBLE, line):
        sort = U(1)
    elif has(state, layout.TOUCHED, line):
        sort = U(2)
    history[page + SORTS + sort] += 1.0


@inner
def _score_after(state: Words, board: Words, move: Word, workspace: Words, work: Floats) -> None:
    """Fill `work` with the points of the land cards after a choice of towers or houses."""
    layout.copy_state(workspace, state)
    apply_legal(workspace, board, move)
    score_cards(workspace, board, layout.NONE)
    for land in range(_LANDS):
        work[land] = float(bytes_of(workspace)[_VALUES + land])


@inner
def _note_placing(
    choice: Choice, workspace: Words, work: Floats, history: Floats, page: Word
) -> None:
    """Record how the land cards' points after a placing differ from the mean over all placings."""
    state, board, moves = choice.state, choice.board, choice.moves
    _clear_sums(work)
    for i in range(choice.move_count):
        _score_after(state, board, moves[i], workspace, work)
        _add_lands(work)
    _score_after(state, board, choice.move, workspace, work)
    for land in range(_LANDS):
        mean = work[_SUM + land] / float(choice.move_count)
        history[page + PLACED + land] += work[land] - mean


@inner
def _keep_share(history: Floats, page: Word, share: float) -> None:
    """Multiply a seat's entries by `share`, the share of old cards in its new hand."""
    for i in range(_ENTRIES):
        history[page + i] *= share


@inner
def _forget(history: Floats, page: Word, kind: Word) -> None:
    """Reset the entries for a card that left the hand."""
    history[page + PASSED + kind] = 0.0
    if kind >= _FIRST_LAND:
        history[page + WALLED + kind - _FIRST_LAND] = 0.0
        history[page + PLACED + kind - _FIRST_LAND] = 0.0


@inner
def _note_discards(state: Words, counts: Word, due: Word, history: Floats) -> None:
    """Update KEPT for a discard that is followed by `due` draws.

    `counts` holds the number of discarded cards of each kind, in two bits for each kind. The deck
    is reshuffled when its last card is drawn, or when a card is due and the deck is empty.
    """
    is_shuffled = due and due >= popcount(state[layout.DECK]) and (state[layout.DISCARD] | counts)
    for kind in range(_KINDS):
        shift = U(2) * kind
        copies = float((counts >> shift) & U(3))
        if is_shuffled:
            kept = float(CARD_COPIES) - float(popcount((state[layout.DISCARD] >> shift) & U(3)))
        else:
            kept = history[KEPT + kind]
        history[KEPT + kind] = max(kept - copies, 0.0)


@inner
def _note_scoring(state: Words, move: Word, history: Floats, page: Word) -> None:
    """Record the cards that are played or discarded in a scoring, before the draw that follows."""
    b = bytes_of(state)
    first, second = move & U(31), (move >> U(5)) & U(31)
    plays = move >> layout.KIND_SHIFT == layout.PLAY_MOVE
    is_pair = plays and second != layout.NO_CARD
    least = float(b[layout.VALUES_BYTE + first]) if plays else 0.0
    if is_pair:
        least = min(least, float(b[layout.VALUES_BYTE + second]))
    left = float(popcount(state[layout.HANDS + U(b[layout.SEAT])])) - (2.0 if is_pair else 1.0)
    share = left / (left + (1.0 if plays else 2.0))
    _keep_share(history, page, share)
    for kind in range(_KINDS):
        more = float(b[layout.VALUES_BYTE + kind]) - least
        history[page + PASSED + kind] += share * max(more, 0.0)
    history[page + PLAYS] += 1.0
    counts = U(1) << (U(2) * first)
    _forget(history, page, first)
    if is_pair:
        _forget(history, page, second)
        counts += U(1) << (U(2) * second)
    _note_discards(state, counts, PLAY_DRAWS if plays else ABSTAIN_DRAWS, history)


@inner
def _note_swap(state: Words, move: Word, history: Floats, page: Word) -> None:
    """Record a swap of cards for the same number of new cards."""
    b, cards = bytes_of(state), move & ~(layout.SWAP_MOVE << layout.KIND_SHIFT)
    swapped = 0.0
    for kind in range(_KINDS):
        copies = (cards >> (U(2) * kind)) & U(3)
        if copies:
            swapped += float(copies)
            _forget(history, page, kind)
    held = float(popcount(state[layout.HANDS + U(b[layout.SEAT])]))
    _keep_share(history, page, 1.0 - swapped / held)
    history[page + SWAPS] += swapped
    _note_discards(state, cards, U(b[layout.DUE]) + U(swapped), history)


@inner
def note_choice(choice: Choice, workspace: Words, work: Floats, history: Floats) -> None:
    """Record a choice in `history` (float64[HISTORY_SIZE], modified in place).

    The workspaces are `workspace` (uint64[STATE_WORDS]) and `work` (float64[HISTORY_WORKSPACE]).
    """
    state, move = choice.state, choice.move
    b = bytes_of(state)
    phase, page = U(b[layout.PHASE]), page_of(U(b[layout.SEAT]))
    if phase == layout.PHASE_WALL and move >> layout.KIND_SHIFT == layout.WALL_MOVE:
        _note_wall(choice, workspace, work, history, page)
    elif layout.PHASE_TOWERS <= phase <= layout.PHASE_HOUSES:
        _note_placing(choice, workspace, work, history, page)
    elif phase == layout.PHASE_SCORE:
        _note_scoring(state, move, history, page)
    elif phase == layout.PHASE_SWAP:
        _note_swap(state, move, history, page)


@kernel
def update_history(
    state: Words,
    board: Words,
    moves: Words,
    count: Word,
    move: Word | np.uint64,
    workspace: Words,
    work: Floats,
    history: Floats,
) -> None:
    """Record a choice in `history`, for a caller in Python.

    `history` (float64[HISTORY_SIZE]) is modified in place. `moves` holds the `count` legal
    moves if the state waits for a wall, towers or houses. For other decisions `moves` is ignored,
    because their legal moves depend on hidden cards. The workspaces are `workspace`
    (uint64[STATE_WORDS]) and `work` (float64[HISTORY_WORKSPACE]).
    """
    choice = Choice(state, board, moves, count, U(move))
    note_choice(choice, workspace, work, history)


def new_history() -> ActionHistory:
    """Return an empty action history, as at the beginning of a game."""
    return np.zeros(HISTORY_SIZE)
