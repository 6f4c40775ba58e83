"""The figures of a search made surer by games played on after its best moves.

A search tells well which move is good, and less well how good: what it says of a win probability
lies further from how games end than what games played on for a few turns say, in which each seat
goes by its own cards (`python -m benchmarks.ruler.coverage`). So the best moves are played on, with
the same luck after all of them. Both figures count by how sure they are (inverse variances).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.explain.paired_games import Continuations, error_of_mean
from masons.ai.search.known_error import (
    NORMAL,
    PLAYED_ON,
    SEARCHED,
    KnownError,
    loss_error,
    margin_error,
    value_error,
)
from masons.ai.search.results import UNKNOWN_POINTS, UNKNOWN_WIN, Analysis, MoveStats, by_value
from masons.engine.formats.move_text import Move

Numbers = NDArray[np.float64]

TURNS: Final = 4  # after this one, then the net says how it ends
BEST: Final = 5  # moves that are played on, and those that were asked for
# Deals: one for so many simulations, so many at least and at most; none after a tiny search.
_SIMULATIONS: Final = 150
LEAST: Final = 16
_MOST: Final = 600
TINY: Final = 1000
_EDGE: Final = 5e-4  # no game is surer than that before its end


def deals_after(simulations: int) -> int:
    """In how many deals moves are played on after a search."""
    if simulations < TINY:
        return 0
    return min(max(simulations // _SIMULATIONS, LEAST), _MOST)


def moves_to_play_on(analysis: Analysis, also: Sequence[Move]) -> list[Move]:
    """The recommended move first, then the best others and those asked for."""
    best = [stats.move for stats in analysis.moves[:BEST]]
    return list(dict.fromkeys([*best, *also]))


def played_on(analysis: Analysis, games: Continuations, known: KnownError = SEARCHED) -> Analysis:
    """The analysis with what games say that were played on after its first and other moves.

    `known` is the search's own error. An analysis whose recommended move is another one than that
    of the games stays as it is.
    """
    first = analysis.moves[0]
    if games.moves[0] != first.move:
        return analysis
    best = _value(first, games, known)
    places = {move: number for number, move in enumerate(games.moves)}
    others = [
        _against(best, first, stats, games, places.get(stats.move)) for stats in analysis.moves[1:]
    ]
    return replace(analysis, moves=by_value((best, *others)), wins=best.wins, scores=best.scores)


def _chance(values: Numbers) -> float:
    """The standard error of a mean, with one more value that may be any."""
    return error_of_mean(values, UNKNOWN_WIN)


def _mixed(first: float, error: float, second: float, other: float) -> tuple[float, float]:
    """Two figures by how sure they are: their mean, and its standard error."""
    weight = other**2 / (error**2 + other**2)
    return weight * first + (1 - weight) * second, error * other / math.hypot(error, other)


def _value(stats: MoveStats, games: Continuations, known: KnownError) -> MoveStats:
    """The recommended move."""
    own = games.wins[:, 0, games.seat]
    found = float(own.mean())
    middle = (found + stats.win) / 2
    played = value_error(middle, _chance(own), PLAYED_ON)
    searched = value_error(middle, stats.error or 0.0, known)
    win, error = _mixed(stats.win, searched, found, played)
    share = played**2 / (searched**2 + played**2)
    scores, shares = games.scores[:, 0].mean(axis=0), games.wins[:, 0].mean(axis=0)
    if stats.wins:
        # Expected scores are off to different sides by as much: the search's low, the net's high.
        scores = (np.array(stats.scores) + scores) / 2
        shares = share * np.array(stats.wins) + (1 - share) * shares
    win, wins = _with_rest(win, shares.tolist(), games.seat)
    return replace(
        stats,
        win=win,
        wins=wins,
        scores=tuple(scores.tolist()),
        interval=NORMAL * error,
        error=math.hypot(share * (stats.error or 0.0), (1 - share) * _chance(own)),
    )


def _with_rest(win: float, wins: Sequence[float], seat: int) -> tuple[float, tuple[float, ...]]:
    """The seat's win probability, and those of all: the others' in proportion."""
    win = min(max(win, _EDGE), 1 - _EDGE)
    if not wins:
        return win, ()
    rest = max(sum(wins) - wins[seat], 1e-9)
    shares = [share * (1 - win) / rest for share in wins]
    shares[seat] = win
    return win, tuple(shares)


def _against(
    best: MoveStats, searched: MoveStats, stats: MoveStats, games: Continuations, place: int | None
) -> MoveStats:
    """Another move; `searched` is what the search said of the recommended one."""
    loss, points = stats.loss, stats.margin_loss
    # The search's losses are of its own scale of chances; near 0 and 1 they shrink.
    scale = best.win * (1 - best.win) / max(searched.win * (1 - searched.win), _EDGE)
    loss *= min(scale, 1.0)
    interval, margin, chance = stats.loss_interval, stats.margin_interval, stats.error
    if place is not None:
        seat = games.seat
        apart = games.wins[:, 0, seat] - games.wins[:, place, seat]
        found = float(apart.mean())
        chance = math.hypot(best.error or 0.0, _chance(apart))
        error = loss_error(best.win, found, _chance(apart), PLAYED_ON)
        own = math.inf if interval is None else interval / NORMAL
        loss, error = (found, error) if interval is None else _mixed(loss, own, found, error)
        interval = NORMAL * error
        points, margin = _points_against(points, margin, games, place)
    if place is not None:
        scores = (games.scores[:, 0] - games.scores[:, place]).mean(axis=0).tolist()
    else:  # a tree does not sum the scores of every move
        scores = [a - b for a, b in zip(searched.scores, stats.scores, strict=False)]
    moved = tuple(total - less for total, less in zip(best.scores, scores, strict=False))
    win, wins = _with_rest(best.win - loss, stats.wins, games.seat)
    whole = None if interval is None else math.hypot(best.interval or 0.0, interval)
    return replace(
        stats,
        win=win,
        wins=wins,
        scores=moved,
        interval=whole,
        error=chance,
        loss=best.win - win,
        loss_interval=interval,
        margin_loss=points,
        margin_interval=margin,
    )


def _points_against(
    points: float, interval: float | None, games: Continuations, place: int
) -> tuple[float, float]:
    """The points that a move loses, and the half interval."""
    apart = games.margins[:, 0] - games.margins[:, place]
    found = float(apart.mean())
    error = margin_error(found, error_of_mean(apart, UNKNOWN_POINTS), PLAYED_ON)
    if interval is not None:
        found, error = _mixed(points, interval / NORMAL, found, error)
    return found, NORMAL * error
