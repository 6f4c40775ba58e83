"""Positions to measure at: an example in mid-game, and positions from random games."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from benchmarks.harness.measuring import ROOT

if TYPE_CHECKING:
    from masons.engine.game.game import Game
    from masons.engine.state.layout import State

EXAMPLE = ROOT / "examples" / "midgame.txt"


@cache
def example_text() -> str:
    """The position text of `examples/midgame.txt`: 2 players, turn 20, a wall is due."""
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("masons1"))


def example() -> Game:
    """That position as a game."""
    from masons.engine.game.game import Game

    return Game.from_position(example_text(), seed=1)


class _Random:
    """A random game, decision by decision."""

    def __init__(self, policy: str, players: int, seed: int) -> None:
        from masons.ai.players.named_players import make_player
        from masons.engine.game.game import Game

        self.game = Game(players, seed=seed)
        self._player = make_player(
            {"uniform": "random", "busy-best": "greedy"}.get(policy, policy), seed
        )

    def step(self) -> None:
        """One decision."""
        game = self.game
        seen, moves = game.observe(game.seat), game.legal_moves()
        game.apply(self._player.choose(game.table, seen, moves))


def after_turns(turns: int, policy: str, players: int, seed: int) -> State:
    """The state of a random game after so many turns."""
    played = _Random(policy, players, seed)
    game = played.game
    while game.position.turn < turns and not game.is_over:
        played.step()
    return game.state


def halfway(policy: str, players: int, seed: int) -> Game:
    """The first decision about a wall after half the decisions of a random game."""
    played = _Random(policy, players, seed)
    game = played.game
    while not game.is_over:
        played.step()
    game.undo((game.decisions + 1) // 2)
    while game.phase != "wall":
        played.step()
    return game
