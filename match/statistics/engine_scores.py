"""Places in a game, and the scores of each engine and each pair of engines over blocks.

All functions take full blocks (`MatchProgress.counted`), as partial ones would compare engines in
different seats and deals. An engine's figures use only the blocks in which it plays. The value of a
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

    `engines` holds the index of the engine in each seat; an engine may have several seats.
    """

    block: int
    number: int  # the game's number in the match
    engines: tuple[int, ...]
    scores: tuple[int, ...]
    hand_sizes: tuple[int, ...]
    forfeits: frozenset[int] = frozenset()  # seats
    luck: tuple[float, ...] | None = None  # gains by dice and cards, in shares of the victory

    def __post_init__(self) -> None:
        """Raise ValueError if the lists do not agree on the number of seats."""
        seats = len(self.engines)
        if len(self.scores) != seats or len(self.hand_sizes) != seats:
            raise ValueError("engines, scores and hand_sizes must have one value for each seat")
        if not self.forfeits <= set(range(seats)):
            raise ValueError("forfeits must be seats")

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each seat, from 1, by score, then hand size; equal seats share a place.

        Seats that forfeited share the last place.
        """
        ranks = [
            -1 if seat in self.forfeits else standing(score, cards)
            for seat, (score, cards) in enumerate(zip(self.scores, self.hand_sizes, strict=True))
        ]
        return tuple(1 + sum(other > rank for other in ranks) for rank in ranks)

    @property
    def first_shares(self) -> tuple[float, ...]:
        """The share of the victory of each seat: 1 in all, in equal parts if it is shared."""
        places = self.places
        return tuple((place == 1) / places.count(1) for place in places)

    @property
    def ranking(self) -> tuple[tuple[int, ...], ...]:
        """The engines by place, from the first to the last; each item holds those of one place."""
        ranked = sorted(zip(self.places, self.engines, strict=True))
        return tuple(
            tuple(engine for _, engine in group)
            for _, group in groupby(ranked, key=lambda pair: pair[0])
        )

    def seats_of(self, engine: int) -> list[int]:
        """Return the seats of an engine."""
        return [seat for seat, sitting in enumerate(self.engines) if sitting == engine]


@dataclass(frozen=True)
class EngineLine:
    """An engine's line of the table; means have one value per game and seat of the engine."""

    engine: int
    games: int  # games, counted once for each seat that the engine had
    forfeits: int
    first: Estimate  # share of the victory; 1 / players is fair
    score: Estimate
    margin: Estimate  # its score minus the best other seat's
    place: Estimate


@dataclass(frozen=True)
class PairLine:
    """The score of engine `a` against engine `b`.

    `values` are those of `pair_values`.
    """

    a: int
    b: int
    values: tuple[float, ...]
    score: Estimate
    elo: float  # a minus b, on the logistic scale; infinite if a always or never won
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
    """Return an engine's line. Raises ValueError if the engine plays in no block."""
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
    """Return 1, 1/2 or 0 for each pair of a seat of `a` and a seat of `b`: better, equal, worse."""
    places = result.places
    return [
        (places[mine] < places[other]) + (places[mine] == places[other]) / 2
        for mine in result.seats_of(a)
        for other in result.seats_of(b)
    ]


def pair_values(blocks: Sequence[Block], a: int, b: int) -> tuple[float, ...]:
    """Return the mean of `pair_scores` (0 to 1) of each block in which `a` and `b` met."""
    scores = ([s for game in block for s in pair_scores(game, a, b)] for block in blocks)
    return tuple(fmean(block) for block in scores if block)


def pair_line(blocks: Sequence[Block], a: int, b: int) -> PairLine:
    """Return the score of `a` against `b`, also as an Elo difference.

    The Elo interval is the score's interval, converted. Raises ValueError if they never met.
    """
    values = pair_values(blocks, a, b)
    score = estimate(values, (0.0, 1.0))
    elo, low, high = (elo_of(share) for share in (score.mean, score.low, score.high))
    return PairLine(a, b, values, score, elo, low, high)
