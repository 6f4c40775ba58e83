"""Share out the time of a decision, and choose its contenders.

The search names the contenders; the rest of the time goes to games that are played after them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from masons.ai.evaluation.rewards import move_value
from masons.ai.search.levels import TOP_LEVEL
from masons.ai.search.limits import MAX_ROLLOUTS, MAX_SIMS, Limits
from masons.ai.search.results import Analysis, MoveStats
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.time_management import thinking_ms
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation

DEFAULT_SIMS: Final = 2000  # of the search before a number of games
# A search that takes less than this alone is all there is: the games would be too few.
_LEAST_MS: Final = 250.0
# The search gets this share of the time, up to a second and this share.
_SEARCH_SHARE: Final = 0.2
_LONG_SEARCH_SHARE: Final = 0.02
_GAMES_A_SECOND: Final = 3000  # of one thread, about

# The error of a search's value of a move beside those of others, as a standard deviation: that of
# walls, which it can hardly tell apart, and of everything else.
_SEARCH_ERROR: Final = {"wall": 0.03, "early-roll": 0.03}
_OTHER_SEARCH_ERROR: Final = 0.01
# Contenders: one for so many games, and these at least and at most.
_GAMES_EACH: Final = 800
_FEWEST: Final = 4
_MOST: Final = 24
# Finalists at most, by the games: the fewer share them, the surer the choice. And how many moves
# are measured in all, from so many games on.
_FINALISTS: Final = ((40_000, 4), (4000, 3), (0, 2))
_MEASURED: Final = 6
_LEAST_MEASURED: Final = 2500
_MORE: Final = 4000  # games for each one more


@dataclass(frozen=True)
class RolloutPlan:
    """The simulations, games and time that a decision may spend."""

    sims: int  # of the search
    search_ms: float | None  # of the search, and of all together
    ms: float | None
    games: int  # of the rollout; 0: there is none
    expected_games: int = 0  # about


def plan_of(limits: Limits, view: Observation, options: SearchOptions) -> RolloutPlan:
    """Return the plan for a decision: a search, and a rollout where there is time for one.

    Only the default search at its highest level is followed by one, and not where `limits` name
    simulations alone. Raises MasonsError for rollouts after another search.
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
    expected = _GAMES_A_SECOND * options.threads * (ms or 10_000.0) / 1000
    return RolloutPlan(sims, _search_ms(ms or 5000.0), ms, MAX_ROLLOUTS, int(expected))


def _search_ms(ms: float) -> float:
    return min(_SEARCH_SHARE * ms, 1000 + _LONG_SEARCH_SHARE * ms)


def search_error(phase: str) -> float:
    """Return how far a search's value of a move is off, beside those of other moves."""
    return _SEARCH_ERROR.get(phase, _OTHER_SEARCH_ERROR)


@dataclass(frozen=True)
class Contenders:
    """Moves that are played on, best first as the search has it; the last are those of `also`.

    Only the first `eligible` can become finalists, beside the last ones, which always are.
    """

    moves: tuple[Move, ...]
    values: tuple[float, ...]  # of the search: win probability with a little margin
    eligible: int
    also: int
    finalists: int = 4  # at most, beside those of `also`
    measured: int = 6  # at most, the finalists included


def contenders_of(searched: Analysis, also: Sequence[Move], games: int, phase: str) -> Contenders:
    """Return the contenders of a decision, for about so many games.

    The better the games will know a move, the further it may lie behind in the search.
    """
    free = [stats for stats in searched.moves if stats.move not in also]
    if not free:  # the best of those asked for is one of them
        free, also = [searched.moves[0]], [move for move in also if move != searched.best]
    values = {stats.move: _value(stats, searched.seat) for stats in searched.moves}
    reach = search_error(phase) * (2 + max(math.log10(max(games, 1) / 500), 0.0))
    most = min(max(games // _GAMES_EACH, _FEWEST), _MOST)
    highest = max(values.values())
    near = [stats for stats in free[:most] if values[stats.move] >= highest - reach] or free[:1]
    finalists = next(number for least, number in _FINALISTS if games >= least)
    measured = finalists if games < _LEAST_MEASURED else min(_MEASURED + games // _MORE, _MOST)
    rest = [stats for stats in free if stats not in near][: max(measured - len(near), 0)]
    moves = (*(stats.move for stats in (*near, *rest)), *also)
    chances = tuple(values.get(move, 0.0) for move in moves)
    return Contenders(moves, chances, len(near), len(also), finalists, measured)


def _value(stats: MoveStats, seat: int) -> float:
    score = stats.scores[seat] if stats.scores else 0.0
    return move_value(stats.win or 0.0, score, sum(stats.scores), max(len(stats.scores), 2))
