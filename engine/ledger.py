"""The ledger: what each seat's turns added to what the land cards score.

Everybody sees it happen, but a position does not tell who built what; so a game keeps the ledger
from its first turn on, and a search that is given one can guess which cards a seat builds for. What
a turn takes away, as a completed city does, is taken from all seats in proportion.

A ledger is float64[LEDGER], in points; the land cards are in the order of section 6.

| numbers          | what                                                              |
| ---------------- | ----------------------------------------------------------------- |
| 0-14             | what each land card scored at the start of the turn noted last    |
| 15-29, 30-44, .. | what each seat added to that, by its turns before that one        |
| 75               | the seat that began the turn noted last, NOBODY before the first  |
| 76               | the number of that turn                                           |
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.engine.bits import U
from masons.engine.components import CARDS, MAX_PLAYERS
from masons.engine.jit import Word, Words, bytes_of, copy_words, inner, kernel, ptr
from masons.engine.layout import ACTIVE, NONE, PLAYERS, STATE_WORDS, TURN, VALUES_BYTE
from masons.engine.scoring import score_cards

FIRST_LAND: Final = CARDS.index("land-red")
LANDS: Final = len(CARDS) - FIRST_LAND
_SEAT: Final = LANDS * (1 + MAX_PLAYERS)
_NUMBER: Final = _SEAT + 1
LEDGER: Final = _NUMBER + 1
NOBODY: Final = -1.0

Ledger = NDArray[np.float64]

_LANDS = U(LANDS)
_STATE = U(STATE_WORDS)


@inner
def built_by(seat: Word) -> Word:
    """Where in a ledger begins what a seat added."""
    return _LANDS * (U(1) + seat)


@inner
def clear_ledger(ledger: Words) -> None:
    """Make a ledger that of a game before its first turn."""
    for i in range(U(LEDGER)):
        ledger[i] = 0.0
    ledger[U(_SEAT)] = NOBODY


@inner
def note_turn(state: Words, board: Words, room: Words, ledger: Words) -> None:
    """Enter the turn before, if the one that begins is not the one noted last.

    `state` stands before a wall. `room` (uint64[STATE_WORDS]) is room to work in.
    """
    turn, who = float(state[TURN]), ledger[U(_SEAT)]
    if who != NOBODY and ledger[U(_NUMBER)] == turn:
        return
    copy_words(room, state, _STATE)
    score_cards(room, board, NONE)
    b = bytes_of(room)
    for land in range(_LANDS):
        before, now = ledger[land], float(b[VALUES_BYTE + U(FIRST_LAND) + land])
        if now < before:
            for seat in range(U(b[PLAYERS])):
                ledger[built_by(seat) + land] *= now / before
        elif who != NOBODY:
            ledger[built_by(U(who)) + land] += now - before
        ledger[land] = now
    ledger[U(_SEAT)], ledger[U(_NUMBER)] = float(b[ACTIVE]), turn


@kernel
def keep_ledger(state: Words, board: Words, room: Words, ledger: Words) -> None:
    """`note_turn` from Python: `state`, `room` (uint64[STATE_WORDS]); `ledger` is modified."""
    note_turn(ptr(state), ptr(board), ptr(room), ptr(ledger))


def new_ledger() -> Ledger:
    """The ledger of a game before its first turn."""
    ledger = np.zeros(LEDGER)
    ledger[_SEAT] = NOBODY
    return ledger


def built(ledger: Ledger, seat: int) -> Ledger:
    """What a seat added to what each land card scores (float64[LANDS], in points)."""
    return ledger[LANDS * (1 + seat) : LANDS * (2 + seat)]
