"""Games of named players, brought to the decision that a test wants."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from masons.ai.players.named_players import make_player
from masons.engine.game.game import Game
from masons.engine.game.record import read_record
from masons.engine.game.replay import replay_to
from masons.engine.state.packed_move import DECISIONS
from masons.engine.state.position import Position
from tests.support.paths import EXAMPLES

GAMES = str(EXAMPLES / "games.jsonl")
MIDGAME = str(EXAMPLES / "midgame.txt")
CONTESTED = str(EXAMPLES / "contested.txt")


@cache
def at_decision(decision: int, number: int = 1) -> Game:
    """Return an example game at a decision. Tests share this game, so do not change it."""
    return replay_to(read_record(GAMES, number), decision)


def play_named(game: Game, specs: Sequence[str], *, until: str = "over", seed: int = 1) -> Game:
    """Continue a game up to the phase `until` or the end. `specs` names the player of each seat."""
    players = [make_player(spec, seed + seat) for seat, spec in enumerate(specs)]
    while game.phase != until and not game.is_over:
        view, moves = game.observe(game.seat), game.legal_moves()
        game.apply(players[game.seat].choose(game.table, view, moves))
    return game


def brought_to(
    phase: str, players: int = 2, seed: int = 1, spec: str = "greedy", **how: Any
) -> Game:
    """Return a game at its first decision of a phase. One named player has played all seats."""
    while True:
        game = play_named(Game(players, seed=seed, **how), [spec] * players, until=phase)
        if game.phase == phase:
            return game
        seed += 1000


def games_by_phase(players: int, seed: int) -> dict[str, Game]:
    """Return, for each phase, a game of greedy players at the last decision of that phase."""
    game, positions = Game(players, seed=seed), dict[str, Position]()
    seats = [make_player("greedy", seed + seat) for seat in range(players)]
    while not game.is_over:
        positions[game.phase] = game.position
        view, moves = game.observe(game.seat), game.legal_moves()
        game.apply(seats[game.seat].choose(game.table, view, moves))
    return {phase: Game.from_position(p, seed=1) for phase, p in positions.items()}


@cache
def all_decisions() -> dict[str, Game]:
    """Return, for each phase, a game at a decision of that phase, with 2 to 4 players.

    Tests share these games, so do not change them.
    """
    games: dict[str, Game] = {}
    for seed in range(4):
        games = {**games_by_phase(2 + seed % 3, seed), **games}
        if set(games) >= set(DECISIONS):
            break
    return games
