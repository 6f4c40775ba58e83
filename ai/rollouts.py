"""Trying moves: each is played in the same worlds, with the same luck, on for a few turns.

A world is a determinization with a generator of its own; every move meets the same ones, so that
what two moves have in common cancels in their difference. The rules of thumb play on; where the
game is not over by then, the leaf is guessed at.
"""

from __future__ import annotations

from typing import Final

from masons.ai.determinize import determinize
from masons.ai.evaluate import win_shares
from masons.ai.leaf import FEATURES, guess_scores, shares_of
from masons.ai.thumb_play import thumb_play
from masons.engine.bits import U
from masons.engine.clock import now_ns
from masons.engine.jit import Word, Words, bytes_of, copy_words, inner, kernel, ptr
from masons.engine.layout import PHASE, PHASE_OVER, PLAYERS, STATE_WORDS, TURN
from masons.engine.rng import STEP
from masons.engine.rules import apply_legal
from masons.engine.turns import score_of

# Words of the control array, as in `iterate`: DONE counts the moves tried.
STOP: Final = 0
DONE: Final = 1
DEADLINE: Final = 2  # in nanoseconds of the monotonic clock; 0 is none
CONTROL_WORDS: Final = 3
# What is summed of a move: how often it was tried, then for each seat its share of the victory, the
# square of it, and its score; and how often the game was over.
COLUMNS: Final = 14

_COLUMNS = U(COLUMNS)
_STATE = U(STATE_WORDS)
_FEATURES = U(FEATURES)


@inner
def judge(
    state: Words,
    board: Words,
    leaf: Words,
    sums: Words,
    row: Word,
    shares: Words,
    scores: Words,
    features: Words,
) -> None:
    """Add what a state is worth to the row of `sums` that begins at `row`; the rest is room."""
    players = U(bytes_of(state)[PLAYERS])
    if bytes_of(state)[PHASE] == PHASE_OVER:
        sums[row + U(13)] += 1.0
        win_shares(state, shares)
        for seat in range(players):
            scores[seat] = float(score_of(state, seat))
    else:
        spread = guess_scores(state, board, leaf, features, scores)
        shares_of(scores, players, spread, shares)
    sums[row] += 1.0
    for seat in range(players):
        sums[row + U(1) + seat] += shares[seat]
        sums[row + U(5) + seat] += shares[seat] * shares[seat]
        sums[row + U(9) + seat] += scores[seat]


@kernel
def try_moves(
    start: Words,
    board: Words,
    hidden: Words,
    moves: Words,
    alive: Words,
    first: Word,
    step: Word,
    worlds: Word,
    seed: Word,
    turns: Word,
    thumb: Words,
    leaf: Words,
    control: Words,
    sums: Words,
    base: Words,
    state: Words,
    room: Words,
    tally: Words,
    rng: Words,
    shares: Words,
    scores: Words,
    features: Words,
) -> None:
    """Try some moves in some worlds, or in one at least until the stop flag or the deadline.

    The worlds are those with the numbers `first`, `first + step` and so on, `worlds` of them.
    `start` (uint64[STATE_WORDS]): the observer's view, hidden cards in the deck; `hidden`
    (uint64[4]): how many of them each seat holds; `moves` (uint64[n]), of which `alive`
    (uint64[m]) are tried, by their numbers. `turns`: how many more are begun before a leaf is
    judged. Modified in place: `control` (uint64[CONTROL_WORDS]) and `sums` (float64[n * COLUMNS]).
    The rest is room to work in: uint64 `base`, `state`, `room` [STATE_WORDS], `tally`
    [TALLY_WORDS], `rng` [1], float64 `shares`, `scores` [4], `features` [FEATURES].
    """
    begin, table, unseen, flags = ptr(start), ptr(board), ptr(hidden), ptr(control)
    b, s, r, t, w = ptr(base), ptr(state), ptr(room), ptr(tally), ptr(thumb)
    until = begin[TURN] + U(turns)
    luck, tries, who = ptr(rng), ptr(sums), ptr(alive)
    moved, weights = ptr(moves), ptr(leaf)
    won, points, own = ptr(shares), ptr(scores), ptr(features)
    for number in range(U(worlds)):
        # Until each move was tried once there is nothing to go by.
        if flags[DONE] and (flags[STOP] or (flags[DEADLINE] and now_ns() >= flags[DEADLINE])):
            return
        luck[0] = U(seed) + STEP * ((U(first) + U(step) * number) << U(20))
        copy_words(b, begin, _STATE)
        determinize(b, unseen, luck)
        world = luck[0]
        for i in range(len(alive)):
            luck[0] = world
            copy_words(s, b, _STATE)
            apply_legal(s, table, moved[who[i]])
            thumb_play(s, table, luck, w, until, r, t)
            judge(s, table, weights, tries, _COLUMNS * who[i], won, points, own)
            flags[DONE] += U(1)
