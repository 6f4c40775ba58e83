"""Whole games between searches, in one kernel: thousands an hour to fit to.

Each seat searches by sequential halving (one thread, by simulations), or plays by the heuristics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.halving_kernel import halve
from masons.ai.halving.simulation import COLUMNS, Scratch, new_workspace, scratch_of
from masons.ai.models.hand_model import HAND_INPUTS, HAND_WEIGHTS, fill_hand_weights
from masons.ai.models.model_data import learned
from masons.ai.models.value_net import WEIGHTS
from masons.ai.policies.heuristic_moves import PARAMETERS
from masons.ai.policies.heuristic_play import heuristic_choice
from masons.engine.board.components import MAX_PLAYERS
from masons.engine.game.action_history import (
    HISTORY_SIZE,
    HISTORY_WORKSPACE,
    ActionHistory,
    clear_history,
    note_choice,
)
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U, lowest, popcount
from masons.engine.kernels.jit import (
    FloatArray,
    Floats,
    SingleArray,
    Singles,
    Word,
    WordArray,
    Words,
    bytes_of,
    copy_words,
    inner,
    kernel,
    ptr,
)
from masons.engine.kernels.rng import below, fraction, next_word
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.playouts.random_deals import deal_hands, draw_random
from masons.engine.playouts.random_scoring import best_final
from masons.engine.rules.dice import skip_forced, throw_dice
from masons.engine.rules.legal_moves import (
    MAX_CITIES,
    MAX_MOVES,
    WORK_WORDS,
    kinds_of,
    list_legal,
    nth_swap,
)
from masons.engine.rules.transitions import apply_legal
from masons.engine.rules.turns import score_of
from masons.engine.state.initial_state import empty_state
from masons.engine.state.layout import (
    CITIES,
    DECK,
    HANDS,
    PHASE,
    PHASE_DRAW,
    PHASE_FINAL,
    PHASE_OVER,
    PHASE_ROLL,
    PHASE_SWAP,
    PHASE_WALL,
    PLAYERS,
    SEAT,
    STATE_WORDS,
    TURN,
    State,
)

# Of a swap so many ways are looked at, those of the first kinds in hand.
MOST_SWAPS: Final = 96
# Of a game: each seat's points with a hundredth for each card in hand, turns, cities, rows so far.
RESULT: Final = 7
# The tree of one decision: more simulations than these hardly pass through new nodes.
_ARENA_WORDS: Final = 1 << 20
# A game has fewer turns than these.
_MOST_TURNS: Final = 64

# Where the pieces of a list of words begin: after the counters.
_WORK: Final = COUNTER_WORDS
_ROOTS: Final = _WORK + WORK_WORDS
_MOVES: Final = _ROOTS + MAX_CITIES
_ALIVE: Final = _MOVES + MAX_MOVES
_LIST_WORDS: Final = _ALIVE + MAX_MOVES

# Where the pieces of the numbers about hands begin: after the action history.
_HISTORY_WORKSPACE: Final = HISTORY_SIZE
_INPUTS: Final = _HISTORY_WORKSPACE + HISTORY_WORKSPACE
_HAND_WEIGHTS: Final = _INPUTS + HAND_INPUTS
_CHANCES: Final = _HAND_WEIGHTS + HAND_WEIGHTS

_STATE = U(STATE_WORDS)
_HISTORY_SIZE = U(HISTORY_SIZE)


@inner
def list_swaps(state: Words, out: Words) -> Word:
    """Fill `out` with ways to swap: all of the first kinds in hand, up to MOST_SWAPS."""
    cards = state[HANDS + U(bytes_of(state)[SEAT])]
    count = U(1)
    kinds = kinds_of(cards)
    while kinds:
        ways = count * (U(1) + popcount((cards >> lowest(kinds)) & U(3)))
        if ways > U(MOST_SWAPS):
            break
        count = ways
        kinds &= kinds - U(1)
    for n in range(count):
        out[n] = nth_swap(cards, n)
    return count


@inner
def hide_hands(state: Words, seat: Word, view: Words, hidden: Words) -> None:
    """Fill `view` with what a seat sees, `hidden` with how many cards of each seat it does not."""
    copy_words(view, state, _STATE)
    for other in range(U(4)):
        hidden[other] = U(0)
        if other != seat and other < U(bytes_of(state)[PLAYERS]):
            hidden[other] = popcount(state[HANDS + other])
            view[DECK] |= state[HANDS + other]
            view[HANDS + other] = U(0)


@inner
def roll_random(state: Words, board: Words, rng: Words) -> None:
    """Roll the dice that are due."""
    die, dice = below(rng, U(3)), below(rng, U(36))
    throw_dice(state, board, die, dice // U(6), dice % U(6))


@inner
def next_decision(state: Words, board: Words, rng: Words, counters: Words) -> Word:
    """Let chance and what leaves no choice happen; the phase of the next decision, or PHASE_OVER.

    In the final scoring all take the most points.
    """
    b = bytes_of(state)
    while True:
        skip_forced(state, board)
        phase = U(b[PHASE])
        if phase == PHASE_ROLL:
            roll_random(state, board, rng)
        elif phase == PHASE_DRAW:
            draw_random(state, rng, counters)
        elif phase == PHASE_FINAL:
            best_final(state, board)
        else:
            return phase


@inner
def _deal(state: Words, start: Words, rng: Words, history: Floats) -> None:
    """Begin a game."""
    copy_words(state, start, _STATE)
    deal_hands(state, rng)
    clear_history(history)


@inner
def _list_moves(state: Words, board: Words, work: Words, roots: Words, out: Words) -> Word:
    """Fill `out` with the moves of a decision; their number."""
    if bytes_of(state)[PHASE] == PHASE_SWAP:
        return list_swaps(state, out)
    return list_legal(state, board, work, roots, out)


@inner
def _note_result(state: Words, out: Floats, rows: Word) -> None:
    """Fill a game's row of results."""
    for seat in range(U(bytes_of(state)[PLAYERS])):
        out[seat] = float(score_of(state, seat)) + 0.01 * float(popcount(state[HANDS + seat]))
    out[4] = float(state[TURN])
    out[5] = float(state[CITIES])
    out[6] = float(rows)


@inner
def _choose(
    state: Words,
    board: Words,
    moves: Words,
    count: Word,
    simulations: Word,
    predicts_hands: Word,
    heuristic: Floats,
    net: Singles,
    own: Words,
    arena: Words,
    size: Word,
    workspaces: tuple[Words, Words, Words, Words, Words],
    known: tuple[Floats, Floats, Floats, Floats],
    scratch: Scratch,
    sums: Floats,
    alive: Words,
) -> Word:
    """SEAT's move: that of its search, or where it has no simulations of the heuristics, if any."""
    seat = U(bytes_of(state)[SEAT])
    view, determinization, workspace, search, hidden = workspaces
    if simulations:
        hide_hands(state, seat, view, hidden)
        history, numbers, inputs, hand_weights = known
        if predicts_hands:
            fill_hand_weights(view, board, history, numbers, determinization, inputs, hand_weights)
        search[0] = next_word(own)
        best = halve(
            view, board, hidden, hand_weights, predicts_hands, moves, count, simulations, heuristic,
            net, arena, size, determinization, search, scratch, sums, alive,
        )  # fmt: skip
        return moves[best]
    return heuristic_choice(state, board, own, heuristic, workspace)


@kernel
def play_searches(
    start: WordArray,
    board: WordArray,
    seeds: WordArray,
    simulations: WordArray,
    predicts_hands: WordArray,
    heuristics: FloatArray,
    nets: SingleArray,
    numbers: FloatArray,
    explored: float,
    turns: WordArray,
    histories: FloatArray,
    results: FloatArray,
    states: WordArray,
    lists: WordArray,
    arena: WordArray,
    rngs: WordArray,
    words: WordArray,
    floats: FloatArray,
    singles: SingleArray,
    sums: FloatArray,
    chances: FloatArray,
) -> None:
    """Play a game from an undealt state for each of the `seeds` (uint64[games]).

    For each seat: `simulations` (uint64[players]) of a decision, 0: heuristics; `predicts_hands`
    (uint64[players]), whether it predicts hands, by `numbers` (float64[HANDS_NUMBERS]);
    `heuristics` (float64[players * MAX_PLAYERS * PARAMETERS]) and `nets` (float32[players *
    WEIGHTS]) by which it searches or plays. `explored`: the share of decisions made at random.
    Filled: `turns` (uint64[rows * STATE_WORDS]) and `histories` (float64[rows * HISTORY_SIZE]) with
    the state and the action history at the start of each turn, as long as there is space, and
    `results` (float64[games * RESULT]). The rest is workspace.
    """
    table, tree, totals = ptr(board), ptr(arena), ptr(sums)
    t, work, roots, moves, alive = (
        ptr(lists), ptr(lists[_WORK:]), ptr(lists[_ROOTS:]), ptr(lists[_MOVES:]),
        ptr(lists[_ALIVE:]),
    )  # fmt: skip
    s, chance, own = ptr(states), ptr(rngs), ptr(rngs[1:])
    workspaces = (
        ptr(states[STATE_WORDS:]), ptr(states[2 * STATE_WORDS :]), ptr(states[3 * STATE_WORDS :]),
        ptr(rngs[2:]), ptr(rngs[3:]),
    )  # fmt: skip
    scratch, rows = scratch_of(words, floats, singles), U(0)
    history, history_workspace = ptr(chances), ptr(chances[_HISTORY_WORKSPACE:])
    known = (history, ptr(numbers), ptr(chances[_INPUTS:]), ptr(chances[_HAND_WEIGHTS:]))
    b = bytes_of(s)
    for game in range(U(len(seeds))):
        chance[0], own[0] = seeds[game], seeds[game] ^ U(0x9E3779B97F4A7C15)
        _deal(s, ptr(start), chance, history)
        while True:
            phase = next_decision(s, table, chance, t)
            if phase == PHASE_OVER:
                break
            seat = U(b[SEAT])
            if phase == PHASE_WALL and (rows + U(1)) * _STATE <= U(len(turns)):
                copy_words(ptr(turns[rows * _STATE :]), s, _STATE)
                copy_words(ptr(histories[rows * _HISTORY_SIZE :]), history, _HISTORY_SIZE)
                rows += U(1)
            count = _list_moves(s, table, work, roots, moves)
            policy = ptr(heuristics[U(MAX_PLAYERS * PARAMETERS) * seat :])
            move = moves[below(own, count)]
            if fraction(own) >= explored:
                chosen = _choose(
                    s, table, moves, count, simulations[seat], predicts_hands[seat], policy,
                    ptr(nets[U(WEIGHTS) * seat :]), own, tree, U(len(arena)), workspaces, known,
                    scratch, totals, alive,
                )  # fmt: skip
                move = chosen if chosen else move
            # The view is free: each search makes it anew.
            note_choice(s, table, moves, count, move, workspaces[0], history_workspace, history)
            apply_legal(s, table, move)
        _note_result(s, ptr(results[U(RESULT) * game :]), rows)


@dataclass(frozen=True)
class Seat:
    """How a seat plays."""

    simulations: int  # of a decision; 0: by the heuristics
    heuristic: NDArray[np.float64]  # PARAMETERS
    net: NDArray[np.float32]  # WEIGHTS
    predicts_hands: bool = True  # hands, by what was chosen


@dataclass(frozen=True)
class Games:
    """What games came to."""

    points: NDArray[np.float64]  # [games, seats], with a hundredth for each card in hand
    lengths: NDArray[np.int64]  # turns of each game
    cities: NDArray[np.int64]
    starts: State  # [rows, STATE_WORDS]: the states at the start of each turn
    histories: ActionHistory  # [rows, HISTORY_SIZE]: the action histories then
    of_game: NDArray[np.int64]  # [rows]: the game


def play_games(
    table: Table,
    seats: Sequence[Seat],
    seeds: Sequence[int],
    explored: float = 0.0,
    numbers: NDArray[np.float64] | None = None,
) -> Games:
    """A game for each seed, from the deal on; `explored` of the decisions are made at random.

    `numbers` (float64[HANDS_NUMBERS]; None: those shipped): by which hands are predicted. The same
    arguments give the same games.
    """
    count = len(seeds)
    start = empty_state(table.packed, len(seats))
    turns = np.zeros(count * _MOST_TURNS * STATE_WORDS, dtype=np.uint64)
    histories = np.zeros(count * _MOST_TURNS * HISTORY_SIZE)
    results = np.zeros(count * RESULT)
    play_searches(
        start, table.packed, np.array(seeds, dtype=np.uint64),
        np.array([seat.simulations for seat in seats], dtype=np.uint64),
        np.array([seat.predicts_hands for seat in seats], dtype=np.uint64),
        np.concatenate([np.tile(seat.heuristic, MAX_PLAYERS) for seat in seats]),
        np.concatenate([seat.net for seat in seats]),
        learned()["hands"] if numbers is None else numbers, explored, turns, histories, results,
        np.zeros(4 * STATE_WORDS, dtype=np.uint64), np.zeros(_LIST_WORDS, dtype=np.uint64),
        np.zeros(_ARENA_WORDS, dtype=np.uint64), np.zeros(3 + MAX_PLAYERS, dtype=np.uint64),
        *new_workspace(), np.zeros(MAX_MOVES * COLUMNS), np.zeros(_CHANCES),
    )  # fmt: skip
    rows = results.reshape(count, RESULT)
    ends = rows[:, 6].astype(np.int64)
    return Games(
        points=rows[:, : len(seats)],
        lengths=rows[:, 4].astype(np.int64),
        cities=rows[:, 5].astype(np.int64),
        starts=turns.reshape(-1, STATE_WORDS)[: ends[-1]],
        histories=histories.reshape(-1, HISTORY_SIZE)[: ends[-1]],
        of_game=np.repeat(np.arange(count), np.diff(ends, prepend=0)),
    )
