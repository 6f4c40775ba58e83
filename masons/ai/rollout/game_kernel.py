"""The kernel of a rollout: games played to the end after each contender, in the same worlds.

A world is one deal of the hidden cards (dealt as in a search) and one stream of dice and draws. The
stream restarts at each turn, so games that took different courses still get the same dice and draws
in, say, turn 20.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from masons.ai.beliefs.determinization import deal
from masons.ai.halving.simulation import SimulationWorkspace
from masons.ai.models.model_data import Models
from masons.ai.net_policy.net_gradient import evaluate_state
from masons.ai.net_policy.net_play import net_choice, net_turn
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.search.decision import Decision
from masons.ai.self_play.seat_choices import (
    GameWorkspace,
    Seats,
    choose_move,
    list_moves,
    make_choice,
    player_of,
)
from masons.engine.board.components import FIRST_LAND, LANDS
from masons.engine.game.action_history import HISTORY_SIZE
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import (
    Floats,
    Word,
    Words,
    bytes_of,
    copy_words,
    halves_of,
    inner,
    offset,
    words,
)
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import STEP
from masons.engine.playouts.random_moves import roll_random
from masons.engine.playouts.random_scoring import best_final, draw_random
from masons.engine.rules.scoring import forget_areas, score_cards
from masons.engine.rules.transitions import apply_legal, skip_forced
from masons.engine.rules.turns import score_of
from masons.engine.state import layout

# Each choice, each seat's final scoring and the end of the game are recorded in a note of six
# words: the move (0 if there is none); the turn, the seat that chooses and the seat whose turn it
# is; and the scores before the choice, in 16 bits per seat. If a city is being scored, there follow
# its lowest space, its pieces and the points of the cards that are played; and the set of its
# spaces, in two words (otherwise 0).
MOVE, WHEN, POINTS, SCORED, CITY_SPACES = U(0), U(1), U(2), U(3), U(4)
NOTE_WORDS: Final = 6
# A note, as Python reads it.
NOTE: Final = np.dtype(
    [
        ("move", "u8"), ("turn", "u2"), ("seat", "u1"), ("active", "u1"), ("", "u4"),
        ("scores", "u2", (4,)), ("pieces", "u4"), ("space", "u1"), ("is_scored", "u1"),
        ("values", "u1", (2,)), ("spaces", "u8", (2,)),
    ]
)  # fmt: skip
MOST_NOTES: Final = 320  # per game
WHO, ACTIVE_SHIFT = U(16), U(24)
SPACE_SHIFT = U(32)
_PIECES = U((1 << 30) - 1)
_IS_SCORED = U(1 << 40)  # makes the word of every city nonzero
_VALUES_SHIFT = U(48)
_SPACES = U(128)  # a state has the words of so many spaces
# The result of a game: for each seat, its share of the victory, its final score, its score at the
# end of the decision's turn, and its score before the final scoring; then the last turn, the number
# of turns after the decision's turn in which a city is scored for points, and what each land card
# brings the seat that decides in the final scoring (0 if it is not played then). In a game that was
# cut short, the net predicts the shares of the victory and the final scores. The last numbers are
# each seat's share of the victory that the net predicts HORIZON turns after the decision's turn, or
# its true share if the game ended before.
WIN, SCORE, TURN_SCORE, CITY_SCORE, LAST, SCORED_TURNS, LAND = 0, 4, 8, 12, 16, 17, 18
CUT: Final = LAND + LANDS
RESULT: Final = CUT + 4
HORIZON: Final = 8  # turns

# The random choices of seats use a generator of their own, separate from dice and cards.
_CHOICES = U(0xA24BAED4963EE407)
_WORLD, _TURN = U(20), U(10)
_NEVER = U(1 << 16)


class GameBatch(NamedTuple):
    """The games to play: game g is contender `g % contenders` in world `first + g // contenders`.

    The batch consists of the games from `begin` up to, but not including, `end`.
    """

    seed: Word
    first: Word
    begin: Word
    end: Word
    turns: Word  # turns to play after the decision's turn, then the net evaluates; 0: to the end
    history: Floats  # float64[HISTORY_SIZE]: the action history, for players that search


class Notes(NamedTuple):
    """The notes of each game (see MOVE in this module). Modified in place."""

    choices: Words  # uint64[games * MOST_NOTES * NOTE_WORDS]
    counts: Words  # uint64[games]: number of notes
    is_on: Word  # 0: notes are off, and both arrays are empty


class _Setup(NamedTuple):
    """The board, the players, the notes and the memory of all games of a batch."""

    board: Words
    models: Models  # of the policy
    seats: Seats
    notes: Notes
    memory: GameWorkspace
    search: SimulationWorkspace
    policy: PolicyWorkspace


def new_notes(games: int) -> Notes:
    """Return empty notes for a number of games; with 0 games, notes are off."""
    return Notes(words(games * MOST_NOTES * NOTE_WORDS), words(games), U(games > 0))


@inner
def _note(move: Word, place: Word, state: Words, notes: Notes) -> None:
    """Record a choice before it is made, unless notes are off or the game's notes are full."""
    if not notes.is_on or notes.counts[place] == U(MOST_NOTES):
        return
    b, count = bytes_of(state), notes.counts[place]
    at = (place * U(MOST_NOTES) + count) * U(NOTE_WORDS)
    notes.choices[at + MOVE] = move
    notes.choices[at + WHEN] = (
        state[layout.TURN] | (U(b[layout.SEAT]) << WHO) | (U(b[layout.ACTIVE]) << ACTIVE_SHIFT)
    )
    notes.choices[at + POINTS] = state[layout.SCORES]
    for word in range(U(3)):
        notes.choices[at + SCORED + word] = U(0)
    if U(b[layout.PHASE]) == layout.PHASE_SCORE:
        _note_city(move, at, state, notes)
    notes.counts[place] = count + U(1)


@inner
def _note_city(move: Word, at: Word, state: Words, notes: Notes) -> None:
    """Record the city that is being scored and the points of the cards that a move plays."""
    b, halves, root = bytes_of(state), halves_of(state), U(bytes_of(state)[layout.CITY])
    pieces = U(halves[layout.SPACES_HALF + root]) & _PIECES
    values = U(0)
    if move >> layout.KIND_SHIFT == layout.PLAY_MOVE:
        values = U(b[layout.VALUES_BYTE + (move & U(31))])
        values |= U(b[layout.VALUES_BYTE + ((move >> U(5)) & U(31))]) << U(8)
    notes.choices[at + SCORED] = (
        (root << SPACE_SHIFT) | pieces | _IS_SCORED | (values << _VALUES_SHIFT)
    )
    for space in range(_SPACES):
        is_inside = space == root or U(halves[layout.SPACES_HALF + space]) == layout.IN_CITY | root
        notes.choices[at + CITY_SPACES + (space >> U(6))] |= U(is_inside) << (space & U(63))


@inner
def _keep_scores(state: Words, out: Floats, at: Word) -> None:
    """Write the score of each seat to `out`, from index `at` on."""
    for seat in range(U(bytes_of(state)[layout.PLAYERS])):
        out[at + seat] = float(score_of(state, seat))


@inner
def _keep_shares(out: Floats, at: Word, setup: _Setup) -> None:
    """Write each seat's share of the victory, as the net predicts it, to `out` from `at` on."""
    state, policy = setup.memory.state, setup.policy
    evaluate_state(state, setup.board, setup.models.net, policy)
    for seat in range(U(bytes_of(state)[layout.PLAYERS])):
        out[at + seat] = policy.wins[seat]


@inner
def _decide(phase: Word, place: Word, setup: _Setup) -> None:
    """Play SEAT's choice, made by a search if the seats have simulations, else by the policy.

    At a wall, the policy plays the whole turn in one call if notes are off.
    """
    board, seats, notes, memory = setup.board, setup.seats, setup.notes, setup.memory
    state, policy = memory.state, setup.policy
    if seats.simulations[0]:
        count = list_moves(board, memory)
        player = player_of(seats, U(bytes_of(state)[layout.SEAT]))
        move = choose_move(board, player, count, memory, setup.search, policy)
        _note(move, place, state, notes)
        make_choice(board, count, move, memory)
    elif phase == layout.PHASE_WALL and not notes.is_on:
        net_turn(state, board, memory.rng, memory.choice_rng, setup.models, policy)
    else:
        move = net_choice(state, board, memory.choice_rng, setup.models, policy)
        _note(move, place, state, notes)
        apply_legal(state, board, move)


@inner
def _play_on(
    first: Word, last: Word, decider: Word, place: Word, out: Floats, setup: _Setup
) -> Word:
    """Play from the decision's turn, `first`, to the start of a turn after `last`, or to the end.

    The decision itself may have ended its turn.

    Returns the hand of the seat `decider` before the final scoring, empty if there was none. The
    scores at the end of the decision's turn, the net's values after HORIZON turns, the number of
    scored turns and the scores before the final scoring are written to `out`. Unlike
    `next_decision`, this loop looks at the state after every step, because it stores these figures
    and sets the random states at the start of each turn.
    """
    board, memory = setup.board, setup.memory
    state, rng = memory.state, memory.rng
    b = bytes_of(state)
    chance, turn = rng[0], first
    horizon = first + U(HORIZON)
    out[U(CUT)] = -1.0  # not known yet
    is_final, held, scores = False, U(0), U(0)
    out[U(SCORED_TURNS)] = 0.0
    while True:
        skip_forced(state, board)
        phase = U(b[layout.PHASE])
        is_over = state[layout.TURN] != turn or phase >= layout.PHASE_FINAL
        if turn == first and is_over:
            _keep_scores(state, out, U(TURN_SCORE))
            first, scores = _NEVER, state[layout.SCORES]
        if is_over and not is_final and state[layout.SCORES] != scores:
            out[U(SCORED_TURNS)] += 1.0
            scores = state[layout.SCORES]
        if not is_final and phase >= layout.PHASE_FINAL:
            _keep_scores(state, out, U(CITY_SCORE))
            is_final, held = True, state[layout.HANDS + decider]
        if phase == layout.PHASE_OVER or (phase == layout.PHASE_WALL and state[layout.TURN] > last):
            return held
        if state[layout.TURN] != turn:
            turn = state[layout.TURN]
            if turn > horizon and phase == layout.PHASE_WALL:
                _keep_shares(out, U(CUT), setup)
                horizon = _NEVER
            rng[0] = chance + STEP * (turn << _TURN)
            memory.choice_rng[0] = rng[0] ^ _CHOICES
        if phase == layout.PHASE_ROLL:
            roll_random(state, board, rng)
        elif phase == layout.PHASE_DRAW:
            draw_random(state, rng, memory.counters)
        elif phase == layout.PHASE_FINAL:
            _note(U(0), place, state, setup.notes)
            best_final(state, board)
        else:
            _decide(phase, place, setup)


@inner
def _keep_result(held: Word, decider: Word, out: Floats, setup: _Setup) -> None:
    """Write the result of the game to `out`, predicted by the net if the game is not over.

    `held` is the hand of the seat `decider` before the final scoring.
    """
    board, state, policy = setup.board, setup.memory.state, setup.policy
    b = bytes_of(state)
    out[U(LAST)] = float(state[layout.TURN])
    _keep_shares(out, U(WIN), setup)
    is_short = out[U(CUT)] < 0.0
    for seat in range(U(b[layout.PLAYERS])):
        if is_short:
            out[U(CUT) + seat] = out[U(WIN) + seat]
        out[U(SCORE) + seat] = max(float(score_of(state, seat)), policy.scores[seat])
    if U(b[layout.PHASE]) < layout.PHASE_FINAL:
        _keep_scores(state, out, U(CITY_SCORE))
    score_cards(state, board, layout.NONE)
    played = held & ~state[layout.HANDS + decider]
    for card in range(U(LANDS)):
        kind = U(FIRST_LAND) + card
        copies = (played >> (U(2) * kind)) & U(3)
        points = U(b[layout.VALUES_BYTE + kind]) * ((copies & U(1)) + (copies >> U(1)))
        out[U(LAND) + card] = float(points)


@inner
def _make_first(
    move: Word, place: Word, chance: Word, dealt: Words, games: GameBatch, setup: _Setup
) -> None:
    """Begin a game in a world whose cards are dealt: make the contender's move."""
    board, memory, policy = setup.board, setup.memory, setup.policy
    memory.rng[0], memory.choice_rng[0] = chance, chance ^ _CHOICES
    # Values cached from another game could be rounded differently.
    forget_areas(policy.areas)
    layout.copy_state(memory.state, dealt)
    _note(move, place, memory.state, setup.notes)
    if setup.seats.simulations[0]:
        copy_words(memory.history, games.history, U(HISTORY_SIZE))
        make_choice(board, list_moves(board, memory), move, memory)
    else:
        apply_legal(memory.state, board, move)


@kernel
def play_rollouts(
    decision: Decision,
    models: Models,
    seats: Seats,
    batch: GameBatch,
    contenders: Words,
    count: Word,
    results: Floats,
    notes: Notes,
    dealt: Words,
    game: GameWorkspace,
    search: SimulationWorkspace,
    policy: PolicyWorkspace,
) -> None:
    """Play the games of a batch; fill `results`, and `notes` if they are on.

    `contenders` holds `count` indices into the decision's moves. `results` (float64[games *
    RESULT]) and `notes` begin with game `begin`. `dealt` (uint64[STATE_WORDS]), `game`, `search`
    and `policy` are workspaces; `dealt` holds the state of the world after the deal.
    """
    setup = _Setup(decision.board, models, seats, notes, game, search, policy)
    memory = setup.memory
    world, chance = U(0), U(0)
    turn = decision.observed[layout.TURN]
    last = turn + batch.turns if batch.turns else _NEVER
    decider = U(bytes_of(decision.observed)[layout.SEAT])
    for number in range(batch.begin, batch.end):
        if number == batch.begin or number // count != world:
            world = number // count
            memory.rng[0] = batch.seed + STEP * ((batch.first + world) << _WORLD)
            layout.copy_state(dealt, decision.observed)
            deal(dealt, decision.hidden, decision.hand_weights, decision.by_weights, memory.rng)
            chance = memory.rng[0]
        place = number - batch.begin
        out = offset(results, U(RESULT) * place)
        _make_first(decision.moves[contenders[number % count]], place, chance, dealt, batch, setup)
        held = _play_on(turn, last, decider, place, out, setup)
        _note(U(0), place, memory.state, setup.notes)
        _keep_result(held, decider, out, setup)
