"""Whole games of the policy by the net against itself, in one kernel: thousands a second."""

from __future__ import annotations


from masons.ai.halving.workspace import Models
from masons.ai.policies.net_policy import net_turn
from masons.ai.policies.net_slopes import PolicyWorkspace
from masons.ai.training.seat_choices import note_result
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import (
    Word, WordArray, FloatArray, bytes_of, copy_words, kernel, offset, pointers, ptr,
)
from masons.engine.playouts.random_deals import deal_hands
from masons.engine.state.layout import PHASE, PHASE_OVER, STATE_WORDS

_STATE = U(STATE_WORDS)


@kernel
def play_policies(
    start: WordArray,
    board: WordArray,
    seeds: WordArray,
    models: Models,
    turns: WordArray,
    results: FloatArray,
    state: WordArray,
    workspace: PolicyWorkspace,
) -> Word:
    """Play a game for each of `seeds`; keep the starts of turns; how many rows."""
    own, m, s, table, out = pointers(workspace), pointers(models), ptr(state), ptr(board), ptr(results)
    kept = ptr(turns)
    most = U(len(turns)) // _STATE
    rows = U(0)
    rng = own.rng
    for number in range(U(len(seeds))):
        rng[0] = seeds[number]
        copy_words(s, ptr(start), _STATE)
        deal_hands(s, rng)
        b = bytes_of(s)
        while b[PHASE] != PHASE_OVER:
            if rows < most:
                copy_words(offset(kept, rows * _STATE), s, _STATE)
                rows += U(1)
            net_turn(s, table, rng, m, own)
        row = offset(out, U(7) * number)
        note_result(s, row)
        row[6] = float(rows)
    return rows
