"""The performance of players: sums over decisions, ranks, Elo ratings, and trends over games.

Ranks and ratings are computed from the mean loss per decision in points of margin, because win
probability hardly changes in a lost game. A player has the rating of the engine's level
(`default:level=`) with the same mean loss. `benchmarks/ruler/review_levels.py` measured the ratings
and losses of the levels for each number of players.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final, NamedTuple

import numpy as np

from masons.ai.review.decision_loss import MARK_NAMES, MARKED, LossVerdict
from masons.ai.review.timeline import Step, Timeline
from masons.ai.rollout.evidence import NORMAL
from masons.ai.search.levels import LEVEL_RATINGS
from masons.engine.plain_text import rounded


@dataclass(frozen=True)
class Summary:
    """Sums over the decisions of one seat or of one kind, with their standard errors."""

    decisions: int
    lost: float  # win probability lost
    error: float
    points: float  # points of margin lost
    points_error: float
    marks: dict[str, int]  # number of decisions with each mark of MARK_NAMES

    def mean(self, total: float) -> float:
        """Return a sum, or the error of a sum, divided by the number of decisions."""
        return total / self.decisions if self.decisions else 0.0


def summary_of(verdicts: Iterable[LossVerdict]) -> Summary:
    """Return the sums over the given verdicts."""
    verdicts = list(verdicts)
    marks = Counter(verdict.mark for verdict in verdicts)
    return Summary(
        decisions=len(verdicts),
        lost=sum(verdict.difference for verdict in verdicts),
        error=math.hypot(*(verdict.error for verdict in verdicts)),
        points=sum(verdict.points for verdict in verdicts),
        points_error=math.hypot(*(verdict.points_error for verdict in verdicts)),
        marks={name: marks[name] for name in MARK_NAMES},
    )


# For each number of players: the rating of a player who loses nothing, and the decrease of the
# rating per point of margin lost per decision. Only levels 1 to 9 were measured, so ratings are
# limited to the range of these levels.
_FIT: Final = {2: (360, 420), 3: (375, 425), 4: (375, 425)}
LEAST_ELO: Final = LEVEL_RATINGS[0]
MOST_ELO: Final = LEVEL_RATINGS[-1]
# The ranks, and the lowest rating of each rank except the last.
RANKS: Final = ("expert", "advanced", "intermediate", "casual", "beginner")
_RANK_ELOS: Final = (220, 120, 30, -250)
CUTS: Final = {
    players: tuple((most - elo) / slope for elo in _RANK_ELOS)
    for players, (most, slope) in _FIT.items()
}
"""For each number of players, the mean losses per decision, in points, that separate ranks."""
_MIN_DECISIONS: Final = 10
_CRITICAL: Final = 5

Part = Callable[[Timeline, Step], str]

KIND_OF_PHASE: Final = {
    "early-roll": "walls", "wall": "walls", "towers": "placement", "houses": "placement",
    "merge": "placement", "score": "scorings", "final": "scorings", "swap": "swaps",
}  # fmt: skip
THIRDS: Final = ("opening", "middle", "end")


def _kind(_: Timeline, step: Step) -> str:
    return KIND_OF_PHASE[step.phase]


def _third(timeline: Timeline, step: Step) -> str:
    turns = max(each.turn for each in timeline.steps)
    return THIRDS[min(3 * (step.turn - 1) // turns, 2)]


KINDS: Final[tuple[Part, tuple[str, ...]]] = (_kind, tuple(dict.fromkeys(KIND_OF_PHASE.values())))
PHASES: Final[tuple[Part, tuple[str, ...]]] = (_third, THIRDS)


def by_part(
    verdicts: Mapping[int, LossVerdict], timeline: Timeline, parts: tuple[Part, tuple[str, ...]]
) -> dict[str, Summary]:
    """Return the sums for each part: a kind of decision, or a third of the game."""
    part, names = parts
    of_part = {index: part(timeline, timeline.steps[index]) for index in verdicts}
    return {
        name: summary_of(verdict for index, verdict in verdicts.items() if of_part[index] == name)
        for name in names
    }


def rank_of(players: int, summary: Summary) -> tuple[str | None, float | None]:
    """Return a player's rank, or the factor by which the time of the review would have to grow.

    If the 95 % interval of the mean loss lies within two neighboring ranks, the result is the rank
    and None. Otherwise, the result is None and the factor, which follows from the fact that an
    error shrinks with the square root of the time. If there are too few decisions, both results are
    None.
    """
    if summary.decisions < _MIN_DECISIONS:
        return None, None
    mean = summary.mean(summary.points)
    reach = NORMAL * summary.mean(summary.points_error)
    edges = [-math.inf, *CUTS[players], math.inf]
    room = max(min(mean - low, high - mean) for low, high in zip(edges, edges[2:], strict=False))
    if reach > room:
        return None, (reach / room) ** 2
    return RANKS[int(np.searchsorted(CUTS[players], mean, side="right"))], None


def elo_of_loss(players: int, points: Sequence[float]) -> tuple[float, float, float] | None:
    """Return a rating and the ends of its 95 % interval; None if there are too few decisions.

    `points` are the points lost in each decision.
    """
    if len(points) < _MIN_DECISIONS:
        return None
    most, slope = _FIT[players]
    mean = float(np.mean(points))
    reach = NORMAL * float(np.std(points, ddof=1)) / math.sqrt(len(points))
    middle, low, high = np.clip(
        [most - slope * loss for loss in (mean, mean + reach, mean - reach)], LEAST_ELO, MOST_ELO
    ).tolist()
    return middle, low, high


def critical(verdicts: Iterable[LossVerdict], numbers: Sequence[int]) -> list[int]:
    """Return the numbers of the marked decisions with the greatest losses, costliest first."""
    marked = [
        (-verdict.difference, number)
        for verdict, number in zip(verdicts, numbers, strict=True)
        if verdict.mark in MARKED
    ]
    return [number for _, number in sorted(marked)][:_CRITICAL]


Report = dict[str, Any]

_FIELDS: Final = (
    "number", "turn", "seat", "phase", "choices", "played", "best", "win_played", "win_best",
    "difference", "error", "points", "points_error", "loss", "mark",
)  # fmt: skip
MIN_GAMES: Final = 3
_FORMULA: Final = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # also the full-width = + - @


def decisions_csv(reports: Sequence[tuple[int, Report]]) -> str:
    """Return a line of names of columns, followed by one CSV line for each decision."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(("game", "player", *_FIELDS))
    for number, report in reports:
        for decision in report["decisions"]:
            name = report["names"][decision["seat"]]
            cells = (number, name, *(decision[field] for field in _FIELDS))
            writer.writerow(map(_cell, cells))
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Return a value that no spreadsheet takes for a formula; numbers are unchanged."""
    is_formula = isinstance(value, str) and value.startswith(_FORMULA)
    return f"'{value}" if is_formula else value


def trends(reports: Sequence[tuple[int, Report]]) -> dict[str, dict[str, Any]]:
    """Return the results of each player over all games: loss, rating, luck, change of the loss.

    `history` contains the losses game by game. `elo` refers to the most frequent number of players.
    `costs_most` is the kind of decision that cost the most points (None if no kind cost any).
    """
    games: dict[str, list[_Game]] = defaultdict(list)
    for number, report in reports:
        for seat, (player, account) in enumerate(
            zip(report["players"], report["accounts"], strict=True)
        ):
            if player["decisions"]:
                points = [d["points"] for d in report["decisions"] if d["seat"] == seat]
                games[report["names"][seat]].append(
                    _Game(number, player, account, points, len(report["names"]))
                )
    return {name: _trend(played) for name, played in games.items()}


class _Game(NamedTuple):
    """A player's part of the review of one game, with the points that each decision lost."""

    number: int
    player: Report
    account: Report
    points: list[float]
    seats: int  # number of seats in the game


def _trend(games: Sequence[_Game]) -> dict[str, Any]:
    decisions = sum(game.player["decisions"] for game in games)

    def mean(name: str) -> float:
        return rounded(
            sum(game.player[name] * game.player["decisions"] for game in games) / decisions
        )

    def error(name: str) -> float:
        return rounded(
            math.hypot(*(game.player[name] * game.player["decisions"] for game in games))
            / decisions
        )

    seats = Counter(game.seats for game in games).most_common(1)[0][0]
    points = [lost for game in games if game.seats == seats for lost in game.points]
    elo = elo_of_loss(seats, points)
    kinds: Counter[str] = Counter()
    for game in games:
        kinds.update({kind: part["points"] for kind, part in game.player["kinds"].items()})
    kind, most = max(kinds.items(), key=lambda item: item[1], default=("", 0.0))
    slope = _slope([game.player["mean_loss"] for game in games])
    figures = ("mean_loss", "error", "points_lost", "points_error")
    return {
        "games": len(games),
        "decisions": decisions,
        "mean_loss": mean("mean_loss"),
        "error": error("error"),
        "points_lost": mean("points_lost"),
        "points_error": error("points_error"),
        "elo": elo and [round(figure) for figure in elo],
        "costs_most": kind if most > 0 else None,
        "kinds": {name: rounded(lost / decisions) for name, lost in kinds.items()},
        "history": [
            {"game": game.number, **{name: game.player[name] for name in figures}} for game in games
        ],
        "share": rounded(fmean(game.account["share"] for game in games)),
        "luck": rounded(fmean(game.account["luck"] for game in games)),
        "slope": slope and {"mean": rounded(slope[0]), "error": rounded(slope[1])},
    }


def _slope(losses: Sequence[float]) -> tuple[float, float] | None:
    """Return the change of the loss per game and its standard error; None for too few games."""
    count = len(losses)
    if count < MIN_GAMES:
        return None
    middle, mean = (count - 1) / 2, fmean(losses)
    spread = sum((i - middle) ** 2 for i in range(count))
    slope = sum((i - middle) * (loss - mean) for i, loss in enumerate(losses)) / spread
    rest = sum((loss - mean - slope * (i - middle)) ** 2 for i, loss in enumerate(losses))
    return slope, math.sqrt(rest / (count - 2) / spread)
