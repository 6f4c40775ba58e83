"""Works that can be measured: games, playouts, searches, reading texts, and whole processes.

The engine is imported inside the functions. So importing this module does not load the compiler,
and if an older engine lacks a module, all other work can still be measured.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import count
from typing import TYPE_CHECKING, Any

from benchmarks.measuring import Run, Work
from benchmarks.positions import EXAMPLE, SHAPES, example, example_text, strips_board

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from masons.engine.board.geometry import Board
    from masons.engine.game.game import Game

POLICIES = ("uniform", "busy", "busy-best")
PLAYERS = (2, 3, 4)
GAMES = 1000  # games in a run
POLICY_GAMES = 100
SEARCHED_GAMES = {60: 40, 1000: 4}  # games in a run, by simulations per decision
ITERATIONS = 10_000  # iterations in a search
TREES = (1_000, 10_000, 100_000, 1_000_000)
_ON_BOARDS = (
    ("games", "game", GAMES),
    ("playouts", "playout", GAMES),
    ("iterations", "iteration", ITERATIONS),
)
THREADS = (1, 2)
THREADED = 100_000  # iterations in an analysis with several threads
TREE_MB = 4096  # megabytes of address space; the tree may use less memory


class RandomPlay:
    """Random games or playouts with a policy. Both methods return the number of decisions."""

    def __init__(
        self, policy: str, *, players: int = 2, board: Board | None = None, seed: int = 1
    ) -> None:
        import numpy as np

        from masons.engine.board.geometry import load_board
        from masons.engine.game.table import Table
        from masons.engine.kernels.rng import new_rng
        from masons.engine.playouts.counters import COUNTER_WORDS
        from masons.engine.playouts.policies import POLICIES as KNOWN
        from masons.engine.state.derive import empty_state

        self._table = Table(board or load_board("classic")).packed
        self._empty = empty_state(self._table, players)
        self._workspace = empty_state(self._table, players)
        self._rng = new_rng(seed)
        self._policy = KNOWN.index(policy)
        self._counters = np.zeros(COUNTER_WORDS, dtype=np.uint64)

    def games(self, number: int) -> int:
        """Play `number` games from the deal on. Return the number of decisions in them."""
        from masons.engine.playouts.random_games import play_games

        return self._play(play_games, self._empty, number)

    def playouts(self, state: NDArray[np.uint64], number: int) -> int:
        """Play `number` playouts from a state. Return the number of decisions in them."""
        from masons.engine.playouts.random_games import play_outs

        return self._play(play_outs, state, number)

    def _play(self, kernel: Any, start: NDArray[np.uint64], number: int) -> int:
        before = self.decisions
        kernel(start, self._table, self._rng, self._policy, number, self._workspace, self._counters)
        return self.decisions - before

    @property
    def decisions(self) -> int:
        """The number of decisions made so far."""
        from masons.engine.playouts.counters import COUNT_DECISIONS

        return int(self._counters[int(COUNT_DECISIONS)])


def games(policy: str, players: int = 2, board: Board | None = None) -> Run:
    """Return a run that plays GAMES random games."""
    play = RandomPlay(policy, players=players, board=board)
    return lambda: play.games(GAMES)


def policy_games(players: int) -> Run:
    """Return a run that plays POLICY_GAMES games of the net policy against itself."""
    from masons.ai.models.model_data import learned
    from masons.ai.self_play.self_play import play_policy_games

    net, table = learned()["net"], example().table
    return lambda: play_policy_games(table, players, range(POLICY_GAMES), net)


def rollout_games(players: int) -> Run:
    """Return a run that plays POLICY_GAMES rollout games, half of them after each of two walls."""
    from masons.ai.rollout.plan import Contenders
    from masons.ai.rollout.rollout import Rollout
    from masons.engine.game.game import Game

    game = Game(players, seed=1)
    view, moves = game.observe(game.seat), tuple(game.legal_moves()[:2])
    rollout = Rollout(game.table, view, Contenders(moves, (0.0, 0.0), len(moves), 0))
    return lambda: rollout.play((0, 1), POLICY_GAMES // 2)


def searched_games(sims: int, players: int) -> Run:
    """Return a run of whole games of the default search with `sims` simulations per decision."""
    from masons.ai.models.model_data import learned
    from masons.ai.self_play.seat_choices import Seat
    from masons.ai.self_play.self_play import play_games

    numbers, table = learned(), example().table
    seats = [Seat(sims, numbers["heuristic"], numbers["net"])] * players
    return lambda: play_games(table, seats, range(SEARCHED_GAMES[sims]))


def playouts(policy: str, game: Game | None = None) -> Run:
    """Return a run that plays GAMES playouts from one position."""
    game = game or example()
    play, state = RandomPlay(policy, board=game.board), game.state
    return lambda: play.playouts(state, GAMES)


def searches(policy: str, iterations: int = ITERATIONS, game: Game | None = None) -> Run:
    """Return a run of a tree search. Each call uses a different seed."""
    from masons.ai.ismcts.tree_search import Search
    from masons.ai.search.search_options import SearchOptions

    game = game or example()
    options = SearchOptions("ismcts", policy=policy, memory_mb=TREE_MB)
    view, seeds = game.observe(game.seat), count(1)
    return lambda: Search(game.table, view, next(seeds), options).run(iterations)


def started(what: str, policy: str, players: int = 2, spaces: int = 0) -> Run:
    """Return a run of games, of playouts from a new game, or of a search from a new game.

    If `spaces` is 0, the board is `classic`. Otherwise it is the strips board with `spaces` spaces.
    """
    from masons.engine.game.game import Game

    if what == "games":
        return games(policy, players, strips_board(spaces))
    game = Game(players, board=strips_board(spaces) if spaces else "classic", seed=1)
    return playouts(policy, game) if what == "playouts" else searches(policy, game=game)


def analyses(policy: str, threads: int, **limit: Any) -> Callable[[int], int]:
    """Return a function that analyzes with a given seed and returns the number of iterations."""
    from masons.ai.search.search_options import SearchOptions
    from masons.ai.session import analyze

    game = example()
    options = SearchOptions("ismcts", policy=policy, threads=threads)
    view = game.observe(game.seat)
    return lambda seed: analyze(game.table, view, seed=seed, options=options, **limit).iterations


def threaded(policy: str, threads: int) -> Run:
    """Return a run that analyzes with `threads` threads. Each call uses a different seed."""
    run, seeds = analyses(policy, threads, sims=THREADED), count(1)
    return lambda: run(next(seeds))


# The same kinds of work in several sizes. Only the suite measures them.
SCALES: dict[str, Work] = {
    **{
        f"games/{policy}-{players}": Work(partial(games, policy, players), "game", GAMES, True)
        for policy in POLICIES
        for players in PLAYERS
    },
    **{
        f"players/{policy}-{players}": Work(
            partial(started, "iterations", policy, players), "iteration", ITERATIONS
        )
        for policy in POLICIES[:2]
        for players in PLAYERS
    },
    **{
        f"board/{what}-{policy}-{spaces}": Work(
            partial(started, what, policy, spaces=spaces), unit, units, what != "iterations"
        )
        for what, unit, units in _ON_BOARDS
        for policy in POLICIES[:2]
        for spaces in SHAPES
    },
    **{
        f"tree/{policy}-{size}": Work(partial(searches, policy, size), "iteration", size)
        for policy in POLICIES[:2]
        for size in TREES
    },
    **{
        f"threads/{policy}-{threads}": Work(
            partial(threaded, policy, threads), "iteration", THREADED, is_wall=True
        )
        for policy in POLICIES[:2]
        for threads in THREADS
    },
}


def position_in() -> Run:
    """Return a run that parses a position."""
    from masons.engine.formats.position_text import parse_position

    text = example_text()
    return lambda: parse_position(text)


@cache
def record_text() -> str:
    """Return the record of a whole game as one line."""
    from masons.ai.players.named_players import make_player
    from masons.engine.game.game import Game
    from masons.engine.game.record import format_record, game_record

    game, player = Game(2, seed=1), make_player("busy", 1)
    while not game.is_over:
        game.apply(player.choose(game.table, game.observe(game.seat), game.legal_moves()))
    return format_record(game_record(game, ["busy", "busy"]))


def record_check() -> Run:
    """Return a run that replays a game and compares each event with its record."""
    from masons.engine.game.record import parse_record
    from masons.engine.game.replay import check_record

    record = parse_record(record_text())
    return lambda: check_record(record)


ANALYZE = ("analyze", str(EXAMPLE), "--sims", "1000", "--seed", "1")
STARTS: dict[str, tuple[str, ...]] = {
    "--help": ("--help",),
    "--version": ("--version",),
    "analyze --sims 1000": ANALYZE,
}


def process(arguments: Sequence[str]) -> Run:
    """Return a run of `masons-engine`."""
    command = [sys.executable, "-m", "masons.cli", *arguments]
    quiet = subprocess.DEVNULL
    return lambda: subprocess.run(command, check=True, stdout=quiet, stderr=quiet)
