"""What an engine picks of the candidates of a decision.

It is asked about all moves, as in a game. A search then picks the candidate that it ranks highest;
where another player chooses none of the candidates, its pick is not known.
"""

from __future__ import annotations

from collections.abc import Sequence

from masons.ai.players.named_players import make_player
from masons.ai.players.search_player import SearchPlayer
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table


def ranked_moves(table: Table, view: Observation, spec: str, seed: int) -> list[Move]:
    """The moves that a search looked at, best first; of another player the one that it chooses."""
    player = make_player(spec, seed)
    if isinstance(player, SearchPlayer):
        return [stats.move for stats in player.analyse(table, view).moves]
    return [player.choose(table, view, table.legal_moves(view.state))]


def picked_order(
    table: Table, view: Observation, spec: str, candidates: Sequence[Move], seed: int
) -> tuple[list[int], bool]:
    """The numbers of the candidates as an engine ranks them, as far as it does, best first.

    And whether its choice of all moves is among them.
    """
    ranked = ranked_moves(table, view, spec, seed)
    places = {move: number for number, move in enumerate(candidates)}
    order = [places[move] for move in ranked if move in places]
    return order, ranked[0] in places
