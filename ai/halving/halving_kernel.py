"""Sequential halving in a kernel: a whole decision of `halving`, one thread, by iterations."""

from __future__ import annotations

from masons.ai.beliefs.determinization import deal
from masons.ai.halving.simulation import (
    COLUMNS,
    SCORES,
    VISITS,
    WINS,
    Scratch,
    clear_links,
    simulate_move,
)
from masons.ai.halving.wall_tree import value
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Floats, Singles, Word, Words, bytes_of, copy_words, inner
from masons.engine.kernels.rng import STEP, below, next_word
from masons.engine.state.layout import PLAYERS, SEAT, STATE_WORDS

_COLUMNS = U(COLUMNS)
_STATE = U(STATE_WORDS)


@inner
def value_of(sums: Floats, row: Word, seat: Word, players: Word) -> float:
    """What a move is worth to a seat by its row of `sums`, as in `halving`."""
    total = 0.0
    for other in range(players):
        total += sums[row + U(SCORES) + other]
    all_tries = value(sums[row + U(WINS) + seat], sums[row + U(SCORES) + seat], total, players)
    return all_tries / max(sums[row + U(VISITS)], 1.0)


@inner
def sort_moves(sums: Floats, alive: Words, count: Word, seat: Word, players: Word) -> None:
    """Put the first `count` numbers of moves in order, the best first (by insertion)."""
    for i in range(U(1), count):
        move = alive[i]
        value = value_of(sums, _COLUMNS * move, seat, players)
        j = i
        while j and value_of(sums, _COLUMNS * alive[j - U(1)], seat, players) < value:
            alive[j] = alive[j - U(1)]
            j -= U(1)
        alive[j] = move


@inner
def first_moves(count: Word, simulations: Word, alive: Words, sums: Floats, rng: Words) -> Word:
    """Begin with all moves, or as many by chance as there are tries; their number."""
    for i in range(count):
        alive[i] = i
    for i in range(count * _COLUMNS):
        sums[i] = 0.0
    if count <= simulations:
        return count
    for i in range(simulations):
        j = i + below(rng, count - i)
        alive[i], alive[j] = alive[j], alive[i]
    return simulations


@inner
def halve(
    view: Words,
    board: Words,
    hidden: Words,
    hand_weights: Floats,
    predicts_hands: Word,
    moves: Words,
    count: Word,
    simulations: Word,
    heuristic: Floats,
    net: Singles,
    arena: Words,
    size: Word,
    determinization: Words,
    rng: Words,
    scratch: Scratch,
    sums: Floats,
    alive: Words,
) -> Word:
    """The best of `count` moves by sequential halving with some `simulations`.

    Hands are dealt by `hand_weights` (float64[HAND_WEIGHTS]) if `hand_estimates`.
    """
    luck = next_word(rng)
    clear_links(arena, count)
    left = first_moves(count, simulations, alive, sums, rng)
    rounds = U(0)
    while (U(1) << rounds) < left:
        rounds += U(1)
    b = bytes_of(view)
    used = U(0)
    while left > U(1) and used < simulations:
        determinizations = max((simulations - used) // (rounds * left), U(1))
        for _ in range(determinizations):
            luck += STEP << U(20)
            rng[0] = luck
            copy_words(determinization, view, _STATE)
            deal(determinization, hidden, hand_weights, predicts_hands, rng)
            begin = rng[0]
            for i in range(left):
                rng[0] = begin
                simulate_move(
                    determinization, board, rng, moves[alive[i]], alive[i], heuristic, net, arena, size, scratch,
                    sums,
                )  # fmt: skip
        used += determinizations * left
        rounds -= U(1)
        sort_moves(sums, alive, left, U(b[SEAT]), U(b[PLAYERS]))
        left = (left + U(1)) >> U(1)
    return alive[0]
