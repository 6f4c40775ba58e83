"""Kernels that step, reset and observe many environments in one call.

A batch is a named tuple of arrays. Environments are independent, so several threads can share a
batch.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from masons.engine.board.components import HAND, MAX_PLAYERS
from masons.engine.kernels.bits import U, high_product, lowest, nth_item, popcount
from masons.engine.kernels.jit import (
    Single,
    Singles,
    Word,
    Words,
    bytes_of,
    inner,
    offset,
    shared,
)
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import later_word, next_word, skip_words
from masons.engine.playouts.random_scoring import random_cards
from masons.engine.rules.transitions import skip_forced
from masons.engine.rules.turns import card_of, score_of, winner_set
from masons.engine.state import layout
from masons.env.stepping import env_layout as env
from masons.env.stepping.actions import (
    clear_choice,
    go_on,
    is_forced,
    is_legal_action,
    list_actions,
    make_action,
    note_action,
    note_choice,
    nth_action,
)
from masons.env.stepping.observing import write_mask, write_observation

# The action that leaves an environment unchanged. As a signed number it is -1.
LEAVE: Final = U((1 << 64) - 1)
# Rules of rewards.
REWARD_WIN: Final = U(0)
REWARD_POINTS: Final = U(1)

_ROW = U(env.ROW_WORDS)
_STATE = U(layout.STATE_WORDS)
_SEATS = U(MAX_PLAYERS)
_LEGAL_WORDS = U(env.LEGAL_WORDS)
_NOBODY: Final = LEAVE
_MIX: Final = U(0x9E3779B97F4A7C15)

# Number of environments in a part, which a thread steps before it takes the next part. With small
# parts, all threads end at about the same time.
PART: Final = 16


class Batch(NamedTuple):
    """A batch of n environments and the arrays to which their results are written."""

    rows: Words  # uint64[n * ROW_WORDS]: see `env_layout`
    board: Words  # uint64[TABLE_WORDS]: the packed board, not modified
    starts: Words  # uint64[3 * STATE_WORDS]: states before the deal, 2 to 4 players; not modified
    observation: Words  # uint64[n * observation_words]: see `env_layout`
    mask: Words  # uint64[n * mask_words]: a byte for each action
    player: Words  # uint64[n]: the seat to move; -1 as a signed number if the game is over
    reward: Singles  # float32[n * MAX_PLAYERS]
    done: Words  # bytes, uint8[n]: 1 if the last action ended a game
    observation_words: Word
    mask_words: Word
    reward_rule: Word  # REWARD_WIN or REWARD_POINTS
    auto_reset: Word  # 1 if a new game begins in the step in which a game ends


@inner
def _deal(row: Words, rng: Words) -> None:
    """Deal six random cards to each seat. The first copy of a kind is dealt before the second."""
    deck = row[layout.DECK]
    for seat in range(U(bytes_of(row)[layout.PLAYERS])):
        for _ in range(U(HAND)):
            any_card = nth_item(deck, high_product(next_word(rng), popcount(deck)))
            card = card_of(deck, lowest(any_card) >> U(1))
            deck ^= card
            row[layout.HANDS + seat] |= card
    row[layout.DECK] = deck


@inner
def _new_game(batch: Batch, number: Word) -> None:
    """Deal a new game in an environment."""
    row = offset(batch.rows, _ROW * number)
    players = U(bytes_of(row)[env.SEATS])
    layout.copy_state(row, offset(batch.starts, _STATE * (players - U(2))))
    _deal(row, offset(row, env.RNG))
    row[env.REPORTED] = row[layout.SCORES]
    row[env.STEPS] = U(0)
    clear_choice(row)
    go_on(row, batch.board, True)


@inner
def _write(batch: Batch, number: Word) -> None:
    """Write the observation, the mask and the player of an environment."""
    row = offset(batch.rows, _ROW * number)
    seat, words = U(bytes_of(row)[layout.SEAT]), batch.mask_words
    out = offset(batch.observation, batch.observation_words * number)
    write_observation(row, batch.board, out, seat)
    write_mask(offset(row, env.LEGAL), offset(batch.mask, words * number), words)
    is_over = bytes_of(row)[layout.PHASE] == layout.PHASE_OVER
    batch.player[number] = _NOBODY if is_over else seat


@inner
def _no_reward(batch: Batch, number: Word) -> None:
    bytes_of(batch.done)[number] = U(0)
    for seat in range(_SEATS):
        batch.reward[_SEATS * number + seat] = Single(0.0)


@inner
def _reward_win(row: Words, rewards: Singles) -> None:
    """Write the rewards at the end of a game, which sum to 0.

    Each loser gets -1 / (players - 1), and the winners share what the losers lose.
    """
    players = U(bytes_of(row)[layout.PLAYERS])
    winners = winner_set(row)
    part = float(players) / float(popcount(winners))
    others = float(players - U(1))
    for seat in range(players):
        won = part if (winners >> seat) & U(1) else 0.0
        rewards[seat] = Single((won - 1.0) / others)


@inner
def _reward_points(row: Words, rewards: Singles) -> None:
    """Write the points that each seat has scored since the last reward."""
    for seat in range(U(bytes_of(row)[layout.PLAYERS])):
        before = (row[env.REPORTED] >> (U(16) * seat)) & U(0xFFFF)
        rewards[seat] = Single(float(score_of(row, seat)) - float(before))
    row[env.REPORTED] = row[layout.SCORES]


@inner
def _step(batch: Batch, number: Word, action: Word) -> None:
    row = offset(batch.rows, _ROW * number)
    b = bytes_of(row)
    _no_reward(batch, number)
    make_action(row, batch.board, action)
    row[env.STEPS] += U(1)
    is_over = b[layout.PHASE] == layout.PHASE_OVER
    rewards = offset(batch.reward, _SEATS * number)
    if batch.reward_rule == REWARD_POINTS:
        _reward_points(row, rewards)
    elif is_over:
        _reward_win(row, rewards)
    if is_over:
        bytes_of(batch.done)[number] = U(1)
        row[env.FINAL_SCORES] = row[layout.SCORES]
        row[env.GAMES] += U(1)
        if batch.auto_reset:
            _new_game(batch, number)
    _write(batch, number)


@shared
def step_some(batch: Batch, actions: Words, first: Word, last: Word) -> None:
    """Make an action in each environment from `first` to `last` (exclusive).

    `actions` (uint64[n]) has a legal action or LEAVE for each of these environments.
    """
    for number in range(first, last):
        if actions[number] == LEAVE:
            _no_reward(batch, number)
            _write(batch, number)
        else:
            _step(batch, number, actions[number])


@inner
def first_illegal(batch: Batch, actions: Words, count: Word) -> Word:
    """Return the first environment with an illegal action, or the number of environments."""
    for number in range(count):
        action = actions[number]
        if action != LEAVE and not is_legal_action(offset(batch.rows, _ROW * number), action):
            return number
    return count


@kernel
def step_envs(batch: Batch, actions: Words, count: Word) -> Word:
    """Make an action in each environment if all actions are legal.

    `actions` holds `count` actions, where LEAVE stands for no action. Returns the first environment
    with an illegal action, or `count` if all actions are legal.
    """
    wrong = first_illegal(batch, actions, count)
    if wrong == count:
        step_some(batch, actions, U(0), count)
    return wrong


@kernel
def reset_envs(batch: Batch, chosen: Words, count: Word) -> None:
    """Begin a new game in the environments for which `chosen` (uint64[count]) is not 0.

    The caller must have set RNG, SEATS and ENCODING in the rows of these environments.
    """
    for number in range(count):
        if chosen[number]:
            _new_game(batch, number)
            _no_reward(batch, number)
            _write(batch, number)


@kernel
def show_envs(batch: Batch, first: Word, last: Word) -> None:
    """Write observations, masks and players for rows from `first` to `last` (exclusive).

    The caller has set these rows. A row that waits for chance is first played on to the next
    decision. Rewards and `done` become 0.
    """
    for number in range(first, last):
        row = offset(batch.rows, _ROW * number)
        go_on(row, batch.board, bytes_of(row)[env.STAGE] == U(0))
        _no_reward(batch, number)
        _write(batch, number)


@shared
def pick_some(batch: Batch, rng: Words, actions: Words, first: Word, last: Word) -> None:
    """Pick actions for the environments from `first` to `last` (exclusive).

    The caller advances `rng` with `skip_words` beforehand; this function does not modify `rng`.
    """
    for number in range(first, last):
        row = offset(batch.rows, _ROW * number)
        count = U(0)
        for w in range(_LEGAL_WORDS):
            count += popcount(row[env.LEGAL + w])
        actions[number] = LEAVE
        if count:
            actions[number] = nth_action(row, high_product(later_word(rng, number), count))


@kernel
def pick_actions(batch: Batch, rng: Words, actions: Words, count: Word) -> None:
    """Write `count` random legal actions to `actions`, or LEAVE where the game is over."""
    skip_words(rng, count)
    pick_some(batch, rng, actions, U(0), count)


@kernel
def step_row(row: Words, board: Words, action: Word) -> Word:
    """Make an action in a row (uint64[ROW_WORDS]), and play on to a chance event or a choice.

    If `action` is LEAVE, no action is made first. Returns the number of legal actions, which is 0
    if the row waits for dice or a card, or if its game is over.
    """
    if action != LEAVE:
        note_choice(row, board, action)
    while True:
        skip_forced(row, board)
        phase = U(bytes_of(row)[layout.PHASE])
        waits = phase == layout.PHASE_ROLL
        if waits or phase == layout.PHASE_DRAW:
            return U(0)
        count = list_actions(row, board)
        if not is_forced(row, count):
            return count
        note_action(row, board, nth_action(row, U(0)))


@inner
def _checksum(row: Words) -> Word:
    total = _MIX
    for i in range(_ROW):
        if i != env.CHECKSUM:
            total = (total ^ row[i]) * _MIX
            total ^= total >> U(29)
    return total


@kernel
def seal_rows(rows: Words, count: Word) -> None:
    """Write the checksum of each row to `rows` (uint64[count * ROW_WORDS], modified in place)."""
    for number in range(count):
        row = offset(rows, _ROW * number)
        row[env.CHECKSUM] = _checksum(row)


@kernel
def first_unsound(rows: Words, count: Word, encoding: Word) -> Word:
    """Return the first row with a wrong checksum or encoding, or `count`."""
    for number in range(count):
        row = offset(rows, _ROW * number)
        if row[env.ENCODING] != encoding or row[env.CHECKSUM] != _checksum(row):
            return number
    return count


@kernel
def observe_row(row: Words, board: Words, seat: Word, out: Words) -> None:
    """Write a seat's observation of a row (uint64[ROW_WORDS]) to `out` (uint64[words])."""
    write_observation(row, board, out, seat)


@kernel
def redeal_rows(rows: Words, count: Word, seat: Word, rng: Words) -> None:
    """In each row, redeal the cards that `seat` does not see, and replace the random generator.

    If `seat` is layout.NONE, it stands for the seat to move. If another seat is in the middle of a
    decision, this decision begins again.
    """
    for number in range(count):
        row = offset(rows, _ROW * number)
        b = bytes_of(row)
        sees = U(b[layout.SEAT]) if seat == layout.NONE else seat
        if sees != U(b[layout.SEAT]):
            clear_choice(row)
        deck = row[layout.DECK]
        for other in range(U(b[layout.PLAYERS])):
            if other != sees:
                deck |= row[layout.HANDS + other]
        for other in range(U(b[layout.PLAYERS])):
            if other != sees:
                held = popcount(row[layout.HANDS + other])
                row[layout.HANDS + other] = random_cards(deck, popcount(deck), held, rng)
                deck ^= row[layout.HANDS + other]
        row[layout.DECK] = deck
        row[env.RNG] = next_word(rng)
