"""A survey of first walls: results of games after each wall that may still be the best.

A world is one deal of all hands and one stream of dice and draws; all walls are played in the same
worlds. `benchmarks/openings.py` plays the games.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from masons.engine.board.components import KINDS
from masons.engine.board.geometry import Board
from masons.engine.kernels.jit import FloatArray

FINALISTS: Final = 20  # number of walls in the last round


@dataclass
class WallSums:
    """Sums over worlds, for `walls` walls that were all played in each world."""

    walls: int
    worlds: int = 0
    wins: FloatArray = field(init=False)  # [walls]: sums of the first seat's share of a victory
    margins: FloatArray = field(init=False)  # [walls]: sums of the first seat's score margin
    products: FloatArray = field(
        init=False
    )  # [walls, walls]: sums of products of two walls' shares
    held: FloatArray = field(
        init=False
    )  # [KINDS]: number of worlds in which the first seat held it
    # [KINDS, walls]: the sums, over these worlds, of the wall's share minus the mean share of all
    # walls, and the sums of the squares of this difference.
    gains: FloatArray = field(init=False)
    squares: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        self.wins, self.margins = np.zeros(self.walls), np.zeros(self.walls)
        self.products, self.held = np.zeros((self.walls, self.walls)), np.zeros(KINDS)
        self.gains, self.squares = np.zeros((KINDS, self.walls)), np.zeros((KINDS, self.walls))

    @property
    def means(self) -> FloatArray:
        """The mean share of a victory of each wall: float64[walls]."""
        return self.wins / max(self.worlds, 1)

    @property
    def covariances(self) -> FloatArray:
        """The covariances of the means of at least two worlds: float64[walls, walls]."""
        count, means = self.worlds, self.means
        result: FloatArray = (self.products - count * np.outer(means, means)) / (count - 1) / count
        return result

    @property
    def errors(self) -> FloatArray:
        """The standard errors of the differences between walls: float64[walls, walls].

        The diagonal contains the standard errors of the means.
        """
        if self.worlds < 2:
            return np.full((self.walls, self.walls), np.inf)
        covariances = self.covariances
        variances = np.diag(covariances)
        squares = variances[:, None] + variances - 2 * covariances
        np.fill_diagonal(squares, variances)
        errors: FloatArray = np.sqrt(np.maximum(squares, 0))
        return errors


@dataclass
class Survey:
    """The results of the games that were played after the first walls of a board.

    `simulations` is the number of simulations that the default player makes for each decision in
    the finalists' games; with 0, the policy plays these games.
    """

    board: Board
    players: int
    simulations: int
    seed: int
    lines: list[int]  # the lines of the walls that are left
    sums: WallSums  # of the games of this round
    round: int = 0

    @property
    def is_final(self) -> bool:
        """True once only the finalists are left."""
        return len(self.lines) <= FINALISTS
