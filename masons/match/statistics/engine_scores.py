"""The result of a game, and scores of engines and pairs of engines over blocks.

All functions take full blocks (`MatchProgress.counted`). In a partial block, the engines would have
different seats and deals. The figures of an engine use only the blocks in which it plays. The value
of a block is the mean over its games. Confidence intervals come from `estimate`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean
from typing import TypeVar

from masons.engine.rules.turns import standing
from masons.match.statistics.estimates import Estimate, estimate

Block = Sequence["GameResult"]
"""The games of one block. They have the same deal, and each seating of a line-up occurs once."""
G = TypeVar("G", bound="GameResult")


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of one game, with tuples in seat order.

    `engines` has the index of the engine in each seat. An engine may have several seats.
    """

    block: int
    number: int  # the number of the game in the match
    engines: tuple[int, ...]
    scores: tuple[int, ...]
    hand_sizes: tuple[int, ...]
    forfeits: frozenset[int] = frozenset()  # the seats that forfeited
    luck: tuple[float, ...] | None = None  # the share of the victory each seat gained by chance

    def __post_init__(self) -> None:
        """Raise ValueError if the fields do not agree on the number of seats."""
        seats = len(self.engines)
        if len(self.scores) != seats or len(self.hand_sizes) != seats:
            raise ValueError("engines, scores and hand_sizes must have one value for each seat")
        if not self.forfeits <= set(range(seats)):
            raise ValueError("forfeits must be seats")

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each seat, from 1.

        Seats are ranked by score and then by hand size. Equal seats share a place, and seats that
        forfeited share the last place.
        """
        ranks = [
            -1 if seat in self.forfeits else standing(score, cards)
            for seat, (score, cards) in enumerate(zip(self.scores, self.hand_sizes, strict=True))
        ]
        return tuple(1 + sum(other > rank for other in ranks) for rank in ranks)

    @property
    def first_shares(self) -> tuple[float, ...]:
        """The share of the victory that each seat gets.

        The shares add up to 1. If several seats win, they get equal shares.
        """
        places = self.places
        return tuple((place == 1) / places.count(1) for place in places)

    @property
    def ranking(self) -> tuple[tuple[int, ...], ...]:
        """The engines from first to last. Each item holds the engines that share a place."""
        ranked = sorted(zip(self.places, self.engines, strict=True))
        return tuple(
            tuple(engine for _, engine in group)
            for _, group in groupby(ranked, key=lambda pair: pair[0])
        )

    def seats_of(self, engine: int) -> list[int]:
        """Return the seats of an engine."""
        return [seat for seat, sitting in enumerate(self.engines) if sitting == engine]


def margin(result: GameResult, seat: int) -> float:
    """Return the score of a seat minus the mean score of the other seats."""
    return result.scores[seat] - fmean((*result.scores[:seat], *result.scores[seat + 1 :]))


def block_means(
    blocks: Sequence[Sequence[G]], engine: int, value: Callable[[G, int], float]
) -> list[float]:
    """Return the mean of `value(game, seat)` over an engine's seats in each block.

    Blocks in which the engine does not play are left out.
    """
    values = ([value(game, seat) for game in b for seat in game.seats_of(engine)] for b in blocks)
    return [fmean(block) for block in values if block]


def pair_scores(result: GameResult, a: int, b: int) -> list[float]:
    """Return the score of each seat of `a` against each seat of `b`.

    A score is 1 if the seat of `a` placed better, 1/2 if the place was shared, and 0 otherwise.
    """
    places = result.places
    return [
        (places[mine] < places[other]) + (places[mine] == places[other]) / 2
        for mine in result.seats_of(a)
        for other in result.seats_of(b)
    ]


def pair_values(blocks: Sequence[Block], a: int, b: int) -> tuple[float, ...]:
    """Return the mean of `pair_scores`, from 0 to 1, for each block in which `a` and `b` met."""
    scores = ([s for game in block for s in pair_scores(game, a, b)] for block in blocks)
    return tuple(fmean(block) for block in scores if block)


def pair_score(blocks: Sequence[Block], a: int, b: int) -> Estimate | None:
    """Return the share of games in which `a` placed better than `b`, or None if they never met.

    A shared place counts half.
    """
    values = pair_values(blocks, a, b)
    return estimate(values, (0.0, 1.0)) if values else None
