"""Who holds what by what was built: how the numbers of `ai/builders.py` are fitted.

The odds of the cards are found by the likelihood of the hands that searches held, which seats are
builders by that of telling searches from rules of thumb; both by Adam (Kingma and Ba 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adam import Adam
from learn_games import Singles, everywhere, games_here, inputs_of
from masons.ai.builders import BUILDERS, POINTS, TERMS, TRAITS, UNITS
from masons.ai.inputs import KINDS, LINE_INPUTS, LINES, game_left_of
from masons.ai.selfplay import Games, Seat
from masons.engine.board import load_board
from masons.engine.layout import DECK, HANDS
from masons.engine.ledger import FIRST_LAND, LANDS, built, keep_ledger, new_ledger
from masons.engine.table import Table

Numbers = NDArray[np.float64]

EPOCHS = 6
BATCH = 1024
RATE = 0.01


@dataclass(frozen=True)
class Hands:
    """Hands at the start of turns, each with what another seat sees."""

    held: Numbers  # [rows, KINDS]: how many of each card
    unseen: Numbers  # [rows, KINDS]: how many the other seat does not see
    terms: Numbers  # [rows, KINDS, TERMS]
    traits: Numbers  # [rows, TRAITS]
    builds: Numbers  # [rows]: 1 where a search played the hand, 0 for rules of thumb


def terms_of(over: Numbers, values: Numbers, added: Numbers) -> Numbers:
    """The terms of each card ([rows, KINDS, TERMS]).

    `over` ([rows]): the share of the game that is over; `values` and `added` ([rows, LANDS]): what
    each land card scores, and what the seat added to that, in POINTS.
    """
    v, a = (np.zeros((len(over), KINDS)) for _ in range(2))
    v[:, FIRST_LAND:], a[:, FIRST_LAND:] = values, added
    e = np.broadcast_to(over[:, None], v.shape)
    terms = (np.ones_like(v), e, v, e * v, v * v / 4, e * v * v / 4, a, e * a, a * a / 4)
    return np.stack(terms, axis=-1)


def traits_of(over: Numbers, values: Numbers, added: Numbers, lines: Numbers) -> Numbers:
    """What is looked at to tell a builder ([rows, TRAITS])."""
    first = np.stack([np.ones_like(over), over, over * over], axis=1)
    return np.concatenate([first, added, values, lines], axis=1)


def split(numbers: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The numbers of the cards, of the traits and out: views of the same memory."""
    ends = np.cumsum([KINDS * TERMS, TRAITS * UNITS])
    cards, traits, out = np.split(numbers, ends)
    return cards.reshape(KINDS, TERMS), traits.reshape(TRAITS, UNITS), out


def builder_chances(traits: Numbers, weights: Numbers, out: Numbers) -> Numbers:
    """The chance that each row is of a builder."""
    chances: Numbers = 1 / (1 + np.exp(-(np.maximum(traits @ weights, 0) @ out)))
    return chances


def counts(cards: NDArray[np.uint64]) -> Numbers:
    """How many of each kind are among some cards ([rows] to [rows, KINDS])."""
    shifts = 2 * np.arange(KINDS, dtype=np.uint64)
    both = (cards[:, None] >> shifts) & np.uint64(3)
    return ((both & np.uint64(1)) + (both >> np.uint64(1))).astype(np.float64)


def ledgers_of(games: Games, table: Table) -> Numbers:
    """The ledger at the start of each turn ([rows, LEDGER])."""
    found, ledger, before = [], new_ledger(), -1
    for state, game in zip(games.starts, games.of_game, strict=True):
        ledger = ledger.copy() if game == before else new_ledger()
        keep_ledger(state, table.packed, state.copy(), ledger)
        found.append(ledger)
        before = game
    return np.array(found)


def hands_of(games: Games, seats: Sequence[Seat], table: Table, luck: np.random.Generator) -> Hands:
    """A hand of each position, and what another seat sees, by chance."""
    rows, players = np.arange(len(games.starts)), len(seats)
    who = luck.integers(players, size=len(rows))
    observer = (who + luck.integers(1, players, size=len(rows))) % players
    held = np.stack([counts(games.starts[:, int(HANDS) + s]) for s in range(players)], axis=1)
    unseen = counts(games.starts[:, int(DECK)]) + held.sum(axis=1) - held[rows, observer]
    ledgers = ledgers_of(games, table)
    over = np.array([1 - game_left_of(state) for state in games.starts])
    values = ledgers[:, :LANDS] / POINTS
    added = np.array([built(*pair) for pair in zip(ledgers, who.tolist(), strict=True)]) / POINTS
    lines = inputs_of(games, table)[:, int(LINES) :][:, :LINE_INPUTS].astype(np.float64)
    return Hands(
        held[rows, who],
        unseen,
        terms_of(over, values, added),
        traits_of(over, values, added, lines),
        np.array([float(seat.tries > 0) for seat in seats])[who],
    )


def _join(parts: Sequence[Hands]) -> Hands:
    columns = (np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Hands))
    return Hands(*columns)


def _hands_here(
    thumb: Numbers, net: Singles, builders: Numbers | None, seconds: float, seed: int
) -> Hands:
    """The hands of as many games as this process has time for."""
    table, luck = Table(load_board("classic")), np.random.default_rng(seed)
    played = games_here(thumb, net, builders, seconds, seed)
    return _join([hands_of(games, seats, table, luck) for seats, games in played])


def _descend(
    numbers: Sequence[Numbers],
    rows: int,
    slope: Callable[[NDArray[np.int64]], Sequence[Numbers]],
    luck: np.random.Generator,
) -> None:
    """Go down the slope at BATCH rows at a time (`numbers` are modified in place)."""
    ways = [Adam(n) for n in numbers]
    count = rows // BATCH + 1
    done = 0
    for _ in range(EPOCHS):
        for batch in np.array_split(luck.permutation(rows), count):
            done += 1
            rate = RATE * (0.5 + 0.5 * np.cos(np.pi * done / (EPOCHS * count)))
            for n, way, found in zip(numbers, ways, slope(batch), strict=True):
                n -= rate * way.after(found)


def likelihood(cards: Numbers, hands: Hands) -> tuple[Numbers, Numbers]:
    """The log likelihood of each hand, and the chance of each kind as its next card."""
    z = (hands.terms * cards).sum(axis=2)
    weights = hands.unseen * np.exp(z)
    chances = weights / weights.sum(axis=1, keepdims=True)
    known = np.log(np.maximum(chances, 1e-12) / np.maximum(hands.unseen, 1e-12))
    return (hands.held * known).sum(axis=1), chances


def _rows(hands: Hands, rows: NDArray[Any]) -> Hands:
    return Hands(*(getattr(hands, f.name)[rows] for f in fields(Hands)))


def fit_builders(hands: Hands, seed: int) -> Numbers:
    """The BUILDERS numbers that fit some hands."""
    luck = np.random.default_rng(seed)
    numbers = np.zeros(BUILDERS)
    cards, weights, out = split(numbers)
    weights[:] = luck.standard_normal(weights.shape) / TRAITS**0.5
    out[:] = 0.3 * luck.standard_normal(UNITS)
    of_builders = _rows(hands, hands.builds > 0)

    def cards_slope(rows: NDArray[np.int64]) -> list[Numbers]:
        some = _rows(of_builders, rows)
        _, chances = likelihood(cards, some)
        wrong = some.held.sum(axis=1, keepdims=True) * chances - some.held
        return [(wrong[:, :, None] * some.terms).mean(axis=0)]

    # Either sort counts for as much, however often it was met.
    share = min(max(hands.builds.mean(), 0.01), 0.99)
    counted = np.where(hands.builds > 0, 0.5 / share, 0.5 / (1 - share))

    def style_slope(rows: NDArray[np.int64]) -> list[Numbers]:
        traits = hands.traits[rows]
        units = traits @ weights
        wrong = builder_chances(traits, weights, out) - hands.builds[rows]
        wrong *= counted[rows] / len(rows)
        back = wrong[:, None] * out * (units > 0)
        return [traits.T @ back, np.maximum(units, 0).T @ wrong]

    _descend([cards], len(of_builders.held), cards_slope, luck)
    _descend([weights, out], len(hands.held), style_slope, luck)
    return numbers


def learn_builders(thumb: Numbers, net: Singles, seconds: float, seed: int) -> Numbers:
    """BUILDERS numbers fitted to the hands of as many games as there is time for."""
    work = partial(_hands_here, thumb, net, None, seconds)
    hands = _join(everywhere(work, seed))
    numbers = fit_builders(hands, seed)
    gain = gained(numbers, hands)
    print(f"builders: {len(hands.held)} hands, {gain:.3f} nats a card over chance", flush=True)
    return numbers


def gained(numbers: Numbers, hands: Hands) -> float:
    """By how much a card of a builder's hand is likelier than by chance, in nats."""
    some = _rows(hands, hands.builds > 0)
    cards, _, _ = split(numbers)
    more = likelihood(cards, some)[0] - likelihood(np.zeros_like(cards), some)[0]
    return float(more.sum() / some.held.sum())
