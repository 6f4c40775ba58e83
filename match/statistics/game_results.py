"""What a game of a match came to, and how its seats are ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from masons.engine.rules.winners import standing

Block = Sequence["GameResult"]
"""The games of one block, by number: equal luck, every seating of a line-up once."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of one game; tuples are in seat order.

    `engines[s]` is the index of the engine that sat in seat s. The same engine may sit in several
    seats of a game.
    """

    block: int
    number: int  # of the game in the match
    engines: tuple[int, ...]
    scores: tuple[int, ...]
    hand_sizes: tuple[int, ...]
    forfeits: frozenset[int] = frozenset()  # seats that forfeited

    def __post_init__(self) -> None:
        """Raises ValueError where the lists do not agree on the number of seats."""
        seats = len(self.engines)
        if len(self.scores) != seats or len(self.hand_sizes) != seats:
            raise ValueError("engines, scores and hand_sizes must have one value for each seat")
        if not self.forfeits <= set(range(seats)):
            raise ValueError("forfeits must be seats")

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each seat, from 1: by score, then hand size; equal ones share a place.

        Seats that forfeited share the place behind all others.
        """
        ranks = [
            -1 if seat in self.forfeits else standing(*own)
            for seat, own in enumerate(zip(self.scores, self.hand_sizes, strict=True))
        ]
        return tuple(1 + sum(other > own for other in ranks) for own in ranks)

    @property
    def first_shares(self) -> tuple[float, ...]:
        """The share of the victory of each seat: 1 in all, a shared victory in equal parts."""
        places = self.places
        return tuple((place == 1) / places.count(1) for place in places)

    @property
    def ranking(self) -> tuple[tuple[int, ...], ...]:
        """The engines from the first place to the last, those that share a place together."""
        ranked = sorted(zip(self.places, self.engines, strict=True))
        return tuple(
            tuple(engine for _, engine in group)
            for _, group in groupby(ranked, key=lambda pair: pair[0])
        )
