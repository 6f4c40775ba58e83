"""Survey the first walls of a board: play games after each wall that may still be the best.

    python -m benchmarks.openings FILE [--board ring.json] [--players 3] [--sims 100] [--threads 2]

A world is one deal of all hands and one stream of dice and draws; all walls are played in the same
worlds. In rounds of games played by the policy, sequential halving drops walls until FINALISTS are
left. The default player (or the policy, with `--sims 0`) then plays games after each finalist in
new worlds, until the half width of each finalist's interval is at most HALF_WIDTH. All figures come
from these last games alone, because the games that selected a wall overestimate it.

The games are saved in FILE every ten seconds and at Ctrl-C, and the same command continues. The
figures depend neither on the number of threads nor on how often the survey was stopped.
`masons-engine openings FILE` lists the walls.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import Final

import numpy as np

from benchmarks.measuring import parser_of
from masons.ai.halving.sequential_halving import better_half
from masons.ai.openings.survey import FINALISTS, Survey, WallSums
from masons.ai.openings.survey_file import MAX_BYTES, format_survey, survey_of
from masons.ai.rollout import game_kernel
from masons.ai.rollout.evidence import NORMAL, margins_of
from masons.ai.rollout.games import Chunk, GamePlayer
from masons.ai.search.executors import Threads
from masons.engine.board.components import MAX_PLAYERS, MIN_PLAYERS
from masons.engine.board.geometry import Board, load_board
from masons.engine.errors import MasonsError
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import FloatArray
from masons.engine.kernels.rng import mix
from masons.engine.storage.held_file import HeldFile

HALF_WIDTH: Final = 0.01  # half width of a 95 % interval, as a share of a victory
WORLDS: Final = 1600  # worlds of the first round; each further round has twice as many
BATCH: Final = 64  # worlds that are added up together; the survey can stop between two batches
_SAVE_SECONDS: Final = 10.0


def new_survey(board: Board, players: int, simulations: int, seed: int) -> Survey:
    """Return a survey of all walls of a board, without games."""
    lines = list(range(len(board.line_towers)))
    return Survey(board, players, simulations, seed, lines, WallSums(len(lines)))


def add_world(sums: WallSums, hand: Sequence[int], wins: FloatArray, margins: FloatArray) -> None:
    """Add the results of a world for each wall.

    `hand` lists the kinds of cards in the first seat's hand. `wins` and `margins` are
    float64[walls].
    """
    sums.worlds += 1
    sums.wins += wins
    sums.margins += margins
    sums.products += np.outer(wins, wins)
    kinds, gains = sorted(set(hand)), wins - wins.mean()
    sums.held[kinds] += 1
    sums.gains[kinds] += gains
    sums.squares[kinds] += gains**2


def half_width(survey: Survey) -> float:
    """Return the largest half width of the 95 % intervals of the walls' means."""
    return NORMAL * float(np.diag(survey.sums.errors).max())


def is_done(survey: Survey) -> bool:
    """Return whether the half width of each finalist's interval is at most HALF_WIDTH."""
    return survey.is_final and half_width(survey) <= HALF_WIDTH


def wanted_worlds(survey: Survey) -> int:
    """Return the number of worlds of the current round.

    For the last round, this is an estimate from the standard errors so far.
    """
    if not survey.is_final:
        return WORLDS << survey.round
    width = half_width(survey)
    return int(survey.sums.worlds * (width / HALF_WIDTH) ** 2) if np.isfinite(width) else WORLDS


def play(survey: Survey, threads: int, tell: Callable[[], bool]) -> None:
    """Play on until the survey is done, or `tell` returns False.

    `tell` is called after each batch of worlds.
    """
    table = Table(survey.board)
    while not is_done(survey):
        first = survey.sums.worlds
        work = partial(_play_world, survey, table)
        for hand, games in Threads(threads).map(work, range(first, first + BATCH)):
            add_world(survey.sums, hand, games[:, 0], games[:, 1])
        if not survey.is_final and survey.sums.worlds >= WORLDS << survey.round:
            _halve(survey)
        if not tell():
            return


def _play_world(survey: Survey, table: Table, world: int) -> tuple[Sequence[int], FloatArray]:
    """Return the first seat's hand in a world, and its results: float64[walls, 2].

    The results are the first seat's share of the victory and its score margin, for each wall.
    """
    seed = mix(survey.seed, mix(survey.round, world))
    game = Game(players=survey.players, seed=seed, board=survey.board)
    walls = game.legal_moves()  # the walls on lines 0, 1, ...
    moves = [walls[line] for line in survey.lines]
    sims = survey.simulations if survey.is_final else 0
    player = GamePlayer(table, game.observe(0), moves, seed, sims)
    chunk = Chunk(tuple(range(len(moves))), 0, 1)
    results = player(chunk, 0, chunk.games).results
    margins = margins_of(results[:, game_kernel.SCORE : game_kernel.SCORE + survey.players], 0)
    return game.hands_dealt[0], np.stack([results[:, game_kernel.WIN], margins], axis=1)


def _halve(survey: Survey) -> None:
    """Keep the better half of the walls, and begin new sums."""
    half = int(better_half(U(len(survey.lines))))
    kept = half if half >= 2 * FINALISTS else FINALISTS
    best = np.argsort(-survey.sums.wins, kind="stable")[:kept]
    survey.lines = [survey.lines[i] for i in sorted(best)]
    survey.round += 1
    survey.sums = WallSums(len(survey.lines))


# --- the file


def opened(file: HeldFile, begun: Survey) -> Survey:
    """Return the survey in a file, or `begun` if the file is empty.

    Raises MasonsError if the file holds a survey with other arguments than `begun`.
    """
    if not file.size:
        return begun
    survey = survey_of(file.read(MAX_BYTES + 1), file.name, begun.board)
    for name in ("players", "simulations", "seed"):
        value, wanted = getattr(survey, name), getattr(begun, name)
        if value != wanted:
            raise MasonsError(f"{file.name}: its survey has {name} {value}, not {wanted}")
    return survey


def survey_into(path: str, begun: Survey, threads: int) -> None:
    """Play a survey to its end, beginning with the games in a file, and save it there."""
    with closing(HeldFile(path, "any")) as file:
        survey, saved = opened(file, begun), time.monotonic()

        def save() -> None:
            file.replace(format_survey(survey).encode())
            worlds = f"{survey.sums.worlds:,} of {wanted_worlds(survey):,} worlds"
            print(f"{len(survey.lines)} walls, {worlds}", file=sys.stderr, flush=True)

        def tell() -> bool:
            nonlocal saved
            if time.monotonic() - saved > _SAVE_SECONDS:
                save()
                saved = time.monotonic()
            return True

        try:
            play(survey, threads, tell)
        finally:
            save()


def main() -> None:
    """Play the games of a survey and save them."""
    parser = parser_of(__doc__, threads=1)
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--board", default="classic", help="a built-in board or a file")
    players = range(MIN_PLAYERS, MAX_PLAYERS + 1)
    parser.add_argument("--players", type=int, choices=players, default=MIN_PLAYERS)
    parser.add_argument("--sims", type=int, default=100, help="0: the policy plays all games")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    try:
        board = load_board(options.board)
        begun = new_survey(board, options.players, max(options.sims, 0), options.seed)
        survey_into(options.file, begun, options.threads)
    except KeyboardInterrupt:
        parser.exit(130)
    except (MasonsError, OSError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main()
