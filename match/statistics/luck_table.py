"""Who had the luck: the dice and the cards that engines got, with intervals over blocks.

The value of a card is what its kind brought in this match: the mean points of its plays over all
engines, so it does not hang on who drew it. A kind that nobody played counts as the mean of all
plays. A roll is lucky by its jokers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from masons.match.statistics.estimate import Estimate, estimate

Plays = NDArray[np.signedinteger[Any]]
"""[2, CARDS]: how often each kind of card was played, and the points that it brought in all."""


@dataclass(frozen=True, slots=True)
class SeatLuck:
    """What luck gave a seat in one game."""

    block: int
    engine: int
    cards: bytes  # [CARDS]: dealt and drawn, by kind
    rolls: int  # of all dice, once a turn
    jokers: int  # house dice that showed a joker


@dataclass(frozen=True)
class LuckLine:
    """An engine's luck, one value a game and seat; None where there was no roll or no card."""

    engine: int
    games: int  # seats in games
    rolls: Estimate
    jokers: Estimate | None  # a roll
    cards: Estimate
    card_value: Estimate | None  # a card, in points
    hand_value: Estimate  # of all cards, in points


def kind_values(plays: Plays) -> list[float]:
    """The value of each kind in points; 0 for all where nothing was played."""
    counts, points = plays.tolist()
    mean = sum(points) / max(sum(counts), 1)
    return [own / count if count else mean for count, own in zip(counts, points, strict=True)]


def _ratio(pairs: Sequence[tuple[float, float]]) -> Estimate | None:
    """The mean over blocks of a sum divided by another; blocks without the other are left out."""
    values = [above / below for above, below in pairs if below]
    return estimate(values, (0.0, inf)) if values else None


def _line(engine: int, blocks: Sequence[Sequence[SeatLuck]], values: Sequence[float]) -> LuckLine:
    seats = [len(block) for block in blocks]
    rolls = [sum(seat.rolls for seat in block) for block in blocks]
    jokers = [sum(seat.jokers for seat in block) for block in blocks]
    cards = [sum(sum(seat.cards) for seat in block) for block in blocks]
    points = [
        sum(
            value * number
            for seat in block
            for value, number in zip(values, seat.cards, strict=True)
        )
        for block in blocks
    ]

    def a_seat(sums: Sequence[float]) -> Estimate:
        means = [total / number for total, number in zip(sums, seats, strict=True)]
        return estimate(means, (0.0, inf))

    return LuckLine(
        engine=engine,
        games=sum(seats),
        rolls=a_seat(rolls),
        jokers=_ratio(list(zip(jokers, rolls, strict=True))),
        cards=a_seat(cards),
        card_value=_ratio(list(zip(points, cards, strict=True))),
        hand_value=a_seat(points),
    )


def luck_table(seats: Iterable[SeatLuck], plays: Plays) -> list[LuckLine]:
    """A line for each engine that played, in their order, from the luck of seats of full blocks."""
    ordered = sorted(seats, key=lambda seat: (seat.engine, seat.block))
    values = kind_values(plays)
    lines = []
    for engine, own in groupby(ordered, key=lambda seat: seat.engine):
        blocks = [list(block) for _, block in groupby(own, key=lambda seat: seat.block)]
        lines.append(_line(engine, blocks, values))
    return lines
