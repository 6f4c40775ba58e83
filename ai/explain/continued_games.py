"""Games played on after some moves by the policy of the net, with the same luck after all of them.

The hidden cards are dealt as a search deals them. Dice and cards are drawn by the number of the
turn, so two games that went different ways still meet the same dice in turn 20.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from masons.ai.beliefs.determinization import deal
from masons.ai.halving.workspace import Decision, Models, words
from masons.ai.models.features import game_left
from masons.ai.net_policy.net_gradient import evaluate_once
from masons.ai.net_policy.net_play import net_choice
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.engine.board.components import FIRST_LAND, LANDS
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import (
    Floats,
    Word,
    Words,
    bytes_of,
    copy_words,
    field_of,
    halves_of,
    inner,
    kernel,
    pointers,
)
from masons.engine.kernels.rng import STEP
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.playouts.random_deals import draw_random
from masons.engine.playouts.random_rolls import roll_random
from masons.engine.playouts.random_scoring import best_final
from masons.engine.rules.dice import skip_forced
from masons.engine.rules.scoring import score_cards
from masons.engine.rules.transitions import apply_legal
from masons.engine.rules.turns import score_of
from masons.engine.state.layout import (
    ACTIVE,
    CITY,
    NONE,
    PHASE,
    PHASE_DRAW,
    PHASE_FINAL,
    PHASE_OVER,
    PHASE_ROLL,
    PHASE_SCORE,
    PHASE_WALL,
    PLAYERS,
    SCORES,
    SEAT,
    SPACES_HALF,
    STATE_WORDS,
    TURN,
    VALUES_BYTE,
)

# A note is made of each choice, each final scoring and the end: the move (0: none), the turn with
# the seat that chose and the seat whose turn it is, the scores before, 16 bits a seat, and where a
# city is scored its lowest space and its houses and palaces as a space has them (else 0).
MOVE, WHEN, POINTS, SCORED = U(0), U(1), U(2), U(3)
NOTE_WORDS: Final = 4
MOST_NOTES: Final = 320  # of a game
WHO, ACTIVE_SHIFT = U(16), U(24)
SPACE_SHIFT = U(32)
_PIECES = U((1 << 30) - 1)
_IS_SCORED = U(1 << 40)  # so that no city is 0
# What a game came to: each seat's win probability and score, those it has already; then the share
# of the game that was left, whether it ended, the turn; then what each land card scores there.
WIN, SCORE, HAS, LEFT, ENDED, LAST, LAND = 0, 4, 8, 12, 13, 14, 15
RESULT: Final = LAND + LANDS

_STATE = U(STATE_WORDS)
# What seats choose is drawn apart from the luck.
_CHOICES = U(0xA24BAED4963EE407)
_WORLD, _TURN = U(20), U(10)


class Asked(NamedTuple):
    """What is to be played. Numbers."""

    seed: Word
    first: Word  # the number of the first deal
    deals: Word
    turns: Word  # after the one of the decision; then the net says how it ends. 0: to the end


class Notes(NamedTuple):
    """What is noted, game by game: all moves of a deal one after the other. Modified."""

    choices: Words  # uint64[games * MOST_NOTES * NOTE_WORDS]
    counts: Words  # uint64[games]: how many notes there are
    results: Floats  # float64[games * RESULT]


class GameWorkspace(NamedTuple):
    """What a game works with. Everything is modified in place."""

    dealt: Words  # uint64[STATE_WORDS]: the deal
    state: Words  # uint64[STATE_WORDS]
    rng: Words  # uint64[1]: dice and cards
    choices: Words  # uint64[1]: what the policy draws
    counters: Words  # uint64[COUNTER_WORDS]


def new_game_workspace() -> GameWorkspace:
    """What a game works with, all zeros."""
    return GameWorkspace(
        words(STATE_WORDS), words(STATE_WORDS), words(1), words(1), words(COUNTER_WORDS)
    )


def new_notes(games: int) -> Notes:
    """Room for the notes of so many games."""
    results = field_of(np.zeros(games * RESULT))
    return Notes(words(games * MOST_NOTES * NOTE_WORDS), words(games), results)


@inner
def _note(move: Word, game: Word, state: Words, notes: Notes) -> None:
    """Note a choice before it is made."""
    count = notes.counts[game]
    if count == U(MOST_NOTES):
        return
    b = bytes_of(state)
    at = (game * U(MOST_NOTES) + count) * U(NOTE_WORDS)
    notes.choices[at + MOVE] = move
    notes.choices[at + WHEN] = state[TURN] | (U(b[SEAT]) << WHO) | (U(b[ACTIVE]) << ACTIVE_SHIFT)
    notes.choices[at + POINTS] = state[SCORES]
    notes.choices[at + SCORED] = U(0)
    if U(b[PHASE]) == PHASE_SCORE:
        space = U(b[CITY])
        pieces = U(halves_of(state)[SPACES_HALF + space]) & _PIECES
        notes.choices[at + SCORED] = (space << SPACE_SHIFT) | pieces | _IS_SCORED
    notes.counts[game] = count + U(1)


@inner
def _play_on(
    board: Words,
    models: Models,
    last: Word,
    game: Word,
    notes: Notes,
    own: GameWorkspace,
    policy: PolicyWorkspace,
) -> None:
    """Play on to the start of a turn after `last`, or to the end."""
    state, rng = own.state, own.rng
    b = bytes_of(state)
    luck, turn = rng[0], state[TURN]
    while True:
        skip_forced(state, board)
        phase = U(b[PHASE])
        if phase == PHASE_OVER or (phase == PHASE_WALL and state[TURN] > last):
            return
        if state[TURN] != turn:
            turn = state[TURN]
            rng[0] = luck + STEP * (turn << _TURN)
        if phase == PHASE_ROLL:
            roll_random(state, board, rng)
        elif phase == PHASE_DRAW:
            draw_random(state, rng, own.counters)
        elif phase == PHASE_FINAL:
            _note(U(0), game, state, notes)
            best_final(state, board)
        else:
            move = net_choice(state, board, own.choices, models, policy)
            _note(move, game, state, notes)
            apply_legal(state, board, move)


@inner
def _note_result(
    board: Words, models: Models, state: Words, out: Floats, at: Word, policy: PolicyWorkspace
) -> None:
    """What the game came to, or the net says that it will. Modifies VALUES of the state."""
    b = bytes_of(state)
    wins, scores = policy.wins, policy.scores
    players = U(b[PLAYERS])
    is_over = U(b[PHASE]) == PHASE_OVER
    for seat in range(players):
        out[at + U(HAS) + seat] = float(score_of(state, seat))
    out[at + U(LEFT)] = 0.0 if is_over else game_left(state)
    out[at + U(ENDED)] = float(U(is_over))
    out[at + U(LAST)] = float(state[TURN])
    evaluate_once(state, board, models.net, policy)
    for seat in range(players):
        out[at + U(WIN) + seat] = wins[seat]
        out[at + U(SCORE) + seat] = max(out[at + U(HAS) + seat], scores[seat])
    score_cards(state, board, NONE)
    for card in range(U(LANDS)):
        out[at + U(LAND) + card] = float(b[VALUES_BYTE + U(FIRST_LAND) + card])


@kernel
def continue_games(
    decision: Decision,
    models: Models,
    asked: Asked,
    notes: Notes,
    workspace: GameWorkspace,
    policy: PolicyWorkspace,
) -> None:
    """Play on after each of the decision's moves, in so many deals; fill `notes`."""
    here, learned, noted = pointers(decision), pointers(models), pointers(notes)
    own, by_net = pointers(workspace), pointers(policy)
    last = here.observed[TURN] + asked.turns
    if asked.turns == U(0):
        last = U(1 << 16)
    for n in range(asked.deals):
        own.rng[0] = asked.seed + STEP * ((asked.first + n) << _WORLD)
        copy_words(own.dealt, here.observed, _STATE)
        deal(own.dealt, here.hidden, here.hand_weights, here.predicts_hands, own.rng)
        luck = own.rng[0]
        for i in range(here.move_count):
            game = n * here.move_count + i
            own.rng[0], own.choices[0] = luck, luck ^ _CHOICES
            copy_words(own.state, own.dealt, _STATE)
            _note(here.moves[i], game, own.state, noted)
            apply_legal(own.state, here.board, here.moves[i])
            _play_on(here.board, learned, last, game, noted, own, by_net)
            _note(U(0), game, own.state, noted)
            _note_result(here.board, learned, own.state, noted.results, U(RESULT) * game, by_net)
