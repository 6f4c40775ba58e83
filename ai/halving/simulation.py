"""Simulating moves: each is played in the same determinizations, with the same generator, and on.

What two moves have in common so cancels in their difference (common random numbers). Below each
move a tree of its own is followed (see `wall_tree`).
"""

from __future__ import annotations

from masons.ai.beliefs.determinization import deal
from masons.ai.halving.wall_tree import FREE, LINKS, NOT_MADE, simulate_walls
from masons.ai.halving.workspace import (
    COLUMNS,
    ENDED,
    SCORES,
    SQUARES,
    WINS,
    Batch,
    Decision,
    Models,
    Workspace,
)
from masons.ai.models.hand_sums import forget_hands
from masons.ai.search.control import DEADLINE, DONE, STOP
from masons.engine.kernels.bits import U
from masons.engine.kernels.clock import now_ns
from masons.engine.kernels.jit import (
    Word,
    WordArray,
    Words,
    bytes_of,
    copy_words,
    inlined,
    inner,
    kernel,
    pointers,
    ptr,
    shared,
)
from masons.engine.kernels.rng import STEP
from masons.engine.rules.transitions import apply_legal
from masons.engine.state.layout import PHASE, PHASE_OVER, PLAYERS, STATE_WORDS

_COLUMNS = U(COLUMNS)
_STATE = U(STATE_WORDS)
_LINKS = U(LINKS)


@inlined
def _add_up(row: Word, workspace: Workspace) -> None:
    """Add what came of a simulation to the row of `sums` that begins at `row`."""
    sums, wins, scores = workspace.sums, workspace.wins, workspace.scores
    b = bytes_of(workspace.state)
    sums[row] += 1.0
    sums[row + U(ENDED)] += float(U(b[PHASE] == PHASE_OVER))
    for seat in range(U(b[PLAYERS])):
        win = wins[seat]
        sums[row + U(WINS) + seat] += win
        sums[row + U(SQUARES) + seat] += win * win
        sums[row + U(SCORES) + seat] += scores[seat]


@inlined
def simulate_move(decision: Decision, models: Models, number: Word, workspace: Workspace) -> None:
    """Play the move with this number in `workspace.determinization`, and on; add up what comes."""
    copy_words(workspace.state, workspace.determinization, _STATE)
    apply_legal(workspace.state, decision.board, decision.moves[number])
    simulate_walls(_LINKS + number, decision.board, models, workspace)
    _add_up(_COLUMNS * number, workspace)


@inner
def clear_links(arena: Words, count: Word) -> None:
    """An empty arena for so many moves."""
    arena[FREE] = _LINKS + count
    for i in range(count):
        arena[_LINKS + i] = NOT_MADE


@shared
def simulate_batch(
    decision: Decision,
    models: Models,
    batch: Batch,
    alive: Words,
    count: Word,
    workspace: Workspace,
) -> None:
    """Simulate the moves with the first `count` numbers of `alive` in each determinization.

    Ends before one at the stop flag or the deadline, if each move was simulated once.
    """
    control, rng = workspace.control, workspace.rng
    forget_hands(workspace.hand_sums)
    for n in range(batch.number):
        # Until each move was simulated once there is nothing to go by.
        if control[DONE] and (
            control[STOP] or (control[DEADLINE] and now_ns() >= control[DEADLINE])
        ):
            return
        rng[0] = batch.seed + STEP * ((batch.first + batch.step * n) << U(20))
        copy_words(workspace.determinization, decision.observed, _STATE)
        deal(
            workspace.determinization,
            decision.hidden,
            decision.hand_weights,
            decision.predicts_hands,
            rng,
        )
        dealt = rng[0]
        for i in range(count):
            rng[0] = dealt
            simulate_move(decision, models, alive[i], workspace)
            control[DONE] += U(1)


@kernel
def simulate_moves(
    decision: Decision, models: Models, batch: Batch, alive: WordArray, workspace: Workspace
) -> None:
    """`simulate_batch` from Python, of all moves numbered in `alive` (uint64[any])."""
    pointed, own = pointers(decision), pointers(workspace)
    if own.arena[FREE] == U(0):
        clear_links(own.arena, pointed.move_count)
    simulate_batch(pointed, pointers(models), batch, ptr(alive), U(len(alive)), own)
