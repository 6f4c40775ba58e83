"""What searches found out: the sums of each root move, put together and turned into figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from masons.ai.tree import REPORT_COLUMNS
from masons.engine.notation import Move


@dataclass(frozen=True)
class MoveStats:
    """What the search found out about one move."""

    move: Move
    visits: int
    win: float  # win share of the seat that decides, from 0 to 1
    error: float  # its standard error
    wins: tuple[float, ...]  # win share of each seat
    scores: tuple[float, ...]  # expected final score of each seat
    line: tuple[str, ...]  # principal variation: moves, rolls, own draws


@dataclass(frozen=True)
class Analysis:
    """What the search found out about a position, for the seat that decides."""

    seat: int
    phase: str
    iterations: int
    seconds: float
    tree_bytes: int
    moves: tuple[MoveStats, ...]  # best first: most visits
    wins: tuple[float, ...]
    scores: tuple[float, ...]
    stopped: bool  # ended by Ctrl-C

    @property
    def best(self) -> Move:
        """The move with the most visits."""
        return self.moves[0].move


@dataclass
class MoveSums:
    """What trees know about one root move, added up.

    `row` holds the columns of the report (see `tree`); the line is that of the tree that visited
    the move most, the first of several.
    """

    row: list[float] = field(default_factory=lambda: [0.0] * REPORT_COLUMNS)
    line: tuple[str, ...] = ()
    most: int = 0

    def add(self, row: Sequence[float], line: tuple[str, ...]) -> None:
        """What one more tree knows."""
        self.row = [a + b for a, b in zip(self.row, row, strict=True)]
        if int(row[0]) > self.most:
            self.most, self.line = int(row[0]), line

    def stats(self, move: Move, seat: int, players: int) -> MoveStats:
        """The figures, for the seat that decides."""
        row = self.row
        count = max(row[0], 1.0)
        seats = range(players)
        wins = tuple(row[1 + s] / count for s in seats)
        spread = max(row[5 + seat] / count - wins[seat] ** 2, 0.0)
        return MoveStats(
            move=move,
            visits=int(row[0]),
            win=wins[seat],
            error=math.sqrt(spread / count),
            wins=wins,
            scores=tuple(row[9 + s] / count for s in seats),
            line=self.line,
        )


def ranked(sums: dict[Move, MoveSums], seat: int, players: int) -> tuple[MoveStats, ...]:
    """The moves, best first."""
    stats = (found.stats(move, seat, players) for move, found in sums.items())
    return tuple(sorted(stats, key=lambda s: (-s.visits, -s.win, -s.scores[seat], s.move)))


def averages(moves: Sequence[MoveStats], values: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    """Each seat's average over all moves, by their visits; `values` are a tuple for each move."""
    total = max(sum(stats.visits for stats in moves), 1)
    weighted = [
        [value * stats.visits for value in of_seats]
        for stats, of_seats in zip(moves, values, strict=True)
    ]
    return tuple(sum(column) / total for column in zip(*weighted, strict=True))
