"""What the kernels of the search work with: the decision, the models, one thread's workspace.

Named tuples: of numpy arrays where Python gives them to a kernel, of pointers inside kernels (see
`pointers` in `jit`). The numbers among their fields are np.uint64.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from masons.ai.models.hand_sums import HAND_SUMS
from masons.ai.models.net_shapes import NET_WORKSPACE
from masons.ai.search.control import CONTROL_WORDS
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import (
    FloatArray,
    Floats,
    Singles,
    Word,
    Words,
    aligned_zeros,
    field_of,
)
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.rules.closing_values import AREAS
from masons.engine.state.layout import STATE_WORDS

# What is summed of a move: its simulations, then for each seat its win probability, the square of
# it, and its score; and in how many simulations the game was over.
COLUMNS: Final = 14
VISITS, WINS, SQUARES, SCORES, ENDED = 0, 1, 5, 9, 13

# The path of a simulation: for each turn an edge, its node, the seat that decided.
LONGEST: Final = 64
PATH_WORDS: Final = 3 * LONGEST
SET_WORDS: Final = 4


class Decision(NamedTuple):
    """The decision that is searched. Nothing is modified."""

    observed: Words  # uint64[STATE_WORDS]: what the observer sees, hidden cards in the deck
    board: Words  # uint64[BOARD_WORDS]: the packed board
    hidden: Words  # uint64[4]: how many hidden cards each seat holds
    predicts_hands: Word  # not 0: they are dealt by `hand_weights`, else all cards are as likely
    hand_weights: Floats  # float64[HAND_WEIGHTS] (see `hand_model`), or [0] if not `predicts_hands`
    moves: Words  # uint64[move_count]
    move_count: Word


class Models(NamedTuple):
    """What plays and evaluates below a move. Nothing is modified."""

    heuristic: Floats  # float64[players * PARAMETERS] (see `heuristic_moves`)
    net: Singles  # float32[KERNEL_NET] (see `net_shapes`)


class Batch(NamedTuple):
    """The determinizations `first`, `first + step` and so on, `number` of them, of a seed."""

    seed: Word
    first: Word
    step: Word
    number: Word


class Workspace(NamedTuple):
    """What one thread writes to. Everything is modified in place."""

    control: Words  # uint64[CONTROL_WORDS]: `control`; DONE counts simulations
    sums: Floats  # float64[moves * COLUMNS]: what the simulations of each move came to
    arena: Words  # uint64[arena_words]: the trees (see `wall_tree`); its first word 0 when new
    arena_words: Word
    determinization: Words  # uint64[STATE_WORDS]: what all moves are simulated in
    rng: Words  # uint64[1]: dice, cards and choices of a simulation
    state: Words  # uint64[STATE_WORDS]: the game that is simulated
    copy: Words  # uint64[STATE_WORDS]: another one, to look ahead
    counters: Words  # uint64[COUNTER_WORDS]
    path: Words  # uint64[PATH_WORDS]: the edges followed
    lines: Words  # uint64[SET_WORDS]: a set of lines
    net: Singles  # float32[NET_WORKSPACE]: the net's inputs and sums
    hand_sums: Words  # uint64[HAND_SUMS]: what the cards in hand add (see `hand_sums`)
    areas: Words  # uint64[AREAS]: what walls would enclose (see `closing_values`)
    wins: Floats  # float64[4]: what came of the simulation, each seat's win probability
    scores: Floats  # float64[4]: and its score


def words(count: int) -> Words:
    """So many zeros, as a field of a workspace."""
    return field_of(aligned_zeros(count, np.uint64))


def new_workspace(sums: FloatArray, arena_words: int) -> Workspace:
    """The workspace of one thread, which adds to `sums` (float64[moves * COLUMNS])."""
    return Workspace(
        control=words(CONTROL_WORDS),
        sums=field_of(sums),
        # Untouched memory costs nothing: the system gives pages as the trees grow.
        arena=words(arena_words),
        arena_words=U(arena_words),
        determinization=words(STATE_WORDS),
        rng=words(1),
        state=words(STATE_WORDS),
        copy=words(STATE_WORDS),
        counters=words(COUNTER_WORDS),
        path=words(PATH_WORDS),
        lines=words(SET_WORDS),
        net=field_of(aligned_zeros(NET_WORKSPACE, np.float32)),
        hand_sums=words(HAND_SUMS),
        areas=words(AREAS),
        wins=field_of(np.zeros(4)),
        scores=field_of(np.zeros(4)),
    )
