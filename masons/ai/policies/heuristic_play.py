"""Play with the heuristics of `heuristic_moves`: turns, a scoring, or one move."""

from __future__ import annotations

from masons.ai.policies.heuristic_moves import (
    best_option,
    exchanged_cards,
    heuristic_line,
    heuristic_merge,
    weights_at,
)
from masons.engine.formats.move_text import Move, swap_move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Floats, Word, Words, bytes_of, inner, shared
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.playouts.random_games import place_turn
from masons.engine.playouts.random_moves import ABSTAINS
from masons.engine.playouts.random_scoring import (
    best_final,
    draw_random,
    end_scoring,
    next_in_queue,
    score_and_draw,
    swap_out,
)
from masons.engine.rules import turns
from masons.engine.rules.cities_and_palaces import new_city
from masons.engine.rules.legal_moves import counts_of
from masons.engine.rules.placement import put_wall
from masons.engine.rules.scoring import score_cards
from masons.engine.state import layout
from masons.engine.state.position import kinds

# --- likely swaps
# The likely swaps of a large hand, which can have millions of legal swaps.


def likely_swaps(table: Table, view: Observation) -> list[Move]:
    """Return the swaps of the 0, 1, 2, ... poorest cards in hand.

    City cards are the poorest. Land cards are ordered by their current points.
    """
    points = table.card_points(view.state, None)
    hand = kinds(int(view.state[int(layout.HANDS) + view.seat]))
    poorest = sorted(hand, key=lambda kind: (points[kind], kind))
    return [swap_move(poorest[:count]) for count in range(len(hand) + 1)]


@inner
def heuristic_score(state: Words, seat: Word, rng: Words, weights: Floats, counters: Words) -> None:
    """Let a seat play cards or abstain as the heuristics choose, and then draw."""
    first, second, count, _ = best_option(state, seat, weights, weights_at(state, seat))
    if count == U(0):
        second = ABSTAINS
    score_and_draw(state, seat, first, second, rng, counters)


@inner
def heuristic_scoring(state: Words, rng: Words, weights: Floats, counters: Words) -> None:
    """Play the rest of a scoring, beginning with SEAT, and the swaps that follow."""
    b = bytes_of(state)
    active, seat = U(b[layout.ACTIVE]), U(b[layout.SEAT])
    while True:
        heuristic_score(state, seat, rng, weights, counters)
        seat = turns.clockwise(state, seat)
        if seat == active:
            break
    if end_scoring(state):
        heuristic_swaps(state, rng, weights, counters)


@inner
def heuristic_swaps(state: Words, rng: Words, weights: Floats, counters: Words) -> None:
    """Play the swaps of the seats in QUEUE, beginning with SEAT, and end the turn."""
    b = bytes_of(state)
    seat, queue = U(b[layout.SEAT]), U(b[layout.QUEUE])
    while queue:
        seat = next_in_queue(queue, seat)
        swap_out(state, seat, exchanged_cards(state, seat, weights), rng, counters)
        queue ^= U(1) << seat
    turns.next_turn(state)


@inner
def heuristic_wall(
    state: Words, board: Words, rng: Words, weights: Floats, workspace: Words
) -> None:
    """Put SEAT's wall on a line, or end the game if no line is open."""
    line = heuristic_line(state, board, rng, weights, workspace)
    if line == layout.NONE:
        turns.end_without_line(state)
        return
    put_wall(state, board, line, True)
    bytes_of(state)[layout.PHASE] = layout.PHASE_ROLL


@inner
def heuristic_build(
    state: Words, board: Words, rng: Words, weights: Floats, workspace: Words, counters: Words
) -> None:
    """Play the rest of a turn up to its scoring.

    The turn may be waiting for its roll, its towers, its houses or its merge.
    """
    b = bytes_of(state)
    if b[layout.PHASE] < layout.PHASE_MERGE:
        place_turn(state, board, rng, counters)
        city = turns.finish_building(state, board)
    else:
        city = new_city(state, board)
    if city.beside_lo | city.beside_hi:
        turns.finish_merge(
            state, board, city, heuristic_merge(state, board, city, weights, workspace)
        )


@shared
def heuristic_play(
    state: Words,
    board: Words,
    rng: Words,
    weights: Floats,
    until: Word,
    workspace: Words,
    counters: Words,
) -> None:
    """Play on to the start of turn `until`, or to the end of the game.

    `state` is modified in place. `weights` (float64[players * PARAMETERS]) holds the parameters of
    each seat.
    """
    b = bytes_of(state)
    while True:
        phase = U(b[layout.PHASE])
        if phase == layout.PHASE_WALL:
            if state[layout.TURN] >= until:
                return
            heuristic_wall(state, board, rng, weights, workspace)
        elif phase <= layout.PHASE_MERGE:
            heuristic_build(state, board, rng, weights, workspace, counters)
        elif phase == layout.PHASE_SCORE:
            heuristic_scoring(state, rng, weights, counters)
        elif phase == layout.PHASE_DRAW:
            draw_random(state, rng, counters)
        elif phase == layout.PHASE_SWAP:
            heuristic_swaps(state, rng, weights, counters)
        elif phase == layout.PHASE_OVER:
            return
        else:
            best_final(state, board)


@inner
def heuristic_choice(
    state: Words, board: Words, rng: Words, weights: Floats, workspace: Words
) -> Word:
    """Return the move that the heuristics choose, or 0 (see `heuristic_move`)."""
    b = bytes_of(state)
    seat, phase = U(b[layout.SEAT]), U(b[layout.PHASE])
    if phase == layout.PHASE_WALL:
        return (layout.WALL_MOVE << layout.KIND_SHIFT) | heuristic_line(
            state, board, rng, weights, workspace
        )
    if phase == layout.PHASE_MERGE:
        city = new_city(state, board)
        return (layout.MERGE_MOVE << layout.KIND_SHIFT) | heuristic_merge(
            state, board, city, weights, workspace
        )
    if phase == layout.PHASE_SCORE:
        first, second, count, _ = best_option(state, seat, weights, weights_at(state, seat))
        if count == U(0):
            return (layout.ABSTAIN_MOVE << layout.KIND_SHIFT) | first
        return (layout.PLAY_MOVE << layout.KIND_SHIFT) | first | (second << U(5))
    if phase == layout.PHASE_SWAP:
        score_cards(state, board, layout.NONE)
        out = exchanged_cards(state, seat, weights)
        return (layout.SWAP_MOVE << layout.KIND_SHIFT) | counts_of(out)
    return U(0)


@kernel
def heuristic_move(
    state: Words, board: Words, rng: Words, weights: Floats, workspace: Words
) -> Word:
    """Return the move that the heuristics choose, or 0 for towers, houses and the final scoring.

    `state` (uint64[STATE_WORDS]) is complete, and its VALUES are modified. `rng` is uint64[1] and
    modified. `weights` (float64[players * PARAMETERS]) holds the parameters of each seat.
    `workspace` (uint64[STATE_WORDS]) is scratch memory.
    """
    return heuristic_choice(state, board, rng, weights, workspace)
