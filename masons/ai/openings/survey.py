"""A survey of first walls: games after each wall that may still turn out to be the best.

A world is one deal of all hands and one stream of dice and draws; all walls are played in the same
worlds. In rounds of games played by the policy, sequential halving drops walls until FINALISTS are
left. The default player (or the policy) then plays games after each finalist in new worlds, until
the half width of each finalist's interval is at most HALF_WIDTH. All figures come from these last
games alone, because the games that selected a wall overestimate it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.sequential_halving import better_half
from masons.ai.rollout import game_kernel
from masons.ai.rollout.evidence import NORMAL, margins_of
from masons.ai.rollout.games import Chunk, ChunkPart, GamePlayer
from masons.ai.search.backends import Threads
from masons.engine.board.components import KINDS
from masons.engine.board.geometry import Board
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.rng import mix

Floats = NDArray[np.float64]

FINALISTS: Final = 20
HALF_WIDTH: Final = 0.01  # half width of a 95 % interval, as a share of a victory
_WORLDS: Final = 1600  # worlds of the first round; each further round has twice as many
_BATCH: Final = 64  # worlds that are added up together; the survey can stop between two batches


@dataclass
class WallSums:
    """Sums over worlds, for `walls` walls that were all played in each world."""

    walls: int
    worlds: int = 0
    wins: Floats = field(init=False)  # [walls]: sums of the first seat's share of a victory
    margins: Floats = field(init=False)  # [walls]: sums of the first seat's score margin
    products: Floats = field(init=False)  # [walls, walls]: sums of products of two walls' shares
    held: Floats = field(init=False)  # [KINDS]: number of worlds in which the first seat held it
    # [KINDS, walls]: the sums, over these worlds, of the wall's share minus the mean share of all
    # walls, and the sums of the squares of this difference.
    gains: Floats = field(init=False)
    squares: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.wins, self.margins = np.zeros(self.walls), np.zeros(self.walls)
        self.products, self.held = np.zeros((self.walls, self.walls)), np.zeros(KINDS)
        self.gains, self.squares = np.zeros((KINDS, self.walls)), np.zeros((KINDS, self.walls))

    def add(self, hand: Sequence[int], wins: Floats, margins: Floats) -> None:
        """Add the results of a world for each wall.

        `hand` lists the kinds of cards in the first seat's hand. `wins` and `margins` are
        float64[walls].
        """
        self.worlds += 1
        self.wins += wins
        self.margins += margins
        self.products += np.outer(wins, wins)
        kinds, gains = sorted(set(hand)), wins - wins.mean()
        self.held[kinds] += 1
        self.gains[kinds] += gains
        self.squares[kinds] += gains**2

    @property
    def means(self) -> Floats:
        """The mean share of a victory of each wall: float64[walls]."""
        return self.wins / max(self.worlds, 1)

    @property
    def covariances(self) -> Floats:
        """The covariances of the means of at least two worlds: float64[walls, walls]."""
        count, means = self.worlds, self.means
        result: Floats = (self.products - count * np.outer(means, means)) / (count - 1) / count
        return result

    @property
    def errors(self) -> Floats:
        """The standard errors of the differences between walls: float64[walls, walls].

        The diagonal contains the standard errors of the means.
        """
        if self.worlds < 2:
            return np.full((self.walls, self.walls), np.inf)
        covariances = self.covariances
        variances = np.diag(covariances)
        squares = variances[:, None] + variances - 2 * covariances
        np.fill_diagonal(squares, variances)
        errors: Floats = np.sqrt(np.maximum(squares, 0))
        return errors


class Survey:
    """The games that have been played so far after the first walls of a board.

    `simulations` is the number of simulations that the default player makes for each decision in
    the finalists' games; with 0, the policy plays these games.
    """

    def __init__(self, board: Board, players: int, simulations: int, seed: int) -> None:
        self.board, self.players = board, players
        self.simulations, self.seed = simulations, seed
        self.lines = list(range(len(board.line_towers)))
        self.round = 0
        self.sums = WallSums(len(self.lines))
        self._table = Table(board)

    @property
    def is_final(self) -> bool:
        """True once only the finalists are left."""
        return len(self.lines) <= FINALISTS

    @property
    def half_width(self) -> float:
        """The largest half width of the 95 % intervals of the walls' means."""
        return NORMAL * float(np.diag(self.sums.errors).max())

    @property
    def is_done(self) -> bool:
        """True once the half width of each finalist's interval is at most HALF_WIDTH."""
        return self.is_final and self.half_width <= HALF_WIDTH

    def play(self, threads: int, tell: Callable[[], bool]) -> None:
        """Play on until the survey is done, or `tell` returns False.

        `tell` is called after each batch of worlds. The figures depend neither on the number of
        threads nor on how often the survey was stopped.
        """
        while not self.is_done:
            first = self.sums.worlds
            results: list[tuple[int, Sequence[int], Floats]] = []
            jobs = range(first, first + _BATCH)
            for world, (hand, games) in Threads(threads).run(self._play_world, jobs):
                results.append((world, hand, games))
            for _, hand, games in sorted(results, key=lambda result: result[0]):
                self.sums.add(hand, games[:, 0], games[:, 1])
            if not self.is_final and self.sums.worlds >= _WORLDS << self.round:
                self._halve()
            if not tell():
                return

    def _play_world(self, world: int) -> tuple[Sequence[int], Floats]:
        """Return the first seat's hand in a world, and its results: float64[walls, 2].

        The results are the first seat's share of the victory and its score margin, for each wall.
        """
        seed = mix(self.seed, mix(self.round, world))
        game = Game(players=self.players, seed=seed, board=self.board)
        walls = game.legal_moves()  # the walls on lines 0, 1, ...
        moves = [walls[line] for line in self.lines]
        sims = self.simulations if self.is_final else 0
        player = GamePlayer(self._table, game.observe(0), moves, seed, sims)
        chunk = Chunk(tuple(range(len(moves))), 0, 1)
        results = player(ChunkPart(chunk, 0, chunk.games)).results
        margins = margins_of(results[:, game_kernel.SCORE : game_kernel.SCORE + self.players], 0)
        return game.hands_dealt[0], np.stack([results[:, game_kernel.WIN], margins], axis=1)

    def _halve(self) -> None:
        """Keep the better half of the walls, and begin new sums."""
        half = int(better_half(U(len(self.lines))))
        kept = half if half >= 2 * FINALISTS else FINALISTS
        best = np.argsort(-self.sums.wins, kind="stable")[:kept]
        self.lines = [self.lines[i] for i in sorted(best)]
        self.round += 1
        self.sums = WallSums(len(self.lines))


def wanted_worlds(survey: Survey) -> int:
    """Return the number of worlds of the current round.

    For the last round, this is an estimate from the standard errors so far.
    """
    if not survey.is_final:
        return _WORLDS << survey.round
    half_width = survey.half_width
    if not np.isfinite(half_width):
        return _WORLDS
    return int(survey.sums.worlds * (half_width / HALF_WIDTH) ** 2)
