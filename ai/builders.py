"""Who holds what, by what everybody built: players build for the cards that they hold.

Dealt by chance alone, the unseen hands are poorer than those that players keep, and a search finds
itself better off than it is. What a seat added to what a land card scores (see `engine.ledger`)
tells which it holds. Not everybody builds for the own cards (the rules of thumb do not); so each
seat has a chance to be a builder, by what it built, and in that share of the worlds it holds a
builder's hand.

The odds of a card in a builder's hand are exp(z) to one by chance, z being the sum of the TERMS of
its kind times 1, e, v, ve, v²/4, v²e/4, a, ae, a²/4: e is the share of the game that is over, v an
eighth of what the card scores now (of a city card 0), a an eighth of what the seat added to that.
The chance of a builder is that of a net with one hidden layer: of 1, e, e², all the a and v of the
land cards, and the LINES of `inputs`.

| numbers (float64) | shape           |
| ----------------- | --------------- |
| of a card         | KINDS, TERMS    |
| of a trait        | TRAITS, UNITS   |
| out               | UNITS           |

They stand one after the other, BUILDERS in all; `benchmarks/learn_builders.py` fits them.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.inputs import KINDS, LINE_INPUTS, fill_lines, game_left
from masons.engine.bits import U
from masons.engine.components import MAX_PLAYERS
from masons.engine.jit import Word, Words, bytes_of, copy_words, inner, kernel, ptr
from masons.engine.layout import NONE, PLAYERS, STATE_WORDS, VALUES_BYTE, State
from masons.engine.ledger import FIRST_LAND, LANDS, Ledger, built_by
from masons.engine.scoring import score_cards

TERMS: Final = 9
TRAITS: Final = 3 + 2 * LANDS + LINE_INPUTS
UNITS: Final = 24
STYLE: Final = KINDS * TERMS
BUILDERS: Final = STYLE + (TRAITS + 1) * UNITS
POINTS: Final = 8.0  # to one of `a` and `v`

# What hands are dealt by: for each seat its chance to be a builder, then the odds of each kind.
ODDS: Final = MAX_PLAYERS * (1 + KINDS)

_KINDS, _TERMS, _TRAITS, _UNITS = U(KINDS), U(TERMS), U(TRAITS), U(UNITS)
_STYLE = U(STYLE)
_OUT = U(STYLE + TRAITS * UNITS)
_FIRST_LAND = U(FIRST_LAND)
_LANDS = U(LANDS)
_STATE = U(STATE_WORDS)
_ADDED, _WORTH, _LINES = U(3), U(3 + LANDS), U(3 + 2 * LANDS)


@inner
def odds_of(seat: Word) -> Word:
    """Where the odds of a seat begin."""
    return U(MAX_PLAYERS) + _KINDS * seat


@inner
def _fill_traits(state: Words, over: float, ledger: Words, seat: Word, traits: Words) -> None:
    """What is looked at to tell a builder; VALUES are those of the land cards."""
    b = bytes_of(state)
    traits[U(0)], traits[U(1)], traits[U(2)] = 1.0, over, over * over
    for land in range(_LANDS):
        traits[_ADDED + land] = ledger[built_by(seat) + land] / POINTS
        traits[_WORTH + land] = float(b[VALUES_BYTE + _FIRST_LAND + land]) / POINTS
    fill_lines(state, traits, _LINES)


@inner
def _builder_chance(traits: Words, numbers: Words) -> float:
    """The chance that a seat with such traits builds for its cards."""
    logit = 0.0
    for unit in range(_UNITS):
        total = 0.0
        for i in range(_TRAITS):
            total += traits[i] * numbers[_STYLE + _UNITS * i + unit]
        logit += max(total, 0.0) * numbers[_OUT + unit]
    return 1.0 / (1.0 + math.exp(-logit))


@inner
def _kind_odds(numbers: Words, kind: Word, over: float, value: float, added: float) -> float:
    """The odds of a kind in a builder's hand to those by chance."""
    at = _TERMS * kind
    worth, own = value * value / 4.0, added * added / 4.0
    z = numbers[at] + numbers[at + U(1)] * over
    z += (numbers[at + U(2)] + numbers[at + U(3)] * over) * value
    z += (numbers[at + U(4)] + numbers[at + U(5)] * over) * worth
    z += (numbers[at + U(6)] + numbers[at + U(7)] * over) * added + numbers[at + U(8)] * own
    return math.exp(z)


@inner
def fill_odds(
    state: Words,
    board: Words,
    ledger: Words,
    numbers: Words,
    room: Words,
    traits: Words,
    odds: Words,
) -> None:
    """Fill `odds` (float64[ODDS]) for all seats of a view.

    `ledger` (float64[LEDGER]), `numbers` (float64[BUILDERS]). Room to work in: `room`
    (uint64[STATE_WORDS]), `traits` (float64[TRAITS]).
    """
    copy_words(room, state, _STATE)
    score_cards(room, board, NONE)
    b = bytes_of(room)
    over = 1.0 - game_left(room)
    for seat in range(U(b[PLAYERS])):
        _fill_traits(room, over, ledger, seat, traits)
        odds[seat] = _builder_chance(traits, numbers)
        for kind in range(_KINDS):
            value = added = 0.0
            if kind >= _FIRST_LAND:
                value = traits[_WORTH + kind - _FIRST_LAND]
                added = traits[_ADDED + kind - _FIRST_LAND]
            odds[odds_of(seat) + kind] = _kind_odds(numbers, kind, over, value, added)


@kernel
def weigh_cards(
    state: Words,
    board: Words,
    ledger: Words,
    numbers: Words,
    room: Words,
    traits: Words,
    odds: Words,
) -> None:
    """`fill_odds` from Python."""
    fill_odds(
        ptr(state), ptr(board), ptr(ledger), ptr(numbers), ptr(room), ptr(traits), ptr(odds)
    )  # fmt: skip


def card_odds(
    state: State, board: NDArray[np.uint64], ledger: Ledger, numbers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The odds (float64[ODDS]) by which to deal what a view hides: see the table above."""
    odds = np.zeros(ODDS)
    weigh_cards(state, board, ledger, numbers, state.copy(), np.zeros(TRAITS), odds)
    return odds
