"""The value net, which computes each seat's win probability and score from a position's features.

The net has one hidden layer. The features of each seat are multiplied by two sets of weights, one
for the seat itself and one for its opponents. A hidden unit of a seat is the sum of three parts:
the seat's own part, the mean of the other seats' parts, and the part of the board. The first LINEAR
units are linear, and all others are ReLU. Two weighted sums of a seat's units predict the logit of
the seat's win probability and the seat's final score. Thus one set of weights evaluates all seats,
for any number of seats. It consists of four parts, stored one after the other, WEIGHTS floats in
all:

| weights (float32) | shape                       |
| ----------------- | --------------------------- |
| seat              | SEAT_INPUTS, 2, HIDDEN      |
| board             | BOARD_INPUTS, HIDDEN        |
| out               | 2, HIDDEN                   |
| constants         | 2                           |

Kernels take a KERNEL_NET (see `model_data`): versions of the net for 2, 3 and 4 players, each
VERSION floats. A version replaces the two rows of each seat input, called own and others, as
follows. The first row becomes (own + others) / players, and is multiplied by the sum of the input
over all seats. The second row becomes own - others / (players - 1), and is multiplied by the excess
of a seat's input over the mean of all seats. Every row is thus read only once for all seats.

The sums of the hidden units start from BIAS: the contributions that are the same for all positions,
followed by zeros, from which the sums of the excesses start. For two players, the rows of WAIT and
of the margins are merged into the rows of equivalent inputs.

A search evaluates thousands of positions in which a seat holds the same cards, so the sums that the
cards in a hand add to the hidden units are cached. HELD counts the copies of each kind in a hand,
and HELD_LEFT is HELD times the share of the game that is left. The cache therefore contains two
sums of weights for each hand, one for HELD and one for HELD_LEFT; the second sum is multiplied by
the share when it is used.

Two hands are cached for each seat: one that occurred at least twice, and the most recent other
hand. A hand that is dealt in one simulation therefore does not replace the hand with which all
simulations begin. The cache, HAND_SUMS, is zeros at first:

| words            | content                                                                  |
| ---------------- | ------------------------------------------------------------------------ |
| 3 for each seat  | the two hands, as sets of cards (0: none); the number, 0 or 1, of the    |
|                  | hand that occurred at least twice                                        |
| from 64 on       | for each seat and hand, a row with the sums for HELD and a row with the  |
|                  | sums for HELD_LEFT; a row has 64 words: float32[2][HIDDEN]               |
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from masons.ai.evaluation.rewards import fill_rewards
from masons.ai.models import features
from masons.engine.board.components import FIRST_LAND, KINDS, LANDS
from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.exact_math import exponential
from masons.engine.kernels.jit import (
    Floats,
    Single,
    Singles,
    Word,
    Words,
    add_pair,
    add_rows,
    bytes_of,
    inner,
    offset,
    pointer_to,
    singles_of,
    unit_sums,
)
from masons.engine.rules.legal_moves import kinds_of
from masons.engine.rules.turns import score_of
from masons.engine.state.layout import HANDS, PHASE, PHASE_OVER, PLAYERS

HIDDEN: Final = 64
LINEAR: Final = 4
SCORE: Final = 16.0  # points that an output of 1 stands for
WEIGHTS: Final = (2 * features.SEAT_INPUTS + features.BOARD_INPUTS + 2) * HIDDEN + 2
# The shapes of the four parts: seat, board, out, constants.
SHAPES: Final = (
    (features.SEAT_INPUTS, 2 * HIDDEN),
    (features.BOARD_INPUTS, HIDDEN),
    (2, HIDDEN),
    (2,),
)
# The board input that is always 1; the next two inputs are 1 with 3 players and with 4 players.
ONE: Final = int(features.SETTING) + 1 - features.BOARD
_BIAS: Final = -(-WEIGHTS // HIDDEN) * HIDDEN
VERSION: Final = _BIAS + features.MAX_SEATS * HIDDEN
KERNEL_NET: Final = (features.MAX_SEATS - 1) * VERSION
# The workspace consists of the inputs, the shared sums, the sums of each seat, the hidden units of
# each seat, and the factors of rows.
_SUMS: Final = -(-features.INPUTS // HIDDEN) * HIDDEN
_FACTORS: Final = _SUMS + (2 * features.MAX_SEATS + 1) * HIDDEN
NET_WORKSPACE: Final = _FACTORS + features.MAX_SEATS * features.SEAT_INPUTS
HAND_SUMS: Final = (1 + 4 * features.MAX_SEATS) * HIDDEN
_HAND_WORDS, _STAYS = U(3), U(2)  # words of a seat in the cache; the last of them

BIAS = U(_BIAS)
SUMS = U(_SUMS)
UNITS = U(_SUMS + (features.MAX_SEATS + 1) * HIDDEN)
FACTORS = U(_FACTORS)
BOARD_WEIGHTS = U(2 * features.SEAT_INPUTS * HIDDEN)
OUT = U((2 * features.SEAT_INPUTS + features.BOARD_INPUTS) * HIDDEN)
CONSTANTS = U((2 * features.SEAT_INPUTS + features.BOARD_INPUTS + 2) * HIDDEN)

_HIDDEN = U(HIDDEN)
_BOTH = U(2 * HIDDEN)
_SEAT_INPUTS = U(features.SEAT_INPUTS)
_DECK = features.SETTING - U(features.BOARD)
_VALUES = features.BOARD_VALUES - U(features.BOARD)
_FIRST_LAST = features.LAST - U(features.BOARD)
_ONE = Single(1.0)
_TOWERS, _WALLS, _HALF = Single(features.TOWERS), Single(features.WALLS), Single(0.5)
_VERSION = U(VERSION)
LAND_KINDS = U((1 << (2 * KINDS)) - (1 << (2 * FIRST_LAND)))
_ONES = np.ones(KINDS, dtype=np.float32)
_NO_MORE = U(features.MAX_SEATS - 1)  # the excess that is always 0, see `predict`
# Lower bounds of the hidden units: none for linear units, 0 for ReLU units.
LEAST = np.repeat(np.array([-np.inf, 0.0], dtype=np.float32), [LINEAR, HIDDEN - LINEAR])


class NetWorkspace(NamedTuple):
    """The workspace of an evaluation inside kernels. Everything in it is modified in place."""

    net: Singles  # float32[NET_WORKSPACE]: inputs and sums
    hand_sums: Words  # uint64[HAND_SUMS]: the cache of hands
    areas: Words  # uint64[AREAS], for this board only (see `scoring`)
    indices: Words  # uint64[SEAT_INPUTS]: the indices of the inputs to add
    wins: Floats  # float64[4]: the result, each seat's win probability
    scores: Floats  # float64[4]: the result, each seat's final score


@inner
def net_for(net: Singles, players: Word) -> Singles:
    """Return the version of a net (float32[KERNEL_NET]) for a number of players."""
    return offset(net, _VERSION * (players - U(2)))


@inner
def forget_hands(hands: Words) -> None:
    """Empty the cache of hands. This is necessary before another net is used."""
    for seat in range(U(features.MAX_SEATS)):
        hands[_HAND_WORDS * seat] = hands[_HAND_WORDS * seat + U(1)] = U(0)


@inner
def find_hand(hands: Words, seat: Word, hand: Word) -> tuple[Word, bool]:
    """Return the number of the first row of a seat's hand, and True if the hand's sums are cached.

    If they are not cached, the caller must fill this row with the sums for HELD, and the next row
    with the sums for HELD_LEFT. Both are float32[2 * HIDDEN]. An empty hand is never cached.
    """
    at = _HAND_WORDS * seat
    stays = hands[at + _STAYS]
    number, is_kept = stays, hand != U(0) and hands[at + stays] == hand
    if not is_kept:
        number = U(1) - stays
        is_kept = hand != U(0) and hands[at + number] == hand
        if is_kept:
            hands[at + _STAYS] = number
        else:
            hands[at + number] = hand
    return U(1) + U(4) * seat + U(2) * number, is_kept


@inner
def _sum_hand(hand: Word, sums: Singles, net: Singles, indices: Words) -> None:
    """Fill the two rows of a hand in the cache with the sums over its cards."""
    count = U(0)
    while hand:
        indices[count] = lowest(hand) >> U(1)
        hand &= hand - U(1)
        count += U(1)
    ones, zeros = pointer_to(_ONES), offset(net, BIAS + _HIDDEN)
    add_rows(sums, zeros, ones, U(0), indices, count, offset(net, _BOTH * features.HELD), U(2))
    sums, net = offset(sums, _BOTH), offset(net, _BOTH * features.HELD_LEFT)
    add_rows(sums, zeros, ones, U(0), indices, count, net, U(2))


@inner
def _fill_factors(inputs: Singles, players: Word, out: Singles) -> None:
    """Fill `out` with the sum of each input over all seats, and with differences between seats.

    The differences are the inputs of every seat except the last, minus the inputs of the last seat.
    """
    second, third = _SEAT_INPUTS, U(2) * _SEAT_INPUTS
    fourth, last = U(3) * _SEAT_INPUTS, (players - U(1)) * _SEAT_INPUTS
    for i in range(_SEAT_INPUTS):
        total = inputs[i] + inputs[second + i]
        out[second + i] = inputs[i] - inputs[last + i]
        if players > U(2):
            total += inputs[third + i]
            out[third + i] = inputs[second + i] - inputs[last + i]
        if players > U(3):
            total += inputs[fourth + i]
            out[fourth + i] = inputs[third + i] - inputs[last + i]
        out[i] = total


@inner
def _add_hands(state: Words, players: Word, net: Singles, workspace: NetWorkspace) -> None:
    """Set the sums of the hidden units to the contributions of the cards in hand."""
    net_workspace, hands, indices = workspace.net, workspace.hand_sums, workspace.indices
    rows, sums, start = singles_of(hands), offset(net_workspace, SUMS), offset(net, BIAS)
    zeros, left, last = offset(start, _HIDDEN), net_workspace[features.GAME_LEFT], players - U(1)
    for seat in range(players):
        row, is_known = find_hand(hands, seat, state[HANDS + seat])
        if not is_known:
            _sum_hand(state[HANDS + seat], offset(rows, _BOTH * row), net, indices)
        of_seat = offset(rows, _BOTH * row)
        add_pair(sums, start, of_seat, _ONE, left)
        start, more = sums, offset(of_seat, _HIDDEN)
        if seat < last:
            add_pair(offset(sums, _HIDDEN * (seat + U(1))), zeros, more, _ONE, left)
            continue
        for other in range(U(1), players):
            of_other = offset(sums, _HIDDEN * other)
            add_pair(of_other, of_other, more, -_ONE, -left)


@inner
def list_kinds(kinds: Word, first: Word, indices: Words, count: Word) -> Word:
    """Append `first` plus each kind to the first `count` indices; return their new number.

    `kinds` is the result of `kinds_of`.
    """
    while kinds:
        indices[count] = first + (lowest(kinds) >> U(1))
        kinds &= kinds - U(1)
        count += U(1)
    return count


@inner
def _list_inputs(hands: Word, players: Word, indices: Words) -> Word:
    """Fill `indices` with those of seat inputs except HELD and HELD_LEFT; return their number.

    LAND inputs are included only for cards in `hands`. With two players, inputs that were merged
    into other inputs are left out.
    """
    for i in range(features.HELD):
        indices[i] = i
    count = features.WAIT if players == U(2) else features.HELD
    for i in range(_SEAT_INPUTS - features.CITY_INPUTS):
        indices[count + i] = features.CITY_INPUTS + i
    count += _SEAT_INPUTS - features.CITY_INPUTS - U(players == U(2))
    return list_kinds(kinds_of(hands) & LAND_KINDS, features.LAND - U(FIRST_LAND), indices, count)


@inner
def _list_board(inputs: Singles, indices: Words) -> Word:
    """Fill `indices` with those of the board's inputs; return their number, which is even.

    Constant inputs are left out because BIAS includes them. Only two of the inputs LAST can differ
    from 0, so the others are left out too.
    """
    for i in range(_DECK + U(1)):
        indices[i] = i
    for i in range(U(LANDS)):
        indices[_DECK + U(1) + i] = _VALUES + i
    count = _DECK + U(1 + LANDS)
    towers, walls = U(inputs[U(0)] * _TOWERS + _HALF), U(inputs[U(1)] * _WALLS + _HALF)
    indices[count] = _FIRST_LAST + min(max(towers, U(1)), features.LAST_TOWERS) - U(1)
    indices[count + U(1)] = (
        _FIRST_LAST + features.LAST_TOWERS + min(max(walls, U(1)), features.LAST_WALLS) - U(1)
    )
    return count + U(2)


@inner
def predict(
    workspace: Singles,
    start: Singles,
    players: Word,
    net: Singles,
    indices: Words,
    count: Word,
    wins: Floats,
    scores: Floats,
) -> None:
    """Fill `wins` and `scores` from the inputs in `workspace`.

    The sums of the hidden units start with `start`. `indices` (uint64[SEAT_INPUTS], modified) lists
    `count` indices of seat inputs that must still be added. `net` is the net for `players` seats.
    """
    sums, factors = offset(workspace, SUMS), offset(workspace, FACTORS)
    _fill_factors(workspace, players, factors)
    add_rows(sums, start, factors, _SEAT_INPUTS, indices, count, net, players)
    inputs = offset(workspace, U(features.BOARD))
    count = _list_board(inputs, indices)
    add_rows(sums, sums, inputs, U(0), indices, count, offset(net, BOARD_WEIGHTS), U(1))
    # The excesses so far are relative to the last seat. Subtract their mean, so that they become
    # relative to the mean of all seats.
    more, part = offset(sums, _HIDDEN), Single(-1.0 / float(players))
    for j in range(_HIDDEN):
        mean = part * more[j]
        if players > U(2):
            mean += part * more[_HIDDEN + j]
        sums[j] += mean
        if players > U(3):
            sums[j] += part * more[_BOTH + j]
    most, total = -1.0e9, 0.0
    for seat in range(players):
        units = offset(workspace, UNITS + _HIDDEN * seat)
        of_seat = offset(more, _HIDDEN * (seat if seat + U(1) < players else _NO_MORE))
        logit, score = unit_sums(units, sums, of_seat, pointer_to(LEAST), offset(net, OUT))
        wins[seat] = net[CONSTANTS] + logit
        scores[seat] = SCORE * float(net[CONSTANTS + U(1)] + score)
        most = max(most, wins[seat])
    for seat in range(players):
        wins[seat] = exponential(wins[seat] - most)
        total += wins[seat]
    for seat in range(players):
        wins[seat] /= total


@inner
def evaluate(state: Words, board: Words, net: Singles, workspace: NetWorkspace) -> None:
    """Fill `wins` and `scores` with each seat's win probability and final score.

    `state` must be at the start of a turn or at the end of the game. At the start of a turn, its
    VALUES are modified. At the end of the game, the actual result is used instead of the net. `net`
    is float32[KERNEL_NET].
    """
    b = bytes_of(state)
    players = U(b[PLAYERS])
    inputs, indices = workspace.net, workspace.indices
    wins, scores = workspace.wins, workspace.scores
    if b[PHASE] != PHASE_OVER:
        net = net_for(net, players)
        features.fill_other_inputs(state, board, inputs, workspace.areas, wins, scores)
        _add_hands(state, players, net, workspace)
        hands = U(0)
        for seat in range(players):
            hands |= state[HANDS + seat]
        count = _list_inputs(hands, players, indices)
        predict(inputs, offset(inputs, SUMS), players, net, indices, count, wins, scores)
        return
    fill_rewards(state, wins)
    for seat in range(players):
        scores[seat] = float(score_of(state, seat))
