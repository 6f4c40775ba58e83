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

Kernels take a KERNEL_NET, which consists of these weights and of versions of the first layer for 2,
3 and 4 players. A version has weights in 16-bit whole numbers, and the sums of the hidden units are
32-bit whole numbers. They are the same on every processor, because they do not depend on the order
of the additions. An input is a whole number, too, after a multiplication by a factor: each input is
a multiple of a step such as 1/16 (`packed_net` has the steps). An input that is a mean of two
positions can be a multiple of half a step.

Two inputs and their two weights for each hidden unit form a term (see `jit.add_terms`), and the
weights of a term are a row of LANES pairs. With own and others for the two weights of a seat's
input, a hidden unit of a seat gets others / (players - 1) times the sum of the input over all
seats, and own - others / (players - 1) times the seat's own input. The first part is shared by all
seats. The cards in a hand have a term each, which adds HELD and HELD_LEFT, and land cards have
another term. A version consists of rows of LANES 32-bit numbers:

| rows       | content                                                                        |
| ---------- | ------------------------------------------------------------------------------ |
| 0          | factors (float32): of NUMBERS of a seat; from 16 on, of the board's inputs up  |
|            | to VALUES; from 48 on, of the deck, HELD, HELD_LEFT, LAND and LAST             |
| START      | the sums for all inputs that are constant                                      |
| BOARD_ROWS | pairs of SUPPLY and LINES; pairs of VALUES; LAST                               |
| SHARED     | for the sum over all seats: pairs of NUMBERS; each kind of card; LAND; then    |
|            | the deck, an input of the board that, unlike others, changes during a scoring  |
| OWN        | for the seat's own input: the same rows as in SHARED, but without the deck     |

The floats are used for the second layer and for slopes (see `net_gradient`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from masons.ai.evaluation.rewards import fill_rewards
from masons.ai.models import features
from masons.engine.board.components import FIRST_LAND, KINDS, LANDS
from masons.engine.kernels.bits import U, lowest, opaque, popcount
from masons.engine.kernels.exact_math import exponential
from masons.engine.kernels.jit import (
    LANES,
    MOST_INPUT,
    ROUNDED,
    Bytes,
    Floats,
    Singles,
    Word,
    Words,
    add_rows,
    add_terms,
    bytes_of,
    inner,
    offset,
    pointer_to,
    round_terms,
    unit_sums,
)
from masons.engine.rules.scoring import score_cards, values_of
from masons.engine.rules.turns import score_of
from masons.engine.state.layout import DECK, HANDS, NONE, PHASE, PHASE_OVER, PLAYERS, VALUES_BYTE

HIDDEN: Final = LANES
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
BOARD_WEIGHTS = U(2 * features.SEAT_INPUTS * HIDDEN)
OUT = U((2 * features.SEAT_INPUTS + features.BOARD_INPUTS) * HIDDEN)
CONSTANTS = U((2 * features.SEAT_INPUTS + features.BOARD_INPUTS + 2) * HIDDEN)

# The rows of a version, and the rows within BOARD_ROWS, and within SHARED and OWN.
BOARD_PAIRS: Final = 6  # pairs of SUPPLY and LINES
FIRST_LAST: Final = BOARD_PAIRS + (LANDS + 1) // 2
FIRST_CARD: Final = features.NUMBERS // 2
FIRST_LAND_CARD: Final = FIRST_CARD + KINDS
DECK_ROW: Final = FIRST_LAND_CARD + LANDS
START: Final = 1
BOARD_ROWS: Final = START + 1
SHARED: Final = BOARD_ROWS + FIRST_LAST + int(features.LAST_TOWERS + features.LAST_WALLS)
OWN: Final = SHARED + DECK_ROW + 1
VERSION: Final = (OWN + DECK_ROW) * HIDDEN
VERSIONS: Final = -(-WEIGHTS // HIDDEN) * HIDDEN
KERNEL_NET: Final = VERSIONS + (features.MAX_SEATS - 1) * VERSION
# The factors of a version.
BOARD_FACTORS: Final = 16
DECK_FACTOR, HELD_FACTOR, LEFT_FACTOR, LAND_FACTOR, LAST_FACTOR = U(48), U(49), U(50), U(51), U(52)
LEFT_STEPS: Final = 330  # the share of the game that is left is a multiple of 1/330

# The workspace consists of the inputs, the sums of the board, of all seats and of one seat, and the
# hidden units of each seat.
_SUMS: Final = -(-features.INPUTS // HIDDEN) * HIDDEN
NET_WORKSPACE: Final = _SUMS + (3 + features.MAX_SEATS) * HIDDEN
BOARD_SUMS, SHARED_SUMS = U(_SUMS), U(_SUMS + HIDDEN)
OWN_SUMS, UNITS = U(_SUMS + 2 * HIDDEN), U(_SUMS + 3 * HIDDEN)
# The first terms are for the sums of the numbers of all seats, and for the deck. Then follow the
# numbers of each seat, ROUNDED terms for each, and the cards of all seats, one seat after another.
# Each of 60 cards has two terms at most, and may be in hand in either of two samples.
CARDS: Final = (1 + features.MAX_SEATS) * ROUNDED
TERMS: Final = CARDS + 2 * 2 * 60 + 2 * features.MAX_SEATS

_HIDDEN = U(HIDDEN)
_SEAT_INPUTS = U(features.SEAT_INPUTS)
_VERSION, _VERSIONS = U(VERSION), U(VERSIONS)
_START, _BOARD_ROWS = U(START * HIDDEN), U(BOARD_ROWS * HIDDEN)
SHARED_ROWS, OWN_ROWS = U(SHARED * HIDDEN), U(OWN * HIDDEN)
_FIRST_VALUE, _LAST, _DECK_ROW = U(BOARD_PAIRS), U(FIRST_LAST), U(DECK_ROW)
_CARDS, _ROUNDED = U(CARDS), U(ROUNDED)
# The sums that a card of each kind adds to those of all seats, and to those of its own seat.
CARD_SUMS: Final = 2 * KINDS * HIDDEN
_OWN_CARDS = U(KINDS * HIDDEN)
_FIRST_CARD, _FIRST_LAND = U(FIRST_CARD), U(FIRST_LAND_CARD - FIRST_LAND)
_ROW, _HIGH = U(32), U(16)  # the bits of a term where its row and its second input begin
_LOW, _UPPER = U(0xFFFF), U(0xFFFF0000)  # the two inputs of a term
_MOST = U(int(MOST_INPUT))
NO_SUMS = np.zeros(HIDDEN, dtype=np.float32)
# Lower bounds of the hidden units: none for linear units, 0 for ReLU units.
LEAST = np.repeat(np.array([-np.inf, 0.0], dtype=np.float32), [LINEAR, HIDDEN - LINEAR])


class NetWorkspace(NamedTuple):
    """The workspace of an evaluation inside kernels. Everything in it is modified in place."""

    net: Singles  # float32[NET_WORKSPACE]: inputs, sums and units
    cities: Words  # uint64[CITIES]: see `features.find_cities`
    terms: Words  # uint64[TERMS]: the terms of all seats, one seat after another
    ends: Words  # uint64[4]: for each seat, the index after its last term
    areas: Words  # uint64[AREAS], for this board only (see `scoring`)
    wins: Floats  # float64[4]: the result, each seat's win probability
    scores: Floats  # float64[4]: the result, each seat's final score


@inner
def net_for(net: Singles, players: Word) -> Singles:
    """Return the version of a net (float32[KERNEL_NET]) for a number of players."""
    return offset(net, _VERSIONS + _VERSION * (players - U(2)))


# --- terms


@inner
def half_card(left: float, version: Singles) -> Word:
    """Return half of the inputs HELD and HELD_LEFT of a card in a hand, as a term for row 0.

    `left` is the share of the game that is left.
    """
    steps = U(left * float(LEFT_STEPS) + 0.5)
    return U(version[HELD_FACTOR]) | (steps * U(version[LEFT_FACTOR])) << _HIGH


@inner
def add_cards(hand: Word, card: Word, terms: Words, count: Word) -> Word:
    """Append a term for each card in a hand to `count` terms; return their new number.

    `card` is the result of `half_card`, or twice that.
    """
    while hand:
        terms[count] = card + ((_FIRST_CARD + (lowest(hand) >> U(1))) << _ROW)
        hand &= hand - U(1)
        count += U(1)
    return count


@inner
def _add_hand(
    hand: Word, card: Word, factor: Word, values: Bytes, terms: Words, count: Word
) -> Word:
    """Append the terms of `add_cards`, and a term for the points of each land card in the hand."""
    while hand:
        kind = lowest(hand) >> U(1)
        hand &= hand - U(1)
        terms[count] = card + ((_FIRST_CARD + kind) << _ROW)
        points = min(factor * U(values[kind]), _MOST)
        terms[count + U(1)] = ((_FIRST_LAND + kind) << _ROW) | points
        # The kinds in a hand are unpredictable, so the code avoids branches.
        count += U(1) + U(kind >= U(FIRST_LAND))
    return count


@inner
def list_seat(
    seat: Word, hand: Word, other: Word, half: Word, values: Bytes, version: Singles,
    workspace: NetWorkspace,
) -> None:  # fmt: skip
    """Fill the terms of a seat's numbers, and append those of its cards to the seats before it.

    The numbers of the seat are in the workspace. `hand` and `other` are its hands in two positions,
    of which the inputs are the mean. `half` is the result of `half_card`, and `values` holds the
    points of each kind of card.
    """
    terms, count = workspace.terms, workspace.ends[seat - U(1)] if seat else _CARDS
    numbers = offset(workspace.net, _SEAT_INPUTS * seat)
    round_terms(offset(terms, _ROUNDED * (seat + U(1))), numbers, version, U(0))
    both, once, factor = hand & other, hand ^ other, U(version[LAND_FACTOR])
    count = _add_hand(both, U(2) * half, U(2) * factor, values, terms, count)
    if once:
        count = _add_hand(once, half, factor, values, terms, count)
    # An even number of terms, because whether it is even is unpredictable.
    terms[count] = U(0)
    workspace.ends[seat] = count + (count & U(1))


# --- evaluation


@inner
def sum_board(state: Words, version: Singles, workspace: NetWorkspace) -> None:
    """Fill the board's sums from its inputs, which are in the workspace."""
    terms, inputs = workspace.terms, offset(workspace.net, U(features.BOARD))
    factors = offset(version, U(BOARD_FACTORS))
    round_terms(terms, inputs, factors, U(0))
    values = offset(terms, _FIRST_VALUE)
    round_terms(values, offset(inputs, U(16)), offset(factors, U(16)), _FIRST_VALUE)
    # At most two of the inputs LAST are 1; all others are 0.
    count, last = _LAST, U(version[LAST_FACTOR])
    towers, walls = features.pieces_left(state)
    terms[count] = ((_LAST + towers - U(1)) << _ROW) | last
    count += U(U(0) < towers <= features.LAST_TOWERS)
    terms[count] = ((_LAST + features.LAST_TOWERS + walls - U(1)) << _ROW) | last
    count += U(U(0) < walls <= features.LAST_WALLS)
    sums, rows = offset(workspace.net, BOARD_SUMS), offset(version, _BOARD_ROWS)
    add_terms(sums, offset(version, _START), terms, count, rows)


@inner
def _sum_numbers(players: Word, terms: Words) -> None:
    """Fill the first terms with the sums of the numbers of all seats, without branches."""
    has_third, has_fourth = U(0) - U(players > U(2)), U(0) - U(players > U(3))  # as masks
    # `opaque` keeps the compiler from unrolling the loop, which would prevent vectorization.
    for i in range(opaque(_ROUNDED)):
        first, second = terms[_ROUNDED + i], terms[U(2) * _ROUNDED + i]
        third = terms[U(3) * _ROUNDED + i] & has_third
        fourth = terms[U(4) * _ROUNDED + i] & has_fourth
        low = (first + second + third + fourth) & _LOW
        high = (first & _UPPER) + (second & _UPPER) + (third & _UPPER) + (fourth & _UPPER)
        terms[i] = (i << _ROW) | (high & _UPPER) | low


@inner
def _add_numbers(state: Words, players: Word, version: Singles, workspace: NetWorkspace) -> None:
    """Fill the sums of all seats from the board's sums, the deck and the numbers of all seats."""
    terms, board = workspace.terms, offset(workspace.net, BOARD_SUMS)
    _sum_numbers(players, terms)
    terms[_FIRST_CARD] = (_DECK_ROW << _ROW) | (popcount(state[DECK]) * U(version[DECK_FACTOR]))
    shared, rows = offset(workspace.net, SHARED_SUMS), offset(version, SHARED_ROWS)
    add_terms(shared, board, terms, _FIRST_CARD + U(1), rows)


@inner
def predict(state: Words, players: Word, net: Singles, workspace: NetWorkspace) -> None:
    """Fill `wins` and `scores` from the board's sums and the terms of all seats.

    Also fills the hidden units. Of the state, only the deck matters.
    """
    version, terms, ends = net_for(net, players), workspace.terms, workspace.ends
    shared, own_rows = offset(workspace.net, SHARED_SUMS), offset(version, OWN_ROWS)
    cards, count = offset(terms, _CARDS), ends[players - U(1)] - _CARDS
    _add_numbers(state, players, version, workspace)
    add_terms(shared, shared, cards, count, offset(version, SHARED_ROWS))
    begin = _CARDS
    for seat in range(players):
        numbers, cards = offset(terms, _ROUNDED * (seat + U(1))), offset(terms, begin)
        sums = offset(workspace.net, UNITS + _HIDDEN * seat)
        add_terms(sums, shared, numbers, _FIRST_CARD, own_rows)
        add_terms(sums, sums, cards, ends[seat] - begin, own_rows)
        begin = ends[seat]
    _fill_wins(players, net, workspace)


@inner
def _fill_wins(players: Word, net: Singles, workspace: NetWorkspace) -> None:
    """Fill `wins`, `scores` and the hidden units from the sums of all seats."""
    wins, scores = workspace.wins, workspace.scores
    units, most, total = offset(workspace.net, UNITS), -1.0e9, 0.0
    # The processor adds up the units of several seats at once, because nothing branches here.
    for seat in range(players):
        sums = offset(units, _HIDDEN * seat)
        logit, score = unit_sums(sums, sums, pointer_to(LEAST), offset(net, OUT))
        wins[seat] = net[CONSTANTS] + logit
        scores[seat] = SCORE * float(net[CONSTANTS + U(1)] + score)
        most = max(most, wins[seat])
    for seat in range(players):
        wins[seat] = exponential(wins[seat] - most)
        total += wins[seat]
    for seat in range(players):
        wins[seat] /= total


@inner
def fill_board(state: Words, board: Words, version: Singles, workspace: NetWorkspace) -> None:
    """Fill the board's inputs and sums, and `cities`; VALUES of the state must be up to date."""
    features.find_cities(state, board, workspace.areas, workspace.cities)
    features.board_inputs(state, workspace.net)
    sum_board(state, version, workspace)


@inner
def evaluate_seats(state: Words, net: Singles, workspace: NetWorkspace) -> None:
    """Fill `wins` and `scores` as `evaluate` does, for a board that `fill_board` has seen.

    The state must be at the start of a turn, and its VALUES must be up to date.
    """
    b = bytes_of(state)
    players = U(b[PLAYERS])
    version, values = net_for(net, players), offset(b, VALUES_BYTE)
    half = half_card(features.game_left(state), version)
    _fill_numbers(state, players, workspace)
    for seat in range(players):
        hand = state[HANDS + seat]
        list_seat(seat, hand, hand, half, values, version, workspace)
    predict(state, players, net, workspace)


@inner
def _fill_numbers(state: Words, players: Word, workspace: NetWorkspace) -> None:
    """Fill the inputs NUMBERS of all seats."""
    pairs = features.best_pairs(values_of(state), offset(state, HANDS), players)
    features.seat_inputs(state, pairs, workspace.net, workspace.wins, workspace.scores)
    features.city_inputs(state, workspace.cities, pairs, workspace.net)


@inner
def fill_card_sums(state: Words, net: Singles, card_sums: Singles, workspace: NetWorkspace) -> None:
    """Fill `card_sums` (float32[CARD_SUMS]) with the sums that a card of each kind adds.

    They are the same for all positions with the players, supply and VALUES of a state, whatever the
    hands. VALUES must be up to date.
    """
    b, terms = bytes_of(state), workspace.terms
    version, values = net_for(net, U(b[PLAYERS])), offset(b, VALUES_BYTE)
    half, factor = half_card(features.game_left(state), version), U(version[LAND_FACTOR])
    for kind in range(U(KINDS)):
        card, row = U(1) << (U(2) * kind), offset(card_sums, _HIDDEN * kind)
        count = _add_hand(card, U(2) * half, U(2) * factor, values, terms, U(0))
        add_terms(row, pointer_to(NO_SUMS), terms, count, offset(version, SHARED_ROWS))
        own_row = offset(row, _OWN_CARDS)
        add_terms(own_row, pointer_to(NO_SUMS), terms, count, offset(version, OWN_ROWS))


@inner
def evaluate_hands(state: Words, net: Singles, card_sums: Singles, workspace: NetWorkspace) -> None:
    """Do the same as `evaluate_seats`, with `card_sums` for the same players, supply and VALUES."""
    players, terms = U(bytes_of(state)[PLAYERS]), workspace.terms
    version, cards = net_for(net, players), U(0)
    _fill_numbers(state, players, workspace)
    for seat in range(players):
        numbers = offset(workspace.net, _SEAT_INPUTS * seat)
        round_terms(offset(terms, _ROUNDED * (seat + U(1))), numbers, version, U(0))
        cards |= state[HANDS + seat]
    _add_numbers(state, players, version, workspace)
    shared, own_cards = offset(workspace.net, SHARED_SUMS), offset(card_sums, _OWN_CARDS)
    add_rows(shared, shared, cards, card_sums)
    for seat in range(players):
        sums, of_seat = offset(workspace.net, UNITS + _HIDDEN * seat), _ROUNDED * (seat + U(1))
        add_terms(sums, shared, offset(terms, of_seat), _FIRST_CARD, offset(version, OWN_ROWS))
        add_rows(sums, sums, state[HANDS + seat], own_cards)
    _fill_wins(players, net, workspace)


@inner
def evaluate(state: Words, board: Words, net: Singles, workspace: NetWorkspace) -> None:
    """Fill `wins` and `scores` with each seat's win probability and final score.

    `state` must be at the start of a turn or at the end of the game. At the start of a turn, its
    VALUES are modified. At the end of the game, the actual result is used instead of the net. `net`
    is float32[KERNEL_NET].
    """
    if bytes_of(state)[PHASE] == PHASE_OVER:
        fill_result(state, workspace)
        return
    score_cards(state, board, NONE)
    fill_board(state, board, net_for(net, U(bytes_of(state)[PLAYERS])), workspace)
    evaluate_seats(state, net, workspace)


@inner
def fill_result(state: Words, workspace: NetWorkspace) -> None:
    """Fill `wins` and `scores` with the result of a game that is over."""
    fill_rewards(state, workspace.wins)
    for seat in range(U(bytes_of(state)[PLAYERS])):
        workspace.scores[seat] = float(score_of(state, seat))
