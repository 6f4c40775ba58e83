"""Work: games, playouts and searches of the engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from benchmarks.harness.measuring import Run, Work
from benchmarks.workloads.measured_positions import example
from benchmarks.workloads.strip_boards import SHAPES, strips_board

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from masons.engine.board.geometry import Board
    from masons.engine.game.game import Game

# Imports of the engine stand inside the functions: to name the works loads no compiler, and where
# an engine lacks something, the rest is still measured.

POLICIES = ("uniform", "busy", "busy-best")
PLAYERS = (2, 3, 4)
GAMES = 1000  # in a run
POLICY_GAMES = 100
SEARCHED_GAMES = {60: 40, 1000: 4}  # in a run, by simulations a decision
ITERATIONS = 10_000  # in a search
TREES = (1_000, 10_000, 100_000, 1_000_000)
_ON_BOARDS = (
    ("games", "game", GAMES),
    ("playouts", "playout", GAMES),
    ("iterations", "iteration", ITERATIONS),
)
THREADS = (1, 2)
THREADED = 100_000  # iterations in an analysis
TREE_MB = 4096  # address space; only what the tree needs is ever touched


class RandomPlay:
    """Random games of a policy, or playouts from a state."""

    def __init__(
        self, policy: str, *, players: int = 2, board: Board | None = None, seed: int = 1
    ) -> None:
        import numpy as np

        from masons.engine.board.geometry import load_board
        from masons.engine.game.table import Table
        from masons.engine.kernels.rng import new_rng
        from masons.engine.playouts.counters import COUNTER_WORDS
        from masons.engine.playouts.policies import POLICIES as KNOWN
        from masons.engine.state.initial_state import empty_state

        self._table = Table(board or load_board("classic")).packed
        self._empty = empty_state(self._table, players)
        self._workspace = empty_state(self._table, players)
        self._rng = new_rng(seed)
        self._policy = KNOWN.index(policy)
        self._counters = np.zeros(COUNTER_WORDS, dtype=np.uint64)

    def games(self, number: int) -> int:
        """Play games from the deal on; the number of decisions."""
        from masons.engine.playouts.random_games import play_games

        return self._play(play_games, self._empty, number)

    def playouts(self, state: NDArray[np.uint64], number: int) -> int:
        """Play on from a state; the number of decisions."""
        from masons.engine.playouts.random_games import play_outs

        return self._play(play_outs, state, number)

    def _play(self, kernel: Any, start: NDArray[np.uint64], number: int) -> int:
        before = self.decisions
        kernel(start, self._table, self._rng, self._policy, number, self._workspace, self._counters)
        return self.decisions - before

    @property
    def decisions(self) -> int:
        """The decisions made so far."""
        from masons.engine.playouts.counters import COUNT_DECISIONS

        return int(self._counters[int(COUNT_DECISIONS)])


def games(policy: str, players: int = 2, board: Board | None = None) -> Run:
    """GAMES random games."""
    play = RandomPlay(policy, players=players, board=board)
    return lambda: play.games(GAMES)


def policy_games(players: int) -> Run:
    """POLICY_GAMES games of the policy by the net against itself."""
    from masons.ai.models.model_data import learned
    from masons.ai.self_play.self_play import play_policy_games

    net, table = learned()["net"], example().table
    return lambda: play_policy_games(table, players, range(POLICY_GAMES), net)


def rollout_games(players: int) -> Run:
    """POLICY_GAMES games of a rollout, half of them after each of two first walls."""
    from masons.ai.rollout.plan import Contenders
    from masons.ai.rollout.rollout import Rollout
    from masons.engine.game.game import Game

    game = Game(players, seed=1)
    view, moves = game.observe(game.seat), tuple(game.legal_moves()[:2])
    rollout = Rollout(game.table, view, Contenders(moves, (0.0, 0.0), len(moves), 0))
    return lambda: rollout.play((0, 1), POLICY_GAMES // 2)


def searched_games(sims: int, players: int) -> Run:
    """Whole games by the default search with so many simulations a decision."""
    from masons.ai.models.model_data import learned
    from masons.ai.self_play.seat_choices import Seat
    from masons.ai.self_play.self_play import play_games

    numbers, table = learned(), example().table
    seats = [Seat(sims, numbers["heuristic"], numbers["net"])] * players
    return lambda: play_games(table, seats, range(SEARCHED_GAMES[sims]))


def playouts(policy: str, game: Game | None = None) -> Run:
    """GAMES playouts from one position."""
    game = game or example()
    play, state = RandomPlay(policy, board=game.board), game.state
    return lambda: play.playouts(state, GAMES)


def searches(policy: str, iterations: int = ITERATIONS, game: Game | None = None) -> Run:
    """One search after the other, each with its own seed."""
    from masons.ai.ismcts.tree_search import Search
    from masons.ai.search.search_options import SearchOptions

    game = game or example()
    options = SearchOptions("ismcts", policy=policy, memory_mb=TREE_MB)
    seen, seeds = game.observe(game.seat), count(1)
    return lambda: Search(game.table, seen, next(seeds), options).run(iterations)


def on_board(what: str, policy: str, spaces: int) -> Run:
    """Games, playouts or a search on a board of so many spaces; the last two from the start."""
    from masons.engine.game.game import Game

    board = strips_board(spaces)
    if what == "games":
        return games(policy, 2, board)
    game = Game(2, board=board, seed=1)
    return playouts(policy, game) if what == "playouts" else searches(policy, game=game)


def of_players(policy: str, players: int) -> Run:
    """A search from the start of a game of so many."""
    from masons.engine.game.game import Game

    return searches(policy, game=Game(players, seed=1))


def threaded(policy: str, threads: int) -> Run:
    """Whole analyses by so many threads, each with its own seed."""
    from masons.ai.search.search_options import SearchOptions
    from masons.ai.session import analyse

    game = example()
    options = SearchOptions("ismcts", policy=policy, threads=threads)
    seen, seeds = game.observe(game.seat), count(1)
    return lambda: analyse(game.table, seen, sims=THREADED, seed=next(seeds), options=options)


def searched(policy: str, threads: int, seconds: float) -> Callable[[], int]:
    """Analyses for so long by so many threads: their iterations."""
    from masons.ai.search.search_options import SearchOptions
    from masons.ai.session import analyse

    game = example()
    options = SearchOptions("ismcts", policy=policy, threads=threads)
    seen, seeds = game.observe(game.seat), count(1)
    return lambda: (
        analyse(game.table, seen, seconds=seconds, seed=next(seeds), options=options).iterations
    )


WORKS: dict[str, Work] = {
    **{
        f"games/{policy}-{players}": Work(partial(games, policy, players), "game", GAMES, True)
        for policy in POLICIES
        for players in PLAYERS
    },
    **{
        f"games/policy-{players}": Work(partial(policy_games, players), "game", POLICY_GAMES)
        for players in PLAYERS
    },
    **{
        f"games/rollout-{players}": Work(partial(rollout_games, players), "game", POLICY_GAMES)
        for players in PLAYERS
    },
    **{
        f"games/searched-{sims}-{players}": Work(
            partial(searched_games, sims, players), "game", SEARCHED_GAMES[sims]
        )
        for sims, players in ((60, 2), (60, 3), (60, 4), (1000, 2))
    },
    **{
        f"playouts/{policy}": Work(partial(playouts, policy), "playout", GAMES, True)
        for policy in POLICIES
    },
    **{
        f"iterations/{policy}": Work(partial(searches, policy), "iteration", ITERATIONS)
        for policy in POLICIES
    },
}

# What size costs: more of the same, measured by the suite alone.
SCALES: dict[str, Work] = {
    **{
        f"players/{policy}-{players}": Work(
            partial(of_players, policy, players), "iteration", ITERATIONS
        )
        for policy in POLICIES[:2]
        for players in PLAYERS
    },
    **{
        f"board/{what}-{policy}-{spaces}": Work(
            partial(on_board, what, policy, spaces), unit, units, what != "iterations"
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
