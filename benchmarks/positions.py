"""Positions to measure at: an example in mid-game, and positions from random games."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from measuring import ROOT

if TYPE_CHECKING:
    from masons.engine.game import Game
    from masons.engine.layout import State

EXAMPLE = ROOT / "examples" / "midgame.txt"


@cache
def example_text() -> str:
    """The position text of `examples/midgame.txt`: 2 players, turn 20, a wall is due."""
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("masons1"))


def example() -> Game:
    """That position as a game."""
    from masons.engine.game import Game

    return Game.from_position(example_text(), seed=1)


def _step(game: Game, policy: str, seed: int) -> None:
    """One decision by the named random player."""
    from masons.ai.players import make_player

    player = make_player({"uniform": "random"}.get(policy, policy), seed + game.decisions)
    game.apply(player.choose(game.table, game.seen(game.seat), game.legal_moves()))


def after_turns(turns: int, policy: str, players: int, seed: int) -> State:
    """The state of a random game after so many turns."""
    from masons.engine.game import Game

    game = Game(players, seed=seed)
    while game.position.turn < turns and not game.is_over:
        _step(game, policy, seed)
    return game.state


def halfway(policy: str, players: int, seed: int) -> Game:
    """The first decision about a wall after half the decisions of a random game."""
    from masons.engine.game import Game

    game = Game(players, seed=seed)
    while not game.is_over:
        _step(game, policy, seed)
    game.undo((game.decisions + 1) // 2)
    while game.phase != "wall":
        _step(game, policy, seed)
    return game
