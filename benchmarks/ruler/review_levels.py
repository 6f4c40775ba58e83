"""What players of known strength lose a decision, as a review says: for its ranks and ratings.

    python -m benchmarks.ruler.review_levels FILE --games 135
    python -m benchmarks.ruler.review_levels FILE --players 3 --games 45

Game g is played by some of PLAYERS, all of them as often as each other, and every seat's decisions
are reviewed. Each game is a line of FILE; the same command goes on with it. `--games 0` only prints
the table: the mean loss of a decision with its standard error over the games, its standard
deviation from game to game, and how often each rank was given.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from benchmarks.harness.markdown_table import Table as Printed
from masons.ai.review.decision_loss import rate_decision
from masons.ai.review.timeline import DECISION, timeline_of
from masons.ai.search.limits import REVIEW_DEFAULT
from masons.engine.board.board_text import board_text
from masons.engine.board.geometry import load_board
from masons.engine.game.record import parse_record
from masons.engine.kernels.rng import mix
from masons.match.running.game_worker import SeededGame, play_seeded

PLAYERS = (
    "random", "greedy", "heuristic",
    *(f"default:level={level}" for level in (1, 3, 5, 7, 9)), "default",
)  # fmt: skip


def names_of(game: int, players: int) -> tuple[str, ...]:
    """Return who plays a game: in every round of games each player sits at each seat once."""
    number, count = divmod(game, len(PLAYERS))
    steps = [step for step in range(1, len(PLAYERS)) if math.gcd(step, len(PLAYERS)) == 1]
    step = steps[number % len(steps)]
    return tuple(PLAYERS[(count + seat * step) % len(PLAYERS)] for seat in range(players))


def reviewed(game: int, players: int, rollouts: int) -> dict[str, Any]:
    """Return a game's players and, seat by seat, the figures of each decision."""
    names = names_of(game, players)
    board = board_text(load_board("classic"))
    timeline = timeline_of(parse_record(play_seeded(SeededGame(board, names, game, 0))))
    seats: list[list[list[float]]] = [[] for _ in names]
    for number, step in enumerate(timeline.steps):
        if step.cause != DECISION or step.choices < 2 or step.move is None:
            continue
        limits = replace(REVIEW_DEFAULT, rollouts=rollouts, seed=mix(game, number))
        found = rate_decision(timeline.table, timeline.observe(number), step.move, limits)
        figures = found.difference, found.error, found.points, found.points_error
        seats[step.seat].append([round(one, 5) for one in figures])
    return {"game": game, "names": names, "seats": seats}


def _print(games: list[dict[str, Any]]) -> None: ...


def main() -> None:
    """Play and review what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--games", type=int, default=135)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--rollouts", type=int, default=REVIEW_DEFAULT.rollouts)
    options = parser.parse_args()
    lines = options.file.read_text().splitlines() if options.file.exists() else []
    with options.file.open("a") as file:
        for game in range(len(lines), options.games):
            lines.append(json.dumps(reviewed(game, options.players, options.rollouts)))
            print(lines[-1], file=file, flush=True)
    _print([json.loads(line) for line in lines])


if __name__ == "__main__":
    main()
