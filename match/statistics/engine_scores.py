"""Places in a game, and the scores of each engine and each pair of engines over blocks.

All functions take full blocks (`Progress.counted`): others would compare engines over different
seats and deals. A block in which an engine does not play says nothing about it. The value of a
block is the mean over its games; intervals are those of `estimate`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf
from statistics import fmean

from masons.engine.rules.turns import standing
from masons.match.statistics.estimates import Estimate, elo_of, estimate

Block = Sequence["GameResult"]
"""The games of one block, by number: one deal, every seating of a line-up once."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of one game; tuples are in seat order.

    `engines` holds the index of the engine in each seat; the same one may sit in several.
    """

    block: int
    number: int  # of the game in the match
    engines: tuple[int, ...]
    scores: tuple[int, ...]
    hand_sizes: tuple[int, ...]
    forfeits: frozenset[int] = frozenset()  # seats
    luck: tuple[float, ...] | None = None  # of dice and cards, in shares of the victory, if known

    def __post_init__(self) -> None:
        """Raise ValueError if the lists do not agree on the number of seats."""
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
            -1 if seat in self.forfeits else standing(score, cards)
            for seat, (score, cards) in enumerate(zip(self.scores, self.hand_sizes, strict=True))
        ]
        return tuple(1 + sum(other > rank for other in ranks) for rank in ranks)

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

    def seats_of(self, engine: int) -> list[int]:
        """Return the seats in which an engine sat."""
        return [seat for seat, sitting in enumerate(self.engines) if sitting == engine]


@dataclass(frozen=True)
class EngineLine:
    """An engine's line of the table; every mean is over its seats, one value a game and seat."""

    engine: int
    games: int  # seats in games: two for a game in which it had two
    forfeits: int
    first: Estimate  # share of the victory; 1 / players is fair
    score: Estimate
    margin: Estimate  # its score minus the best other seat's
    place: Estimate


@dataclass(frozen=True)
class PairLine:
    """Two engines against each other.

    `values` has for each block in which both played the share of pairs (a seat of a, a seat of b,
    in one game) in which a's placed better, half for a shared place.
    """

    a: int
    b: int
    values: tuple[float, ...]
    score: Estimate
    elo: float  # of a above b, on the logistic scale; infinite where a always or never won
    elo_low: float
    elo_high: float


def margin(result: GameResult, seat: int) -> int:
    """Return a seat's score minus the best other seat's."""
    others = (*result.scores[:seat], *result.scores[seat + 1 :])
    return result.scores[seat] - max(others)


def block_means(
    blocks: Sequence[Block], engine: int, value: Callable[[GameResult, int], float]
) -> list[float]:
    """Return the mean of `value(game, seat)` over an engine's seats in each block it plays in."""
    values = ([value(game, seat) for game in b for seat in game.seats_of(engine)] for b in blocks)
    return [fmean(block) for block in values if block]


def engine_line(blocks: Sequence[Block], engine: int) -> EngineLine:
    """Return the line of one engine. Raises ValueError if it plays in no block."""
    seats = [(game, seat) for block in blocks for game in block for seat in game.seats_of(engine)]
    players = max((len(game.engines) for game, _ in seats), default=1)

    def mean(
        value: Callable[[GameResult, int], float], low: float = -inf, high: float = inf
    ) -> Estimate:
        return estimate(block_means(blocks, engine, value), (low, high))

    return EngineLine(
        engine=engine,
        games=len(seats),
        forfeits=sum(seat in game.forfeits for game, seat in seats),
        first=mean(lambda game, seat: game.first_shares[seat], 0, 1),
        score=mean(lambda game, seat: game.scores[seat]),
        margin=mean(margin),
        place=mean(lambda game, seat: game.places[seat], 1, players),
    )


def pair_scores(result: GameResult, a: int, b: int) -> list[float]:
    """Return 1, 1/2 or 0 for each pair of a seat of `a` and one of `b`: better, equal, worse."""
    places = result.places
    return [
        (places[mine] < places[other]) + (places[mine] == places[other]) / 2
        for mine in result.seats_of(a)
        for other in result.seats_of(b)
    ]


def pair_values(blocks: Sequence[Block], a: int, b: int) -> tuple[float, ...]:
    """Return the score of `a` against `b` in each block in which they met, from 0 to 1."""
    scores = ([s for game in block for s in pair_scores(game, a, b)] for block in blocks)
    return tuple(fmean(block) for block in scores if block)


def pair_line(blocks: Sequence[Block], a: int, b: int) -> PairLine:
    """Return the score of two engines against each other, also as an Elo difference.

    Its interval is that of the score, on the other scale. Raises ValueError if they never met.
    """
    values = pair_values(blocks, a, b)
    score = estimate(values, (0.0, 1.0))
    elo, low, high = (elo_of(share) for share in (score.mean, score.low, score.high))
    return PairLine(a, b, values, score, elo, low, high)
