"""Who had the luck: the dice and the cards that engines got, with intervals over blocks.

The value of a card is what its kind brought in this match: the mean points of its plays over all
engines, so it does not hang on who drew it. A kind that nobody played counts as the mean of all
plays. A roll is lucky by its jokers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf

from masons.match.statistics.estimate import Estimate, estimate

Plays = Mapping[str, tuple[int, float]]
"""For each kind of card how often it was played, and the points that it brought in all."""


@dataclass(frozen=True)
class SeatLuck:
    """What luck gave a seat in one game."""

    block: int
    engine: int
    cards: Mapping[str, int]  # dealt and drawn, by kind
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


def kind_values(plays: Plays, kinds: Iterable[str]) -> dict[str, float]:
    """The value of each of these kinds in points; 0 for all where nothing was played."""
    count = sum(number for number, _ in plays.values())
    mean = sum(points for _, points in plays.values()) / count if count else 0.0
    values = {}
    for kind in kinds:
        number, points = plays.get(kind, (0, 0.0))
        values[kind] = points / number if number else mean
    return values


def _ratio(pairs: Sequence[tuple[float, float]]) -> Estimate | None:
    """The mean over blocks of a sum divided by another; blocks without the other are left out."""
    values = [above / below for above, below in pairs if below]
    return estimate(values, (0.0, inf)) if values else None


def _line(
    engine: int, blocks: Sequence[Sequence[SeatLuck]], values: Mapping[str, float]
) -> LuckLine:
    seats = [len(block) for block in blocks]
    rolls = [sum(seat.rolls for seat in block) for block in blocks]
    jokers = [sum(seat.jokers for seat in block) for block in blocks]
    cards = [sum(sum(seat.cards.values()) for seat in block) for block in blocks]
    points = [
        sum(values[kind] * number for seat in block for kind, number in seat.cards.items())
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
    values = kind_values(plays, {kind for seat in ordered for kind in seat.cards})
    lines = []
    for engine, own in groupby(ordered, key=lambda seat: seat.engine):
        blocks = [list(block) for _, block in groupby(own, key=lambda seat: seat.block)]
        lines.append(_line(engine, blocks, values))
    return lines
