"""A decision as the kernels of search and rollout take it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.hand_model import hand_weights_of
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Floats, Word, Words, field_of


class Decision(NamedTuple):
    """The decision that is searched. Nothing is modified."""

    observed: Words  # uint64[STATE_WORDS]: what the observer sees, hidden cards in the deck
    board: Words  # uint64[BOARD_WORDS]: the packed board
    hidden: Words  # uint64[4]: how many hidden cards each seat holds
    predicts_hands: Word  # not 0: they are dealt by `hand_weights`, else all cards are as likely
    hand_weights: Floats  # float64[HAND_WEIGHTS] (see `hand_model`), or [0] if not `predicts_hands`
    moves: Words  # uint64[move_count]
    move_count: Word


def decision_of(
    table: Table, view: Observation, moves: Sequence[Move], numbers: Mapping[str, NDArray[Any]]
) -> Decision:
    """Return a view's decision among `moves`; `numbers` as in `model_data.learned`."""
    return Decision(
        observed=field_of(view.state),
        board=field_of(table.packed),
        hidden=field_of(np.array([*view.hidden, 0, 0, 0, 0][:4], dtype=np.uint64)),
        predicts_hands=U(1),
        hand_weights=field_of(hand_weights_of(table, view, numbers)),
        moves=field_of(np.array([int(move) for move in moves], dtype=np.uint64)),
        move_count=U(len(moves)),
    )
