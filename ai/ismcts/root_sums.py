"""What the trees of all threads know of each root move: added up, and turned into figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.ismcts.tree import REPORT_COLUMNS
from masons.ai.ismcts.tree_report import Arena, RootMove, best_line
from masons.ai.search.results import MoveStats, standard_error
from masons.engine.formats.move_text import Move

# Where a row of the report has the sums of each seat's rewards, their squares, and scores.
REWARDS: Final = 1
SQUARES: Final = 5
SCORES: Final = 9


@dataclass
class MoveSums:
    """What trees know about one root move, added up.

    `row` holds the columns of the report (see `tree`), `value` the sum of the deciding seat's
    rewards, `follow` the half where the line begins in the arena of the tree that visited the move
    most, the first of several.
    """

    visits: int = 0
    value: float = 0.0
    row: NDArray[np.float64] = field(default_factory=lambda: np.zeros(REPORT_COLUMNS))
    most: int = 0
    follow: tuple[Arena, int] | None = None

    def add(self, found: RootMove, row: NDArray[np.float64], arena: Arena) -> None:
        """What one more tree knows."""
        self.visits += found.visits
        self.value += found.value
        self.row += row
        if found.visits > self.most:
            self.most, self.follow = found.visits, (arena, found.child)

    def stats(self, move: Move, seat: int, players: int) -> MoveStats:
        """The figures, for the seat that decides, without the line."""
        sampled = int(self.row[0])
        win = self.value / self.visits
        # Of what was kept the squares are not known: never more than the rewards themselves.
        squares = float(self.row[SQUARES + seat] + self.value - self.row[REWARDS + seat])
        return MoveStats(
            move=move,
            visits=self.visits,
            win=win,
            error=standard_error(self.visits, win, squares / self.visits),
            sampled=sampled,
            wins=self._means(REWARDS, players),
            scores=self._means(SCORES, players),
        )

    def line(self) -> tuple[str, ...]:
        """The principal variation: of all figures the one that takes most time."""
        return tuple(best_line(*self.follow)) if self.follow else ()

    def _means(self, column: int, players: int) -> tuple[float, ...]:
        sampled, *sums = self.row[[0, *range(column, column + players)]].tolist()
        return tuple(total / sampled for total in sums) if sampled else ()


def ranked(sums: Mapping[Move, MoveSums], seat: int, players: int) -> list[MoveStats]:
    """The moves, best first, without lines."""
    return sorted(
        (found.stats(move, seat, players) for move, found in sums.items()),
        key=lambda one: (
            -one.visits,
            -(one.win or 0.0),
            *(-x for x in one.scores[seat : seat + 1]),
            one.move,
        ),
    )


def with_lines(
    stats: Sequence[MoveStats], sums: Mapping[Move, MoveSums], top: int | None
) -> tuple[MoveStats, ...]:
    """The first `top` of the moves (None: all) with their lines."""
    lined = [replace(one, line=sums[one.move].line()) for one in stats[:top]]
    return (*lined, *stats[len(lined) :])


def averages(sums: Iterable[MoveSums], column: int, players: int) -> tuple[float, ...]:
    """Each seat's average over all moves, of the columns of the report from `column` on."""
    rows = [found.row.tolist() for found in sums]
    total = max(sum(row[0] for row in rows), 1.0)
    return tuple(sum(row[column + seat] for row in rows) / total for seat in range(players))
