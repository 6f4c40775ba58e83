"""Who is likely to hold which card: what the engine predicts by what each seat chose.

An environment keeps the action history of its game (`masons.engine.game.action_history`), out of
which the hand model (`masons.ai.models.hand_model`) makes weights: how likely each kind lies in a
hand, beside any other card that is not seen. Cards that hidden hands are known to hold are shared
out by weight and size. The other places of a hand are drawn one by one by weight; of a kind with
weight w there are then about 1 - exp(-t w) of its copies in that hand, with the same t for all
kinds, found by Newton's method. Searches deal hands by the same weights.

Nothing here depends on what a seat does not see: its view is made of the state first.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from masons.ai.beliefs.determinization import hide_others
from masons.ai.models.exponential import exponential
from masons.ai.models.hand_model import (
    HAND_WEIGHTS,
    HAND_WORKSPACE,
    SURE,
    fill_hand_weights,
    weights_of,
)
from masons.engine.board.components import KINDS
from masons.engine.game.action_history import (
    HISTORY_WORKSPACE,
    Choice,
    note_choice,
)
from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import (
    Floats,
    Word,
    Words,
    bytes_of,
    copy_words,
    floats_of,
    inner,
    offset,
)
from masons.engine.rules.legal_moves import list_legal
from masons.engine.state import layout
from masons.env.stepping.env_layout import BELIEF_BYTES, HUNDREDTHS

# Where a workspace has what, in words.
_VIEW: Final = U(layout.STATE_WORDS)
_MOVES: Final = U(2 * layout.STATE_WORDS)
_HIDDEN: Final = U(2 * layout.STATE_WORDS + 256)
_SUMS: Final = _HIDDEN + U(8)
_INPUTS: Final = _SUMS + U(HISTORY_WORKSPACE)
_WEIGHTS: Final = _INPUTS + U(HAND_WORKSPACE)
WORK_WORDS: Final = int(_WEIGHTS) + HAND_WEIGHTS

_STATE = U(layout.STATE_WORDS)
_KINDS = U(KINDS)
_BOTH = U(3)  # the copies of a kind
_RECORD = U(BELIEF_BYTES)
_ROUNDS = U(12)  # of Newton's method
_LEAST: Final = 1e-9


class Past(NamedTuple):
    """The history of one game's choices, where it is kept."""

    history: Floats  # float64[HISTORY_SIZE]
    work: Words  # workspace, uint64[WORK_WORDS]
    is_kept: Word


@inner
def no_past(row: Words) -> Past:
    """Return a past in which nothing is kept."""
    return Past(floats_of(row), row, U(0))


@inner
def note_past(row: Words, board: Words, move: Word, past: Past) -> None:
    """Enter a move that is about to be made."""
    if not past.is_kept:
        return
    phase, moves = U(bytes_of(row)[layout.PHASE]), offset(past.work, _MOVES)
    count = U(0)
    if phase == layout.PHASE_WALL or layout.PHASE_TOWERS <= phase <= layout.PHASE_HOUSES:
        count = list_legal(row, board, past.work, past.work, moves)
    choice = Choice(row, board, moves, count, move)
    note_choice(choice, past.work, floats_of(offset(past.work, _SUMS)), past.history)


@inner
def _copies(cards: Word, kind: Word) -> Word:
    """Return how many of a kind are among some cards."""
    return popcount((cards >> (U(2) * kind)) & _BOTH)


@inner
def _sure_share(hidden: Words, weights: Floats, players: Word, seat: Word, kind: Word) -> float:
    """Return how many of the copies surely in hidden hands are likely in one of them."""
    if weights[SURE + kind] == 0.0:
        return 0.0
    total = 0.0
    for other in range(players):
        total += weights[weights_of(other) + kind] * float(hidden[other])
    return weights[SURE + kind] * weights[weights_of(seat) + kind] * float(hidden[seat]) / total


@inner
def _depth(view: Words, weights: Floats, at: Word, places: float) -> float:
    """Return the t with which a hand of so many `places` is full."""
    t = 0.0
    for _ in range(_ROUNDS):
        missing, slope = places, 0.0
        for kind in range(_KINDS):
            left = float(_copies(view[layout.DECK], kind)) - weights[SURE + kind]
            weight = weights[at + kind]
            out = exponential(-t * weight)
            missing -= left * (1.0 - out)
            slope += left * weight * out
        if slope > _LEAST:
            t += max(missing, 0.0) / slope
    return t


@inner
def _write_seat(view: Words, work: Words, seat: Word, out: Words) -> None:
    """Write what is expected of a hidden hand, in hundredths of a card."""
    hidden, weights = offset(work, _HIDDEN), floats_of(offset(work, _WEIGHTS))
    players, at = U(bytes_of(view)[layout.PLAYERS]), weights_of(seat)
    places = float(hidden[seat])
    for kind in range(_KINDS):
        places -= _sure_share(hidden, weights, players, seat, kind)
    t = _depth(view, weights, at, max(places, 0.0))
    for kind in range(_KINDS):
        left = float(_copies(view[layout.DECK], kind)) - weights[SURE + kind]
        expected = left * (1.0 - exponential(-t * weights[at + kind]))
        expected += _sure_share(hidden, weights, players, seat, kind)
        bytes_of(out)[kind] = U(min(expected, 2.0) * float(HUNDREDTHS) + 0.5)


@inner
def write_beliefs(
    row: Words, board: Words, past: Past, numbers: Floats, out: Words, seat: Word
) -> None:
    """Write what a seat can expect all to hold, itself first, then clockwise.

    `numbers`: float64[HANDS_NUMBERS] of the hand model; `out` (4 records) is modified in place.
    """
    work = past.work
    view, hidden = offset(work, _VIEW), offset(work, _HIDDEN)
    players = U(bytes_of(row)[layout.PLAYERS])
    copy_words(view, row, _STATE)
    hide_others(view, seat, hidden)
    fill_hand_weights(
        view, board, past.history, numbers, work, floats_of(offset(work, _INPUTS)),
        floats_of(offset(work, _WEIGHTS)),
    )  # fmt: skip
    for word in range(U(4 * BELIEF_BYTES // 8)):
        out[word] = U(0)
    for i in range(players):
        other = (seat + i) % players
        record = offset(out, i * (_RECORD >> U(3)))
        if other != seat:
            if hidden[other]:
                _write_seat(view, work, other, record)
            continue
        for kind in range(_KINDS):
            bytes_of(record)[kind] = _copies(view[layout.HANDS + seat], kind) * U(HUNDREDTHS)
