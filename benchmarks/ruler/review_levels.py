"""Measure how much players of known strength lose in reviews, to calibrate the ratings.

    python -m benchmarks.ruler.review_levels FILE --games 135
    python -m benchmarks.ruler.review_levels FILE --players 3 --games 45

The seats of each game are taken by some of PLAYERS. Over all games, every player plays equally
often. The decisions of every seat are reviewed. `--first` is the number of the first game. Each
game is one line of FILE, and the same command continues the file. `--games 0` only prints the
table. The table shows the mean loss of a decision with its standard error over the games, the
standard deviation of the loss from game to game, and how often each rank was given.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import fmean, linear_regression, stdev
from typing import Any

import numpy as np

from benchmarks.measuring import Table as Printed
from benchmarks.measuring import append_line, parser_of, read_lines
from masons.ai.review.decision_loss import rate_decision
from masons.ai.review.performance import RANKS, Summary, rank_of
from masons.ai.review.timeline import DECISION, timeline_of
from masons.ai.search.limits import REVIEW_DEFAULT
from masons.engine.board.geometry import board_text, load_board
from masons.engine.game.record import parse_record
from masons.engine.kernels.rng import mix
from masons.match.running.match_runner import SeededGame, play_seeded

# The levels of the players, with their ratings (docs/strength.md).
_LEVELS = {1: -274, 3: -147, 5: 35, 7: 154, 9: 296}
ELOS = {"greedy": -186, "heuristic": 48, **{f"default:level={n}": _LEVELS[n] for n in _LEVELS}}
PLAYERS = ("random", *ELOS, "default")


def names_of(game: int, players: int) -> tuple[str, ...]:
    """Return the players of a game.

    In every len(PLAYERS) games, each player sits once in each seat.
    """
    number, count = divmod(game, len(PLAYERS))
    steps = [step for step in range(1, len(PLAYERS)) if math.gcd(step, len(PLAYERS)) == 1]
    step = steps[number % len(steps)]
    return tuple(PLAYERS[(count + seat * step) % len(PLAYERS)] for seat in range(players))


def reviewed(game: int, players: int, rollouts: int) -> dict[str, Any]:
    """Return the players of a game and, for each seat, the figures of its decisions."""
    names = names_of(game, players)
    board = board_text(load_board("classic"))
    timeline = timeline_of(parse_record(play_seeded(SeededGame(board, names, game, 0))))
    seats: list[list[list[float]]] = [[] for _ in names]
    for number, step in enumerate(timeline.steps):
        if step.cause != DECISION or step.choices < 2 or step.move is None:
            continue
        limits = replace(REVIEW_DEFAULT, rollouts=rollouts, seed=mix(game, number))
        rating = rate_decision(timeline.table, timeline.observe(number), step.move, limits)
        figures = rating.difference, rating.error, rating.points, rating.points_error
        seats[step.seat].append([round(figure, 5) for figure in figures])
    return {"game": game, "names": names, "seats": seats}


def _print(games: list[dict[str, Any]], players: int) -> None:
    """Print a row for each player, and the equation that predicts ratings from losses."""
    reviews: dict[str, list[list[list[float]]]] = {name: [] for name in PLAYERS}
    for game in games:
        for name, decisions in zip(game["names"], game["seats"], strict=True):
            if decisions:
                reviews[name].append(decisions)
    rows, losses = [], {}
    for name, seats in reviews.items():
        if len(seats) < 2:
            continue
        count = sum(map(len, seats))
        means = [np.mean(review, axis=0) for review in seats]
        win, _, points, _ = sum(np.sum(review, axis=0) for review in seats) / count
        spread, measured = (
            stdev(mean[2] for mean in means),
            fmean(
                math.hypot(*(decision[3] for decision in review)) / len(review) for review in seats
            ),
        )
        losses[name] = points
        ranks = Counter(str(rank_of(players, _summary(review))[0] or "none") for review in seats)
        error = 100 * stdev(mean[0] for mean in means) / math.sqrt(len(seats))
        rows.append((
            f"`{name}`", str(len(seats)), str(count), f"{100 * win:.2f} ± {error:.2f}",
            f"{points:.2f} ± {spread / math.sqrt(len(seats)):.2f}", f"{spread:.2f}",
            f"{measured:.2f}", *(str(ranks[rank]) for rank in (*RANKS, "none")),
        ))  # fmt: skip
    titles = ("player", "reviews", "decisions", "loss %", "points", "sd a game", "error a game")
    print(Printed((*titles, *RANKS, "none"), rows))
    known = [(losses[name], elo) for name, elo in ELOS.items() if name in losses]
    if len(known) > 2:
        slope, most = linear_regression(*zip(*known, strict=True))
        print(f"\nrating: {most:.0f} - {-slope:.0f} * points")


def _summary(decisions: list[list[float]]) -> Summary:
    """Return the summary of a seat's decisions."""
    win, _, points, _ = map(float, np.sum(decisions, axis=0))
    errors = [math.hypot(*column) for column in zip(*decisions, strict=True)]
    return Summary(len(decisions), win, errors[1], points, errors[3], {})


def main() -> None:
    """Play and review the games that are missing in the file, then print the table."""
    parser = parser_of(__doc__, players=2, rollouts=REVIEW_DEFAULT.rollouts or 0)
    parser.add_argument("file", type=Path)
    parser.add_argument("--games", type=int, default=135)
    parser.add_argument("--first", type=int, default=0, metavar="G", help="the first game's number")
    options = parser.parse_args()
    lines = read_lines(options.file)
    for game in range(options.first + len(lines), options.first + options.games):
        lines.append(reviewed(game, options.players, options.rollouts))
        append_line(options.file, lines[-1])
    _print(lines, options.players)


if __name__ == "__main__":
    main()
