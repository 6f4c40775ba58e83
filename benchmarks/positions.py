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
from masons.engine.board.board_description import ROW
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
REGIONS = 3

# A corner of the lattice as (row, half column). Neighbors in a row are two half columns apart.
Corner = tuple[int, int]


def _triangles(strips: int, wide: int) -> list[tuple[Corner, Corner, Corner]]:
    """Return the three corners of each space, strip by strip and from west to east."""
    spaces = []
    for row in range(strips):
        upwards = row % 2  # 1 if the strip's first space points north
        for i in range(wide):
            first = (row + (i + 1 + upwards) % 2, i)
            middle = (row + (i + upwards) % 2, i + 1)
            spaces.append((first, middle, (first[0], i + 2)))
    return spaces


def _region(place: int, wide: int) -> int:
    """Return the region of a space, given its place in a strip of `wide` spaces."""
    third = wide // REGIONS
    return 1 if place < third else 3 if place >= wide - third else 2


@cache
def strips_board(spaces: int) -> Board:
    """Return the strips board with `spaces` spaces, where `spaces` is a key of SHAPES."""
    strips, wide = SHAPES[spaces]
    triangles = _triangles(strips, wide)
    corners = sorted({corner for triangle in triangles for corner in triangle})
    tower = {corner: i for i, corner in enumerate(corners)}
    around = [sorted(tower[corner] for corner in triangle) for triangle in triangles]
    sides = sorted({pair for a, b, c in around for pair in ((a, b), (a, c), (b, c))})
    line = {pair: i for i, pair in enumerate(sides)}
    lines = [[line[a, b], line[a, c], line[b, c]] for a, b, c in around]
    beside = [
        [space for space, sides_of in enumerate(lines) if i in sides_of] for i in range(len(sides))
    ]
    rows = [[corner for corner in corners if corner[0] == i] for i in range(strips + 1)]
    shore = {end for row in rows for end in (row[0], row[-1])}
    return Board.from_dict(
        {
            "name": f"strips-{spaces}",
            "regions": REGIONS,
            "towers": [
                {"id": i, "x": half / 2, "y": row * ROW, "shore": (row, half) in shore}
                for i, (row, half) in enumerate(corners)
            ],
            "spaces": [
                {"id": i, "region": _region(i % wide, wide), "lines": lines[i], "towers": around[i]}
                for i in range(spaces)
            ],
            "lines": [
                {"id": i, "spaces": [*near, None][:2], "towers": list(sides[i])}
                for i, near in enumerate(beside)
            ],
        }
    )


def main() -> None:
    """Print the description of one board."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("spaces", type=int, choices=SHAPES, help="number of spaces")
    print(strips_board(parser.parse_args().spaces).to_json())


if __name__ == "__main__":
    main()
