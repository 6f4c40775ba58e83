"""Searches, random games and playouts of a fixed seed: timed by `bench`, compiled ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from masons.engine.game.observation import Observation
    from masons.engine.game.table import Table

# Turn 10 of a game of two greedy players with seed 4: the wall is due.
TURN_10: Final = (
    "masons1 board=classic players=2 turn=9 active=1 phase=wall scores=17,21 "
    "hands=city-size-7+city-rose+land-region-3/city-green+land-red+land-towers-black "
    "discard=city-size-1+city-size-1+city-size-2+city-colors+city-towers-white+city-red+"
    "city-towers+land-rose+land-yellow+land-yellow+land-green+land-green+land-region-1+"
    "land-region-1+land-towers+land-towers+land-towers-white+land-towers-white+"
    "land-towers-gray+land-shore+land-shore+land-walls+cities walls=49,70,71,89,90,92,104,"
    "107 towers=white:33,38;gray:32;black:17,25,39,40 houses=red:45,54;rose:43,44,55,"
    "56;yellow:56,67,69;green:31,44;blue:30,56,58 palaces=red:44;blue:44"
)


def random_games(policy: str, players: int) -> Callable[[int], list[int]]:
    """What plays a number of random games from a fixed seed.

    It returns their counters (see `play_games`); all it needs is made beforehand.
    """
    import numpy as np

    from masons.engine.board.geometry import load_board
    from masons.engine.board.packed_board import pack_board
    from masons.engine.kernels.rng import new_rng
    from masons.engine.playouts.counters import COUNTER_WORDS
    from masons.engine.playouts.policies import POLICIES
    from masons.engine.playouts.random_games import play_games
    from masons.engine.state.initial_state import empty_state

    table = pack_board(load_board("classic"))
    start = empty_state(table, players)
    workspace = start.copy()

    def run(games: int) -> list[int]:
        counters = np.zeros(COUNTER_WORDS, dtype=np.uint64)
        play_games(start, table, new_rng(1), POLICIES.index(policy), games, workspace, counters)
        return [int(number) for number in counters]

    return run


def turn_10() -> tuple[Table, Observation]:
    """The fixed position at turn 10, as the seat to move sees it."""
    from masons.engine.formats.position_text import parse_position
    from masons.engine.game.table import Table

    board, position = parse_position(TURN_10)
    table = Table(board)
    return table, table.view(position.observed_by(position.seat))


def random_playouts(policy: str) -> Callable[[int], None]:
    """What plays on from turn 10 a number of times, from a fixed seed."""
    import numpy as np

    from masons.ai.beliefs.determinization import determinized
    from masons.engine.kernels.rng import new_rng
    from masons.engine.playouts.counters import COUNTER_WORDS
    from masons.engine.playouts.policies import POLICIES
    from masons.engine.playouts.random_games import play_outs

    table, view = turn_10()
    start = determinized(view, new_rng(1))
    workspace = start.copy()

    def run(count: int) -> None:
        counters = np.zeros(COUNTER_WORDS, dtype=np.uint64)
        play_outs(
            start, table.packed, new_rng(2), POLICIES.index(policy), count, workspace, counters
        )

    return run


def halving_searches() -> Callable[[int], None]:
    """What searches turn 10 by sequential halving, from a fixed seed."""
    from masons.ai.search.search_options import SearchOptions
    from masons.ai.session import analyse

    table, view = turn_10()
    options = SearchOptions()

    def run(count: int) -> None:
        analyse(table, view, sims=count, seed=3, options=options)

    return run


def tree_searches(policy: str) -> Callable[[int], list[str]]:
    """What searches turn 10 by ISMCTS, from a fixed seed; each move with its visits."""
    from masons.ai.ismcts.tree_search import Search
    from masons.ai.search.search_options import SearchOptions

    table, view = turn_10()

    def run(count: int) -> list[str]:
        search = Search(table, view, 3, SearchOptions("ismcts", policy=policy))
        search.run(count)
        return [f"{move} {visits}" for move, visits in search.root_visits().items()]

    return run
