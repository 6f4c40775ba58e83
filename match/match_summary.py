"""The summary of a match: all figures in its tables, from the blocks that are complete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from masons.engine.board.components import CARDS
from masons.match.running.match_file import GameOutcome
from masons.match.running.schedule import MatchSettings
from masons.match.statistics.engine_scores import EngineLine, PairLine, engine_line, pair_line
from masons.match.statistics.luck_adjusted import (
    Adjusted,
    LuckLine,
    VarianceCut,
    adjusted,
    luck_table,
    pair_variance_cut,
)
from masons.match.statistics.ratings import Ratings, rate
from masons.match.statistics.sprt import SprtVerdict


@dataclass(frozen=True)
class MatchSummary:
    """The figures of a match. Engines are numbered as in `settings.entries`."""

    settings: MatchSettings
    games: int
    blocks: int
    engines: tuple[EngineLine, ...]  # a line for each engine that played
    pair: PairLine | None  # None unless the match has two engines
    ratings: Ratings | None  # None unless the match has more than two engines
    verdict: SprtVerdict | None
    luck: tuple[LuckLine, ...]
    cut: VarianceCut | None  # the variance saved in the score of engine 0 against engine 1
    faults: tuple[Counter[str], ...]  # for each engine, the number of faults of each kind
    adjusted: Adjusted | None = None  # None unless the luck of all games is known

    def name(self, engine: int) -> str:
        """Return the name of an engine."""
        return self.settings.entries[engine].name


@dataclass(frozen=True)
class Times:
    """The time that an engine took, in seconds. Unlike a summary, it differs from run to run."""

    total: float
    slowest: float  # the time of the longest decision


def summary_of(
    settings: MatchSettings, blocks: Sequence[Sequence[GameOutcome]], verdict: SprtVerdict | None
) -> MatchSummary:
    """Return the summary of full blocks. Raises ValueError if there are none."""
    if not blocks:
        raise ValueError("a summary needs a block")
    outcomes = [outcome for block in blocks for outcome in block]
    results = [[outcome.result for outcome in block] for block in blocks]
    count = len(settings.entries)
    playing = sorted({engine for outcome in outcomes for engine in outcome.result.engines})
    faults: tuple[Counter[str], ...] = tuple(Counter() for _ in range(count))
    for outcome in outcomes:
        for fault in outcome.faults:
            faults[outcome.result.engines[fault.seat]][fault.kind] += 1
    plays = sum((outcome.plays for outcome in outcomes), np.zeros((2, len(CARDS)), dtype=np.int64))
    is_weighed = all(outcome.result.luck is not None for outcome in outcomes)
    return MatchSummary(
        settings=settings,
        games=len(outcomes),
        blocks=len(blocks),
        engines=tuple(engine_line(results, engine) for engine in playing),
        pair=pair_line(results, 0, 1) if count == 2 else None,
        ratings=rate(results, count) if count > 2 else None,
        verdict=verdict,
        luck=tuple(luck_table((seat for o in outcomes for seat in o.cards_and_dice), plays)),
        cut=pair_variance_cut(results, 0, 1) if {0, 1} <= set(playing) else None,
        faults=faults,
        adjusted=adjusted(results, playing) if is_weighed else None,
    )


def times_of(settings: MatchSettings, blocks: Sequence[Sequence[GameOutcome]]) -> dict[str, Times]:
    """Return the times of each engine by its name, in the order of the engines."""
    total, slowest = [0.0] * len(settings.entries), [0.0] * len(settings.entries)
    for outcome in (outcome for block in blocks for outcome in block):
        for seat, engine in enumerate(outcome.result.engines):
            total[engine] += outcome.seconds[seat]
            slowest[engine] = max(slowest[engine], outcome.slowest[seat])
    names = [entry.name for entry in settings.entries]
    return dict(zip(names, map(Times, total, slowest), strict=True))
