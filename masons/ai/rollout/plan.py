"""The plan of a decision: the division of its time between search and rollout, and its contenders.

The search names the contenders, and the rest of the time is spent on games after each of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from masons.ai.evaluation.rewards import move_value
from masons.ai.search.limits import MAX_ROLLOUTS, MAX_SIMS, Limits
from masons.ai.search.results import Analysis, MoveStats
from masons.ai.search.search_options import TOP_LEVEL, SearchOptions
from masons.ai.search.time_management import thinking_ms
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation

DEFAULT_SIMS: Final = 2000  # simulations of the search, if the limit is a number of games
# A decision with less time gets no rollout, because it would have too few games.
_LEAST_MS: Final = 250.0
# The search gets this share of the time, but at least `_LEAST_SEARCH_MS` or, if that is less, half
# the time. With more simulations, it would hardly order the moves better.
_SEARCH_SHARE: Final = 0.02
_LEAST_SEARCH_MS: Final = 40.0
# Approximate number of games a second and thread with 2, 3 and 4 players.
_GAMES_A_SECOND: Final = (8000, 4000, 2000)

# Standard deviation of the error of a move's value in the search, relative to other moves, by the
# phase of the decision (`python -m benchmarks.ruler.rollout_errors`).
_SEARCH_ERRORS: Final = {"wall": 0.017, "score": 0.05, "swap": 0.017}
_OTHER_SEARCH_ERROR: Final = 0.007
# The usual error of the net's values after some turns of a rollout's games, relative to other
# moves: the `prior` of `WinEstimate`, by the phase of the decision (from the same command).
_NET_ERRORS: Final = {"wall": 6e-5, "score": 1.6e-4, "swap": 4e-5}
_OTHER_NET_ERROR: Final = 2e-5
# There is one contender per `_GAMES_EACH` games, within a minimum and a maximum.
_GAMES_EACH: Final = 800
_FEWEST: Final = 4
_MOST: Final = 48
# (games, finalists): with at least this number of games, there are this many finalists. Few
# finalists with many games each make the choice reliable: with 10 s of games, a third is hardly
# ever the best, and takes a third of the games (docs/experiments.md).
_FINALISTS: Final = ((400_000, 4), (150_000, 3), (0, 2))
# From `_LEAST_MEASURED` games on, every contender near the best is measured. If these are fewer
# than `_MEASURED` plus one for every `_MORE` games, the next best are measured, too.
_MEASURED: Final = 6
_LEAST_MEASURED: Final = 2500
_MORE: Final = 4000


@dataclass(frozen=True)
class RolloutPlan:
    """The simulations, games and milliseconds that a decision may spend."""

    sims: int  # simulations of the search
    search_ms: float | None  # time of the search; None: unlimited
    ms: float | None  # time of search and rollout; None: unlimited
    games: int  # upper limit for the games of the rollout; 0: no rollout
    expected_games: int = 0  # estimate of the games that fit into the time

    def within(self, most: float) -> RolloutPlan:
        """Return the plan shortened to `most` milliseconds if it has more."""
        if self.ms is None or self.search_ms is None:
            return self
        ms = min(self.ms, most)
        return replace(self, ms=ms, search_ms=min(self.search_ms, ms / 2 if self.games else ms))


def plan_of(
    limits: Limits, view: Observation, options: SearchOptions, speed: float | None = None
) -> RolloutPlan:
    """Return the plan of a decision: a search, and a rollout if there is time for one.

    `speed` is the expected number of games a second, if it has been measured.

    Only the default search at its highest level is followed by a rollout. If simulations are
    limited, there is a rollout only if a number of rollouts is given. Raises MasonsError if a
    number of rollouts is given for any other search.
    """
    ms = None if limits.infinite else thinking_ms(limits, view)
    sims = MAX_SIMS if limits.sims is None else limits.sims
    sims = min(sims, options.most or sims)
    has_rollouts = options.method == "halving" and options.level == TOP_LEVEL
    if limits.rollouts is not None and not has_rollouts:
        raise MasonsError("rollouts need the default search at its highest level")
    if limits.rollouts is not None:
        sims, games = limits.sims or DEFAULT_SIMS, limits.rollouts
        return RolloutPlan(sims, None if ms is None else _search_ms(ms), ms, games, games)
    timed = limits.infinite or (ms is not None and ms >= _LEAST_MS)
    if not has_rollouts or not timed or limits.sims is not None:
        return RolloutPlan(sims, ms, ms, 0)
    speed = speed or options.threads * _GAMES_A_SECOND[view.players - 2]
    expected = speed * (ms or 10_000.0) / 1000
    return RolloutPlan(sims, _search_ms(ms or 5000.0), ms, MAX_ROLLOUTS, int(expected))


def _search_ms(ms: float) -> float:
    return max(_SEARCH_SHARE * ms, min(_LEAST_SEARCH_MS, ms / 2))


def search_error(phase: str) -> float:
    """Return the standard deviation of the search's errors in the values of moves.

    An error that is the same for all moves does not count.
    """
    return _SEARCH_ERRORS.get(phase, _OTHER_SEARCH_ERROR)


def net_error(phase: str) -> float:
    """Return how wrong the net's values usually are after some turns (see `WinEstimate`)."""
    return _NET_ERRORS.get(phase, _OTHER_NET_ERROR)


@dataclass(frozen=True)
class Contenders:
    """The moves that a rollout plays, in the order of the search; moves from `also` come last.

    The screening chooses finalists from the first `eligible` moves. The last `also` moves are
    always finalists.
    """

    moves: tuple[Move, ...]
    values: tuple[float, ...]  # the search's values, see `move_value`
    eligible: int
    also: int
    finalists: int = 4  # fewer if fewer are eligible; the last `also` moves are not counted
    measured: int = 6  # upper limit, including the finalists


def contenders_of(searched: Analysis, also: Sequence[Move], games: int, phase: str) -> Contenders:
    """Return the contenders of a decision for about `games` games.

    A rollout with more games measures moves more precisely. It therefore also includes moves whose
    value in the search is further below the value of the best move. With enough games, there is
    also the move in the middle of the search's order.
    """
    free = [stats for stats in searched.moves if stats.move not in also]
    if not free:  # every move is in `also`: take the best of them as eligible
        free, also = [searched.moves[0]], [move for move in also if move != searched.best]
    values = {stats.move: search_value(stats, searched.seat) for stats in searched.moves}
    reach = search_error(phase) * (2 + max(math.log10(max(games, 1) / 500), 0.0))
    most = min(max(games // _GAMES_EACH, _FEWEST), _MOST)
    highest = max(values.values())
    near = [stats for stats in free[:most] if values[stats.move] >= highest - reach] or free[:1]
    finalists = next(number for least, number in _FINALISTS if games >= least)
    measured = finalists
    if games >= _LEAST_MEASURED:
        measured = max(min(_MEASURED + games // _MORE, _MOST), len(near))
    others = [stats for stats in free if stats not in near]
    rest = others[: max(measured - len(near), 0)]
    if games >= _LEAST_MEASURED:
        middle = [stats for stats in others[len(rest) :] if stats.move == middle_move(searched)]
        rest += middle
        measured += len(middle)
    moves = (*(stats.move for stats in (*near, *rest)), *also)
    move_values = tuple(values.get(move, 0.0) for move in moves)
    return Contenders(moves, move_values, len(near), len(also), finalists, measured)


def middle_move(searched: Analysis) -> Move:
    """Return the move in the middle of the search's order, with which others can be compared."""
    return searched.moves[len(searched.moves) // 2].move


def search_value(stats: MoveStats, seat: int) -> float:
    """Return the value by which a search ranks a move: `win` and, to a small part, the margin."""
    score = stats.scores[seat] if stats.scores else 0.0
    return move_value(stats.win or 0.0, score, sum(stats.scores), max(len(stats.scores), 2))
