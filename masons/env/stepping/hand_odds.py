"""Expected cards in hidden hands, predicted from the choices of each seat.

An environment keeps the action history of its game (`masons.engine.game.action_history`). From this
history, the hand model (`masons.ai.models.hand_model`) computes a weight for each kind of card and
each hand. The weight says how likely a card of this kind is in the hand, compared with any other
unseen card. Searches deal hands with the same weights.

Some cards are known to be in hidden hands, but not in which hands. Each of these cards is divided
among the hidden hands, in proportion to its weight in a hand and to the size of the hand. The other
cards of a hand are modeled as drawn one by one, with probabilities in proportion to the weights. If
w is the weight of a kind, about 1 - exp(-t w) of its copies are then in the hand. The parameter t
is the same for all kinds. Newton's method finds the t for which the expected number of cards is the
size of the hand.

No result depends on hidden information, because the hidden cards are first removed from the state.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from masons.ai.beliefs.determinization import hide_others
from masons.ai.models.hand_model import (
    HAND_WEIGHTS,
    HAND_WORKSPACE,
    SURE,
    fill_hand_weights,
    weights_of,
)
from masons.engine.board.components import KINDS
from masons.engine.game.action_history import HISTORY_WORKSPACE, Choice, note_choice
from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.exact_math import exponential
from masons.engine.kernels.jit import Floats, Word, Words, bytes_of, floats_of, inner, offset
from masons.engine.rules.legal_moves import list_legal
from masons.engine.state import layout
from masons.env.stepping.env_layout import BELIEF_BYTES, HUNDREDTHS

# Offsets in a workspace, in words.
_VIEW: Final = U(layout.STATE_WORDS)
_MOVES: Final = U(2 * layout.STATE_WORDS)
_HIDDEN: Final = U(2 * layout.STATE_WORDS + 256)
_SUMS: Final = _HIDDEN + U(8)
_INPUTS: Final = _SUMS + U(HISTORY_WORKSPACE)
_WEIGHTS: Final = _INPUTS + U(HAND_WORKSPACE)
WORK_WORDS: Final = int(_WEIGHTS) + HAND_WEIGHTS

_KINDS = U(KINDS)
_BOTH = U(3)  # the set of both copies of a kind
_RECORD = U(BELIEF_BYTES)
_ROUNDS = U(12)  # number of iterations of Newton's method
_LEAST: Final = 1e-9


class Past(NamedTuple):
    """The action history of one game, or no history if `is_kept` is 0."""

    history: Floats  # float64[HISTORY_SIZE]
    work: Words  # workspace, uint64[WORK_WORDS]
    is_kept: Word


@inner
def no_past(row: Words) -> Past:
    """Return a Past for a game whose history is not kept."""
    return Past(floats_of(row), row, U(0))


@inner
def note_past(row: Words, board: Words, move: Word, past: Past) -> None:
    """If a history is kept, add a move to it. Call this before the move is made."""
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
    """Return the number of cards of a kind in a set."""
    return popcount((cards >> (U(2) * kind)) & _BOTH)


@inner
def _sure_share(hidden: Words, weights: Floats, players: Word, seat: Word, kind: Word) -> float:
    """Return the expected number of sure cards of a kind in a hand.

    Sure cards are the cards that are known to be in hidden hands.
    """
    if weights[SURE + kind] == 0.0:
        return 0.0
    total = 0.0
    for other in range(players):
        total += weights[weights_of(other) + kind] * float(hidden[other])
    return weights[SURE + kind] * weights[weights_of(seat) + kind] * float(hidden[seat]) / total


@inner
def _depth(view: Words, weights: Floats, at: Word, places: float) -> float:
    """Return the t (see the module) for which a hand is expected to draw `places` cards.

    `at` is the offset of the hand's weights.
    """
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
    """Write the expected number of cards of each kind in a hidden hand, in hundredths."""
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
    """Write the expected cards in all hands, estimated from the information that `seat` has.

    The seat's own hand comes first, then the other hands clockwise. `numbers`
    (float64[HANDS_NUMBERS]) is the hand model. `out` (4 records) is modified in place.
    """
    work = past.work
    view, hidden = offset(work, _VIEW), offset(work, _HIDDEN)
    players = U(bytes_of(row)[layout.PLAYERS])
    layout.copy_state(view, row)
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
