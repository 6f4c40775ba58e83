"""Sequential halving (Karnin, Koren and Somekh 2013): its rules, and a search in a kernel.

In each round, all moves that are left are simulated in the same determinizations, and the better
half goes on to the next round, until one move is left. Each round gets the same share of the
simulations.

A wall that completes a city goes on in any case until it has been simulated `LEAST_CLOSING` times,
unless the next round is the last. Its value depends on the dice and on the hidden cards far more
than the values of other walls do, so with more than 100 moves, the best wall would often be dropped
after the one simulation of the first round.

The rules are plain functions of np.uint64 numbers. In Python, `halving_search` calls them to search
in threads, and `rollout` calls them to screen contenders. `halve` compiles them for the decisions
of self-play.
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
from masons.engine.kernels.bits import U, has
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
from masons.engine.state.layout import CLOSING, PLAYERS, SEAT, WALL_MOVE
from masons.engine.state.packed_move import KIND_SHIFT

LEAST_CLOSING = 8.0  # simulations of a wall that completes a city, before it can be dropped

_COLUMNS = U(COLUMNS)
_KIND = U(KIND_SHIFT)


def rounds_of(count: Word) -> Word:
    """Return the number of rounds that reduce `count` moves to one."""
    rounds = U(0)
    while (U(1) << rounds) < count:
        rounds += U(1)
    return rounds


def determinizations_of(simulations: Word, rounds: Word, count: Word) -> Word:
    """Return the number of determinizations in the next round, in which `count` moves are left.

    `rounds` rounds are still to come, including the next one, and share `simulations` simulations.
    The result is at least 1.
    """
    return max(simulations // (rounds * count), U(1))


def better_half(count: Word) -> Word:
    """Return the number of moves that go on to the next round, out of `count` moves."""
    return (count + U(1)) >> U(1)


_value, _rounds = inner(move_value), inner(rounds_of)
_determinizations, _half = inner(determinizations_of), inner(better_half)


@inner
def _mean_value(sums: Floats, row: Word, seat: Word, players: Word) -> float:
    """Return a move's mean value for a seat; the move's sums begin at index `row` of `sums`."""
    total = 0.0
    for other in range(players):
        total += sums[row + U(SCORES) + other]
    value = _value(sums[row + U(WINS) + seat], sums[row + U(SCORES) + seat], total, players)
    return value / max(sums[row + U(VISITS)], 1.0)


@inner
def _sort_moves(sums: Floats, alive: Words, count: Word, seat: Word, players: Word) -> None:
    """Sort the first `count` move indices of `alive`, best first; equal moves keep their order.

    To avoid branches, the place of a move is computed by counting the moves that rank before it.
    The words after the indices are workspace for `count` values and `count` indices.
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
def _move_up_closing(
    decision: Decision, sums: Floats, alive: Words, better: Word, count: Word
) -> Word:
    """Move walls that cannot be dropped yet up to index `better` of `alive`.

    They are among the first `count` moves of `alive`, from index `better` on. Returns the number of
    moves that go on.
    """
    for i in range(better, count):
        move, number = decision.moves[alive[i]], alive[i]
        if (
            move >> _KIND == WALL_MOVE
            and has(decision.observed, CLOSING, move & U(255))
            and sums[_COLUMNS * number + U(VISITS)] < LEAST_CLOSING
        ):
            alive[better] = number
            better += U(1)
    return better


@inner
def _first_moves(count: Word, simulations: Word, alive: Words, rng: Words) -> Word:
    """Fill `alive` with the moves to begin with, and return their number.

    These are all `count` moves, or random moves if there are fewer simulations than moves. In the
    latter case, each simulation gets a different move.
    """
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
    """Clear the control array, the trees, and the sums of the first `left` moves of `alive`."""
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
    """Select a move by sequential halving, and return its index.

    `simulations` is the number of simulations. Each move of a round is simulated at least once, so
    the total can be a little higher. `workspace.rng` seeds the determinizations. `alive`
    (uint64[3 * move_count]) and `workspace` are scratch memory.
    """
    b = bytes_of(decision.observed)
    control, rng = workspace.control, workspace.rng
    seed, first = next_word(rng) + (STEP << U(20)), U(0)
    left = _first_moves(decision.move_count, simulations, alive, rng)
    _clear(alive, left, decision.move_count, workspace)
    rounds = _rounds(left)
    while rounds and left > U(1) and control[DONE] < simulations:
        count = _determinizations(simulations - control[DONE], rounds, left)
        batch = SimulationBatch(seed, first, U(1), count)
        simulate_batch(decision, models, batch, alive, left, workspace)
        first += count
        rounds -= U(1)
        _sort_moves(workspace.sums, alive, left, U(b[SEAT]), U(b[PLAYERS]))
        better = _half(left)
        if rounds > U(1):
            better = _move_up_closing(decision, workspace.sums, alive, better, left)
        left = better
    return alive[0]
