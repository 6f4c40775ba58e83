"""What a match says about each engine, and about each two of them: means over blocks.

All take full blocks (`Progress.counted`): others would compare engines over unlike seats and luck.
A block in which an engine does not play says nothing about it. The value of a block is the mean
over its games; intervals are those of `estimate`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from masons.engine.rules.turns import standing
from masons.match.statistics.estimates import Estimate, elo_of, estimate

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


# --- what a match says about each engine, and about each two of them


@dataclass(frozen=True)
class EngineLine:
    """An engine's line of the table; every mean is over its seats, one value a game and seat."""

    engine: int
    games: int  # seats in games: two for a game in which it had two
    forfeits: int
    first: Estimate  # share of the victory; 1 / players is fair
    score: Estimate
    margin: Estimate  # own score minus the best other seat's
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
    """A seat's score minus the best other seat's."""
    others = (*result.scores[:seat], *result.scores[seat + 1 :])
    return result.scores[seat] - max(others)


def _seats(result: GameResult, engine: int) -> list[int]:
    return [seat for seat, own in enumerate(result.engines) if own == engine]


def _seat_mean(block: Block, engine: int, value: Callable[[GameResult, int], float]) -> float:
    return fmean(value(game, seat) for game in block for seat in _seats(game, engine))


def engine_line(blocks: Sequence[Block], engine: int) -> EngineLine:
    """The line of one engine.

    Raises ValueError where it plays in no block.
    """
    played = [block for block in blocks if any(engine in game.engines for game in block)]
    players = max((len(game.engines) for block in played for game in block), default=1)

    def mean(value: Callable[[GameResult, int], float], *bounds: float) -> Estimate:
        values = [_seat_mean(block, engine, value) for block in played]
        return estimate(values, (bounds[0], bounds[1])) if bounds else estimate(values)

    return EngineLine(
        engine=engine,
        games=sum(game.engines.count(engine) for block in played for game in block),
        forfeits=sum(
            game.engines[seat] == engine
            for block in played
            for game in block
            for seat in game.forfeits
        ),
        first=mean(lambda game, seat: game.first_shares[seat], 0, 1),
        score=mean(lambda game, seat: game.scores[seat]),
        margin=mean(margin),
        place=mean(lambda game, seat: game.places[seat], 1, players),
    )


def pair_scores(result: GameResult, a: int, b: int) -> list[float]:
    """1, 1/2 or 0 for each pair of a seat of `a` and one of `b`: a's place better, equal, worse."""
    places = result.places
    return [
        (places[mine] < places[other]) + (places[mine] == places[other]) / 2
        for mine in _seats(result, a)
        for other in _seats(result, b)
    ]


def pair_values(blocks: Sequence[Block], a: int, b: int) -> tuple[float, ...]:
    """The score of `a` against `b` in each block in which they met, from 0 to 1, in order."""
    scores = ([s for game in block for s in pair_scores(game, a, b)] for block in blocks)
    return tuple(fmean(block) for block in scores if block)


def pair_line(blocks: Sequence[Block], a: int, b: int) -> PairLine:
    """How two engines did against each other.

    The interval of the Elo difference is that of the score, on the other scale. Raises ValueError
    where they never met.
    """
    values = pair_values(blocks, a, b)
    score = estimate(values, (0.0, 1.0))
    elo, low, high = (elo_of(share) for share in (score.mean, score.low, score.high))
    return PairLine(a, b, values, score, elo, low, high)
