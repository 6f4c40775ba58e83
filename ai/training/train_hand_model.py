"""The model of hidden hands: how the numbers of `ai/models/hand_model.py` are fitted.

By the likelihood of the hands that players of many sorts held, down its gradient by Adam (Kingma
and Ba 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.features import LINE_INPUTS, LINES, game_left_of
from masons.ai.models.hand_model import HAND_INPUTS, HANDS_NUMBERS, POINTS, SCALES, UNITS
from masons.ai.training.adam import Adam
from masons.ai.training.self_play import Games
from masons.ai.training.training_games import Singles, everywhere, games_here, inputs_of
from masons.engine.board.components import FIRST_LAND, KINDS, MAX_PLAYERS
from masons.engine.board.geometry import load_board
from masons.engine.game.action_history import ENTRIES
from masons.engine.game.table import Table
from masons.engine.state.layout import DECK, HANDS

Numbers = NDArray[np.float64]

EPOCHS = 10
BATCH = 512
RATE, LAST_RATE = 4e-3, 1e-5  # the learning rate at first and at last
DECAY_DIRECT, DECAY = 3e-3, 1e-4  # towards 0: of what goes straight through, of the rest


@dataclass(frozen=True)
class Hands:
    """Hands at the start of turns, each with what another seat sees."""

    held: Numbers  # [rows, KINDS]: how many of each card
    unseen: Numbers  # [rows, KINDS]: how many the other seat does not see
    inputs: Numbers  # [rows, HAND_INPUTS]


def hand_inputs(
    over: Numbers, players: int, lines: Numbers, values: Numbers, pages: Numbers
) -> Numbers:
    """The inputs of some hands ([rows, HAND_INPUTS]).

    `over` ([rows]): the share of the game that is over; `lines` ([rows, LINE_INPUTS]); `values`
    ([rows, LANDS]): what each land card scores; `pages` ([rows, ENTRIES]): the seat's own part of
    the action history.
    """
    e = over[:, None]
    kinds = np.broadcast_to([players == 3, players == 4], (len(e), 2))
    value = values / POINTS
    parts = (np.ones_like(e), e, e * e, kinds, lines, value, value * e, pages * SCALES)
    return np.concatenate(parts, axis=1)


def split(numbers: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The numbers that go straight through, those in and those out: views of the same memory."""
    ends = np.cumsum([HAND_INPUTS * KINDS, HAND_INPUTS * UNITS])
    direct, into, out = np.split(numbers, ends)
    return direct.reshape(-1, KINDS), into.reshape(-1, UNITS), out.reshape(UNITS, KINDS)


def log_weights(numbers: Numbers, inputs: Numbers) -> Numbers:
    """The logarithm of the hand weight of each kind ([rows, KINDS])."""
    direct, into, out = split(numbers)
    return inputs @ direct + np.maximum(inputs @ into, 0) @ out


def counts(cards: NDArray[np.uint64]) -> Numbers:
    """How many of each kind are among some cards ([rows] to [rows, KINDS])."""
    shifts = 2 * np.arange(KINDS, dtype=np.uint64)
    both = (cards[:, None] >> shifts) & np.uint64(3)
    return ((both & np.uint64(1)) + (both >> np.uint64(1))).astype(np.float64)


def hands_of(games: Games, table: Table, rng: np.random.Generator) -> Hands:
    """A random seat's hand at each position, and what another random seat sees."""
    rows, players = np.arange(len(games.starts)), games.points.shape[1]
    who = rng.integers(players, size=len(rows))
    observer = (who + rng.integers(1, players, size=len(rows))) % players
    held = np.stack([counts(games.starts[:, int(HANDS) + s]) for s in range(players)], axis=1)
    unseen = counts(games.starts[:, int(DECK)]) + held.sum(axis=1) - held[rows, observer]
    over = np.array([1 - game_left_of(state) for state in games.starts])
    values = np.array([table.card_points(state, None)[FIRST_LAND:] for state in games.starts])
    lines = inputs_of(games, table)[:, int(LINES) :][:, :LINE_INPUTS].astype(np.float64)
    pages = games.histories.reshape(-1, MAX_PLAYERS, ENTRIES)[rows, who]
    return Hands(held[rows, who], unseen, hand_inputs(over, players, lines, values, pages))


def join_hands(parts: Sequence[Hands]) -> Hands:
    """All of them."""
    columns = (np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Hands))
    return Hands(*columns)


def hands_here(
    heuristic: Numbers, net: Singles, numbers: Numbers | None, seconds: float, seed: int
) -> Hands:
    """The hands of as many games as this process has time for."""
    table, rng = Table(load_board("classic")), np.random.default_rng(seed)
    played = games_here(heuristic, net, numbers, seconds, seed)
    return join_hands([hands_of(games, table, rng) for _, games in played])


def first_numbers(seed: int) -> Numbers:
    """Numbers by which all cards are as likely: only the first layer is not 0."""
    numbers = np.zeros(HANDS_NUMBERS)
    into = split(numbers)[1]
    into[:] = np.random.default_rng(seed).standard_normal(into.shape) / HAND_INPUTS**0.5
    return numbers


def chances_of(logs: Numbers, unseen: Numbers) -> Numbers:
    """The probability of each kind as the next card, by the logarithms of the hand weights."""
    weights = unseen * np.exp(logs - logs.max(axis=1, keepdims=True))
    found: Numbers = weights / weights.sum(axis=1, keepdims=True)
    return found


def gradient(numbers: Numbers, held: Numbers, unseen: Numbers, inputs: Numbers) -> Numbers:
    """The gradient of minus the mean log-likelihood of some hands, with the decay."""
    direct, into, out = split(numbers)
    units = np.maximum(inputs @ into, 0)
    chances = chances_of(inputs @ direct + units @ out, unseen)
    wrong = (held.sum(axis=1, keepdims=True) * chances - held) / len(held)
    found = np.zeros_like(numbers)
    of_direct, of_into, of_out = split(found)
    of_direct[:] = inputs.T @ wrong + DECAY_DIRECT * direct
    of_into[:] = inputs.T @ (wrong @ out.T * (units > 0)) + DECAY * into
    of_out[:] = units.T @ wrong + DECAY * out
    return found


def fit_hands(numbers: Numbers, hands: Hands, epochs: int, seed: int) -> Numbers:
    """Numbers fitted to some hands, starting from others."""
    rng, numbers = np.random.default_rng(seed), numbers.copy()
    adam = Adam(numbers)
    count = len(hands.held) // BATCH + 1
    done = 0
    for _ in range(epochs):
        for rows in np.array_split(rng.permutation(len(hands.held)), count):
            done += 1
            slope = gradient(numbers, hands.held[rows], hands.unseen[rows], hands.inputs[rows])
            rate = LAST_RATE + RATE * (0.5 + 0.5 * np.cos(np.pi * done / (epochs * count)))
            numbers -= rate * adam.step(slope)
    return numbers


def train_hand_model(
    heuristic: Numbers, net: Singles, before: Numbers | None, seconds: float, seed: int
) -> Numbers:
    """HANDS_NUMBERS fitted to the hands of as many games as there is time for.

    The searches predict hands by the numbers `before`, if any, and fitting starts from them.
    """
    numbers = first_numbers(seed) if before is None else before
    work = partial(hands_here, heuristic, net, before, seconds)
    hands = join_hands(everywhere(work, seed))
    # The last tenth is held out first, to see what the fit brings.
    kept = len(hands.held) * 9 // 10
    gain = nats_gained(fit_hands(numbers, _rows(hands, 0, kept), EPOCHS, seed), _rows(hands, kept))
    print(f"hands: {len(hands.held)}, {gain:.3f} nats a card over chance, held out", flush=True)
    return fit_hands(numbers, hands, EPOCHS, seed)


def _rows(hands: Hands, first: int, end: int | None = None) -> Hands:
    return Hands(*(getattr(hands, f.name)[first:end] for f in fields(Hands)))


def nats_gained(numbers: Numbers, hands: Hands) -> float:
    """By how much a card of a hand is likelier than by chance, in nats."""
    known = chances_of(log_weights(numbers, hands.inputs), hands.unseen)
    chance = chances_of(np.zeros_like(known), hands.unseen)
    with np.errstate(divide="ignore", invalid="ignore"):
        more = np.where(hands.held > 0, np.log(known / chance), 0.0)
    return float((hands.held * more).sum() / hands.held.sum())
