"""Sequential halving (Karnin, Koren and Somekh 2013): its rules, and a whole one in a kernel.

All moves meet the same determinizations, the better half of them goes on to the next round, until
one is left. Each round gets the same share of the simulations.

The rules are plain functions of np.uint64. Python calls them (`halving_search` in threads,
`rollout` to screen contenders), and `halve` compiles them: a decision of self-play, one thread.
"""

from __future__ import annotations

from masons.ai.evaluation.rewards import move_value
from masons.ai.halving.simulation import (
    COLUMNS,
    SCORES,
    VISITS,
    WINS,
    SimulationBatch,
    SimulationWorkspace,
    clear_links,
    simulate_batch,
)
from masons.ai.models.model_data import Models
from masons.ai.search.decision import Decision
from masons.ai.search.threads import CONTROL_WORDS, DONE
from masons.engine.kernels.bits import U
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
from masons.engine.kernels.rng import STEP, below, next_word
from masons.engine.state.layout import PLAYERS, SEAT

_COLUMNS = U(COLUMNS)


def rounds_of(count: Word) -> Word:
    """Return how many rounds lead from so many moves to one."""
    rounds = U(0)
    while (U(1) << rounds) < count:
        rounds += U(1)
    return rounds


def determinizations_of(simulations: Word, rounds: Word, count: Word) -> Word:
    """Return how many determinizations `count` moves meet in the first of the `rounds` left.

    `simulations` are those left for all rounds. One determinization at least.
    """
    return max(simulations // (rounds * count), U(1))


def better_half(count: Word) -> Word:
    """Return how many of the best of so many moves go on to the next round."""
    return (count + U(1)) >> U(1)


_value, _rounds = inner(move_value), inner(rounds_of)
_determinizations, _half = inner(determinizations_of), inner(better_half)


@inner
def _mean_value(sums: Floats, row: Word, seat: Word, players: Word) -> float:
    """Return a move's mean value to a seat by its row of `sums`."""
    total = 0.0
    for other in range(players):
        total += sums[row + U(SCORES) + other]
    value = _value(sums[row + U(WINS) + seat], sums[row + U(SCORES) + seat], total, players)
    return value / max(sums[row + U(VISITS)], 1.0)


@inner
def _sort_moves(sums: Floats, alive: Words, count: Word, seat: Word, players: Word) -> None:
    """Sort the first `count` numbers of moves, best first; of equals the earlier one.

    Each counts those before it, without branches. Behind the numbers is workspace for as many
    values and numbers.
    """
    values, ordered = floats_of(offset(alive, count)), offset(alive, U(2) * count)
    for i in range(count):
        values[i] = _mean_value(sums, _COLUMNS * alive[i], seat, players)
    for i in range(count):
        value, before = values[i], U(0)
        for j in range(i):
            before += U(values[j] >= value)
        for j in range(i + U(1), count):
            before += U(values[j] > value)
        ordered[before] = alive[i]
    copy_words(alive, ordered, count)


@inner
def _first_moves(count: Word, simulations: Word, alive: Words, rng: Words) -> Word:
    """Begin with all moves, or as many random ones as there are simulations; return how many."""
    for i in range(count):
        alive[i] = i
    if count <= simulations:
        return count
    for i in range(simulations):
        j = i + below(rng, count - i)
        alive[i], alive[j] = alive[j], alive[i]
    return simulations


@inner
def _clear(alive: Words, left: Word, count: Word, workspace: SimulationWorkspace) -> None:
    """Forget all simulations of the first `left` moves of `alive`, of `count` moves."""
    for i in range(U(CONTROL_WORDS)):
        workspace.control[i] = U(0)
    for i in range(left):
        for column in range(_COLUMNS):
            workspace.sums[_COLUMNS * alive[i] + column] = 0.0
    clear_links(workspace.arena, count)


@inner
def halve(
    decision: Decision,
    models: Models,
    simulations: Word,
    alive: Words,
    workspace: SimulationWorkspace,
) -> Word:
    """Return the number of the best move, by sequential halving with some `simulations`.

    In a round each move is simulated once at least, so there may be a few more. `workspace.rng`
    seeds the determinizations. SimulationWorkspace: `alive` (uint64[3 * move_count]).
    """
    b = bytes_of(decision.observed)
    control, rng = workspace.control, workspace.rng
    seed, first = next_word(rng) + (STEP << U(20)), U(0)
    left = _first_moves(decision.move_count, simulations, alive, rng)
    _clear(alive, left, decision.move_count, workspace)
    rounds = _rounds(left)
    while left > U(1) and control[DONE] < simulations:
        count = _determinizations(simulations - control[DONE], rounds, left)
        batch = SimulationBatch(seed, first, U(1), count)
        simulate_batch(decision, models, batch, alive, left, workspace)
        first += count
        rounds -= U(1)
        _sort_moves(workspace.sums, alive, left, U(b[SEAT]), U(b[PLAYERS]))
        left = _half(left)
    return alive[0]
