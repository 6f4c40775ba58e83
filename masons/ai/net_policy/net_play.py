"""Play with the net but without search: a move, or a whole turn."""

from __future__ import annotations

from masons.ai.models.model_data import Models
from masons.ai.net_policy.card_choice import net_exchange, net_score, net_scoring
from masons.ai.net_policy.line_choice import net_line
from masons.ai.net_policy.piece_choice import (
    fill_places,
    forget_lines,
    net_build,
    net_houses,
    net_merge,
    net_towers,
)
from masons.ai.net_policy.piece_slopes import fill_slopes
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.engine.board.packed_board import LINE_PLACES, LINE_SPACES
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Word, Words, bytes_of, inner
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.playouts.random_moves import roll_random
from masons.engine.playouts.random_scoring import best_final, draw_random
from masons.engine.rules.cities_and_palaces import new_city
from masons.engine.rules.legal_moves import counts_of, placing_move
from masons.engine.rules.placement import put_wall
from masons.engine.rules.scoring import forget_areas
from masons.engine.rules.transitions import dice_rolled, houses_due, skip_forced, towers_due
from masons.engine.rules.turns import end_without_line
from masons.engine.state import layout


@inner
def next_decision(state: Words, board: Words, rng: Words, counters: Words) -> Word:
    """Play dice, draws and forced moves; return the phase of the next decision, or PHASE_OVER.

    In the final scoring, each seat plays the cards that score most.
    """
    b = bytes_of(state)
    while True:
        skip_forced(state, board)
        phase = U(b[layout.PHASE])
        if phase == layout.PHASE_ROLL:
            roll_random(state, board, rng)
        elif phase == layout.PHASE_DRAW:
            draw_random(state, rng, counters)
        elif phase == layout.PHASE_FINAL:
            best_final(state, board)
        else:
            return phase


@inner
def net_choice(
    state: Words, board: Words, rng: Words, models: Models, workspace: PolicyWorkspace
) -> Word:
    """Return the policy's move for SEAT, or 0 in the final scoring.

    `state` is complete, but the policy uses nothing that SEAT does not see.
    """
    b = bytes_of(state)
    phase = U(b[layout.PHASE])
    if phase == layout.PHASE_WALL:
        line = net_line(state, board, rng, models, workspace)
        return (layout.WALL_MOVE << layout.KIND_SHIFT) | line
    if phase == layout.PHASE_TOWERS:
        fill_slopes(state, board, rng, models.net, workspace)
        fill_places(state, board, workspace)
        outcomes = towers_due(state, board, U(b[layout.DIE]))
        code = net_towers(state, board, outcomes, workspace)
        return placing_move(board, layout.TOWERS_MOVE, LINE_PLACES + U(8) * U(b[layout.LINE]), code)
    if phase == layout.PHASE_HOUSES:
        fill_slopes(state, board, rng, models.net, workspace)
        outcomes = houses_due(state, board, dice_rolled(state))
        code = net_houses(state, board, outcomes, workspace)
        return placing_move(board, layout.HOUSES_MOVE, LINE_SPACES + U(2) * U(b[layout.LINE]), code)
    seat = U(b[layout.SEAT])
    if phase == layout.PHASE_SCORE:
        option = net_score(state, board, seat, rng, models, workspace)
        if option >> U(10) == U(0):
            return (layout.ABSTAIN_MOVE << layout.KIND_SHIFT) | (option & U(31))
        return (layout.PLAY_MOVE << layout.KIND_SHIFT) | (option & U(1023))
    if phase == layout.PHASE_SWAP:
        out = net_exchange(state, board, seat, rng, models, workspace)
        return (layout.SWAP_MOVE << layout.KIND_SHIFT) | counts_of(out)
    if phase == layout.PHASE_MERGE:
        city = new_city(state, board)
        return (layout.MERGE_MOVE << layout.KIND_SHIFT) | net_merge(
            state, board, city, rng, models, workspace
        )
    return U(0)


@inner
def net_turn(
    state: Words,
    board: Words,
    rng: Words,
    choices: Words,
    models: Models,
    workspace: PolicyWorkspace,
) -> None:
    """Play a whole turn, from its wall decision to the next wall or the final scoring.

    `rng` is the random state for dice and cards, and `choices` is the policy's own random state.
    Both are uint64[1] and modified.
    """
    b = bytes_of(state)
    line = net_line(state, board, choices, models, workspace)
    if line == layout.NONE:
        end_without_line(state)
    else:
        put_wall(state, board, line, True)
        net_build(state, board, rng, choices, models, workspace)
    if b[layout.PHASE] == layout.PHASE_SCORE:
        net_scoring(state, board, rng, choices, models, workspace)


@inner
def finish_game(state: Words, board: Words) -> None:
    """Play the final scoring if it is due; each seat plays the cards that score most."""
    while bytes_of(state)[layout.PHASE] == layout.PHASE_FINAL:
        best_final(state, board)


@kernel
def policy_move(
    state: Words, board: Words, rng: Words, models: Models, workspace: PolicyWorkspace
) -> Word:
    """Return the policy's move for SEAT, or 0 in the final scoring.

    `state` (uint64[STATE_WORDS]) is complete, and its VALUES are modified. Of the hands that SEAT
    does not see, only the sizes matter. `rng` is uint64[1] and modified.
    """
    # The previous call may have been for another board.
    forget_areas(workspace.areas)
    forget_lines(workspace)
    return net_choice(state, board, rng, models, workspace)
