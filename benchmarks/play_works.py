"""Work to measure: games, playouts, searches, texts read and written, whole processes.

Imports of the engine stand inside the functions: to name the works loads no compiler, and where an
engine lacks something, the rest is still measured.
"""

from __future__ import annotations

import os
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
        from masons.engine.state.derive import empty_state

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
    from masons.ai.session import analyze

    game = example()
    options = SearchOptions("ismcts", policy=policy, threads=threads)
    seen, seeds = game.observe(game.seat), count(1)
    return lambda: analyze(game.table, seen, sims=THREADED, seed=next(seeds), options=options)


def searched(policy: str, threads: int, seconds: float) -> Callable[[], int]:
    """Analyses for so long by so many threads: their iterations."""
    from masons.ai.search.search_options import SearchOptions
    from masons.ai.session import analyze

    game = example()
    options = SearchOptions("ismcts", policy=policy, threads=threads)
    seen, seeds = game.observe(game.seat), count(1)
    return lambda: (
        analyze(game.table, seen, seconds=seconds, seed=next(seeds), options=options).iterations
    )


PLAY_WORKS: dict[str, Work] = {
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


@cache
def _record() -> str:
    """A whole game as the line of its record."""
    from masons.ai.players.named_players import make_player
    from masons.engine.game.game import Game
    from masons.engine.game.record import format_record, game_record

    game = Game(2, seed=1)
    player = make_player("busy", 1)
    while not game.is_over:
        game.apply(player.choose(game.table, game.observe(game.seat), game.legal_moves()))
    return format_record(game_record(game, ["busy", "busy"]))


def _state_copy() -> Run:
    return example().state.copy


def _view() -> Run:
    game = example()
    return lambda: game.observe(0)


def _legal_moves() -> Run:
    return example().legal_moves


def _game_apply() -> Run:
    game = example()
    move = game.legal_moves()[0]

    def run() -> None:
        game.apply(move)
        game.undo()

    return run


def _move_out() -> Run:
    from masons.engine.formats.move_text import format_move

    move = example().legal_moves()[0]
    return lambda: format_move(move)


def _move_in() -> Run:
    from masons.engine.formats.move_text import parse_move

    return lambda: parse_move("wall:51")


def _position_out() -> Run:
    from masons.engine.formats.position_text import format_position

    game = example()
    position, board = game.position, game.board
    return lambda: format_position(position, board)


def _position_in() -> Run:
    from masons.engine.formats.position_text import parse_position

    return lambda: parse_position(example_text())


def _record_out() -> Run:
    from masons.engine.game.record import format_record, parse_record

    record = parse_record(_record())
    return lambda: format_record(record)


def _record_in() -> Run:
    from masons.engine.game.record import parse_record

    return lambda: parse_record(_record())


def _record_check() -> Run:
    from masons.engine.game.record import check_record, parse_record

    record = parse_record(_record())
    return lambda: check_record(record)


def _board_in() -> Run:
    from masons.engine.board.geometry import Board, load_board

    description = load_board("classic").to_dict()
    return lambda: Board.from_dict(description)


def _board_out() -> Run:
    from masons.engine.board.geometry import load_board

    return load_board("classic").to_json


TEXT_WORKS: dict[str, Work] = {
    "state/copy": Work(_state_copy, "call"),
    "state/view": Work(_view, "call"),
    "state/legal-moves": Work(_legal_moves, "call"),
    "state/apply-undo": Work(_game_apply, "call"),
    "text/move-out": Work(_move_out, "call"),
    "text/move-in": Work(_move_in, "call"),
    "text/position-out": Work(_position_out, "call"),
    "text/position-in": Work(_position_in, "call"),
    "text/record-out": Work(_record_out, "game"),
    "text/record-in": Work(_record_in, "game"),
    "text/record-check": Work(_record_check, "game"),
    "text/board-in": Work(_board_in, "call"),
    "text/board-out": Work(_board_out, "call"),
}


ANALYZE = ("analyze", str(EXAMPLE), "--sims", "1000", "--seed", "1")
STARTS: dict[str, tuple[str, ...]] = {
    "--help": ("--help",),
    "--version": ("--version",),
    "analyze --sims 1000": ANALYZE,
}


def process(arguments: Sequence[str], cache: str | None = None) -> Run:
    """A run of `masons-engine`, with its kernels in the folder `cache` or in the user's own."""
    command = [sys.executable, "-m", "masons.cli", *arguments]
    changes = {} if cache is None else {"XDG_CACHE_HOME": cache}

    def run() -> None:
        subprocess.run(
            command,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **changes},
        )

    return run


START_WORKS: dict[str, Work] = {
    f"start/{arguments[0].strip('-')}": Work(partial(process, arguments), "process")
    for arguments in STARTS.values()
}
