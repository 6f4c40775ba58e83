"""Two sides of one measurement, run in turn, round after round, and the table of their ratios."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

from benchmarks.harness.markdown_table import Table, short
from benchmarks.harness.measuring import median_ratio


class Figure(NamedTuple):
    """What one side did in one round."""

    rate: float  # a CPU second
    decisions: float  # in each


# A side measures itself in a round, by the number of the round.
Side = Callable[[int], Figure]


class Pairing(NamedTuple):
    """Something of ours beside something of theirs."""

    beside: str
    what: str
    ours: Side
    theirs: Side


class Outcome(NamedTuple):
    """What came out, a figure a round."""

    beside: str
    what: str
    ours: list[float]
    theirs: list[float]
    decisions: tuple[float, float]

    @property
    def ratio(self) -> float:
        """Ours to theirs."""
        return median_ratio(self.ours, self.theirs)

    @property
    def by_decision(self) -> float:
        """Our decisions a second to theirs."""
        own, other = self.decisions
        return self.ratio * own / other


def run(pairings: Sequence[Pairing], rounds: int) -> list[Outcome]:
    """Every pairing in every round; who begins changes with the round."""
    found: list[tuple[list[Figure], list[Figure]]] = [([], []) for _ in pairings]
    for i in range(rounds):
        print(f"round {i + 1} of {rounds}", file=sys.stderr, flush=True)
        for pairing, (ours, theirs) in zip(pairings, found, strict=True):
            if i % 2:
                theirs.append(pairing.theirs(i))
            ours.append(pairing.ours(i))
            if not i % 2:
                theirs.append(pairing.theirs(i))
    return [_outcome(pairing, *figures) for pairing, figures in zip(pairings, found, strict=True)]


def _outcome(pairing: Pairing, ours: list[Figure], theirs: list[Figure]) -> Outcome:
    return Outcome(
        pairing.beside,
        pairing.what,
        [figure.rate for figure in ours],
        [figure.rate for figure in theirs],
        (
            statistics.mean(figure.decisions for figure in ours),
            statistics.mean(figure.decisions for figure in theirs),
        ),
    )


def table(outcomes: Sequence[Outcome]) -> Table:
    """Medians of the rounds, and the median of the rounds' ratios."""
    return Table(
        (
            "beside",
            "what",
            "ours a second",
            "theirs",
            "ratio",
            "decisions in ours",
            "in theirs",
            "ratio by decision",
        ),
        [
            (
                outcome.beside,
                outcome.what,
                short(statistics.median(outcome.ours)),
                short(statistics.median(outcome.theirs)),
                short(outcome.ratio),
                *(f"{decisions:.1f}" for decisions in outcome.decisions),
                short(outcome.by_decision),
            )
            for outcome in outcomes
        ],
    )
