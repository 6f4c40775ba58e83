"""Positions and boards for measurements: an example, random games, and boards of several sizes.

    python -m benchmarks.positions 72 > strips-72.json

A strips board has rows of tower spaces. Every second row is shifted by half a side. Between the
rows are strips of spaces, and all strips have the same number of spaces. The board has three
regions from west to east, and water along its west and east sides. With 8 strips of 13 spaces, it
has the same shape and the same numbers as `classic`.
"""

from __future__ import annotations

import argparse
from functools import cache
from typing import TYPE_CHECKING

from benchmarks.measuring import ROOT
from masons.engine.board.geometry import Board

if TYPE_CHECKING:
    from collections.abc import Callable

    from masons.engine.game.game import Game
    from masons.engine.state.layout import State

EXAMPLE = ROOT / "examples" / "midgame.txt"


@cache
def example_text() -> str:
    """Return the text of the position in `examples/midgame.txt`.

    The game has 2 players, and a wall of turn 20 is due.
    """
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("masons1"))


def example() -> Game:
    """Return a game at the position of `examples/midgame.txt`."""
    from masons.engine.game.game import Game

    return Game.from_position(example_text(), seed=1)


def _random_game(policy: str, players: int, seed: int) -> tuple[Game, Callable[[], None]]:
    """Return a new game, and a function that makes its next decision at random."""
    from masons.ai.players.named_players import make_player
    from masons.engine.game.game import Game

    game = Game(players, seed=seed)
    player = make_player({"uniform": "random", "busy-best": "greedy"}.get(policy, policy), seed)

    def step() -> None:
        game.apply(player.choose(game.table, game.observe(game.seat), game.legal_moves()))

    return game, step


def after_turns(turns: int, policy: str, players: int, seed: int) -> State:
    """Return the state of a random game after `turns` turns, or at its end if it ends before."""
    game, step = _random_game(policy, players, seed)
    while game.position.turn < turns and not game.is_over:
        step()
    return game.state


def halfway(policy: str, players: int, seed: int) -> Game:
    """Return a random game, taken back to its middle and played on to the next wall decision."""
    game, step = _random_game(policy, players, seed)
    while not game.is_over:
        step()
    game.undo((game.decisions + 1) // 2)
    while game.phase != "wall":
        step()
    return game


# For each size of a board in spaces: the number of strips, and the number of spaces in a strip.
SHAPES = {24: (4, 6), 48: (6, 8), 72: (8, 9), 104: (8, 13), 128: (8, 16)}


@cache
def strips_board(spaces: int) -> Board:
    """Return the strips board with `spaces` spaces, where `spaces` is a key of SHAPES."""
    from masons.engine.board.board_rows import Rows

    strips, wide = SHAPES[spaces]
    third = wide // 3
    strip = " " + "1" * third + "2" * (wide - 2 * third) + "3" * third
    rows = []
    for row in range(strips + 1):
        start = 1 - row % 2  # the column of the row's first tower space
        inner = (wide + 3 - start) // 2 - 2
        rows.append(" " * start + " ".join(["~", *"o" * inner, "~"]))
    drawing = f"\n{strip}\n".join(rows)
    return Board.from_dict(Rows(f"board strips-{spaces}\n{drawing}").description())


def main() -> None:
    """Print the description of one board."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("spaces", type=int, choices=SHAPES, help="number of spaces")
    print(strips_board(parser.parse_args().spaces).to_json())


if __name__ == "__main__":
    main()
