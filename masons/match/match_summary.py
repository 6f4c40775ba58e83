"""The summary of a match: all figures in its tables, from the blocks that are complete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from masons.engine.board.components import CARDS
from masons.match.running.match_file import GameOutcome, Plays
from masons.match.running.schedule import Fault, MatchSettings
from masons.match.statistics.engine_scores import block_means, margin, pair_score
from masons.match.statistics.estimates import Estimate, elo_estimate, estimate
from masons.match.statistics.luck_adjusted import (
    Adjusted,
    VarianceCut,
    adjusted,
    adjusted_values,
    luck_of,
    pair_variance_cut,
)
from masons.match.statistics.ratings import Ratings, rate
from masons.match.statistics.sprt import SprtVerdict


@dataclass(frozen=True)
class EngineLine:
    """The figures of an engine. Each seat of the engine in each game gives one value."""

    engine: int
    games: int  # the number of games, each counted once for each seat of the engine
    forfeits: int
    faults: Counter[str]  # the number of faults of each kind
    first_fault: tuple[int, Fault] | None  # with the number of the game's record, from 1
    decisions: int
    replaced: int  # the number of decisions that a stand-in made
    late: int  # the number of decisions beyond the limit of time
    latest: float  # the longest time by which a decision exceeded its limit, in seconds
    first: Estimate  # the share of the victory; 1 / players if all engines are equal
    score: Estimate
    margin: Estimate  # the score minus the mean score of the other seats
    place: Estimate
    rating: Estimate | None  # None unless the match has more than two engines
    rolls: Estimate
    jokers: Estimate | None  # the jokers per roll; None if there was no roll
    cards: Estimate  # the number of cards dealt or drawn
    card_value: Estimate | None  # the points per card; None if there was no card
    hand_value: Estimate  # the points of all cards
    luck: Estimate | None  # the share of the victory gained by chance; None if it is unknown
    without_luck: Estimate | None  # the luck-adjusted share of the victory; None if it is unknown


@dataclass(frozen=True)
class MatchSummary:
    """The figures of a match. Engines are numbered as in `settings.entries`."""

    settings: MatchSettings
    games: int
    blocks: int
    engines: tuple[EngineLine, ...]  # a line for each engine that played
    score: Estimate | None  # of engine 0 against engine 1; None unless the match has two engines
    elo: Estimate | None  # `score` as an Elo difference
    ratings: Ratings | None  # None unless the match has more than two engines
    verdict: SprtVerdict | None
    cut: VarianceCut | None  # the variance saved in the score of engine 0 against engine 1
    adjusted: Adjusted | None  # None unless the luck of all games is known

    def name(self, engine: int) -> str:
        """Return the name of an engine."""
        return self.settings.entries[engine].name


def summary_of(
    settings: MatchSettings, blocks: Sequence[Sequence[GameOutcome]], verdict: SprtVerdict | None
) -> MatchSummary:
    """Return the summary of full blocks. Raises ValueError if there are none."""
    if not blocks:
        raise ValueError("a summary needs a block")
    games = [game for block in blocks for game in block]
    count = len(settings.entries)
    playing = sorted({engine for game in games for engine in game.engines})
    ratings = rate(blocks, count) if count > 2 else None
    values = kind_values(sum((game.plays for game in games), np.zeros((2, len(CARDS)), np.int64)))
    score = pair_score(blocks, 0, 1) if count == 2 else None
    is_weighed = all(game.luck is not None for game in games)
    return MatchSummary(
        settings=settings,
        games=len(games),
        blocks=len(blocks),
        engines=tuple(
            engine_line(blocks, engine, values, ratings.ratings[engine] if ratings else None)
            for engine in playing
        ),
        score=score,
        elo=score and elo_estimate(score),
        ratings=ratings,
        verdict=verdict,
        cut=pair_variance_cut(blocks, 0, 1) if {0, 1} <= set(playing) else None,
        adjusted=adjusted(blocks, playing) if is_weighed else None,
    )


def kind_values(plays: Plays) -> list[float]:
    """Return the mean points of each kind of card.

    A kind that was never played gets the mean over all kinds.
    """
    counts, points = plays.tolist()
    mean = sum(points) / max(sum(counts), 1)
    return [total / count if count else mean for count, total in zip(counts, points, strict=True)]


def engine_line(
    blocks: Sequence[Sequence[GameOutcome]],
    engine: int,
    values: Sequence[float],
    rating: Estimate | None = None,
) -> EngineLine:
    """Return the figures of an engine. `values` has the mean points of each kind of card.

    Raises ValueError if the engine plays in no block.
    """
    seats = [(game, seat) for block in blocks for game in block for seat in game.seats_of(engine)]
    players = max((len(game.engines) for game, _ in seats), default=1)
    is_weighed = all(game.luck is not None for game, _ in seats)
    faults = [
        (game.record, fault) for game, seat in seats for fault in game.faults if fault.seat == seat
    ]

    def means(value: Callable[[GameOutcome, int], float]) -> list[float]:
        return block_means(blocks, engine, value)

    rolls = means(lambda game, seat: game.chance[seat].rolls)
    jokers = means(lambda game, seat: game.chance[seat].jokers)
    cards = means(lambda game, seat: sum(game.chance[seat].cards))
    points = means(
        lambda game, seat: sum(v * n for v, n in zip(values, game.chance[seat].cards, strict=True))
    )
    return EngineLine(
        engine=engine,
        games=len(seats),
        forfeits=sum(seat in game.forfeits for game, seat in seats),
        faults=Counter(fault.kind for _, fault in faults),
        first_fault=next(iter(faults), None),
        decisions=sum(game.decisions[seat] for game, seat in seats),
        replaced=sum(game.replaced[seat] for game, seat in seats),
        late=sum(game.late[seat] for game, seat in seats),
        latest=max((game.latest[seat] for game, seat in seats), default=0.0),
        first=estimate(means(lambda game, seat: game.first_shares[seat]), (0, 1)),
        score=estimate(means(lambda game, seat: game.scores[seat])),
        margin=estimate(means(margin)),
        place=estimate(means(lambda game, seat: game.places[seat]), (1, players)),
        rating=rating,
        rolls=estimate(rolls, (0, inf)),
        jokers=_mean_ratio(jokers, rolls),
        cards=estimate(cards, (0, inf)),
        card_value=_mean_ratio(points, cards),
        hand_value=estimate(points, (0, inf)),
        luck=estimate(means(luck_of)) if is_weighed else None,
        without_luck=estimate(adjusted_values(blocks, engine)) if is_weighed else None,
    )


def _mean_ratio(totals: Sequence[float], counts: Sequence[float]) -> Estimate | None:
    """Return the mean of total / count over all blocks whose count is not 0."""
    values = [total / count for total, count in zip(totals, counts, strict=True) if count]
    return estimate(values, (0.0, inf)) if values else None
