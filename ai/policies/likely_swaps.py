"""The likely swaps of a large hand, of which there can be millions."""

from __future__ import annotations

from masons.engine.formats.move_text import Move, swap_move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.state import layout as at
from masons.engine.state.position import kinds


def likely_swaps(table: Table, view: Observation) -> list[Move]:
    """To keep all cards, to exchange the poorest one, the two poorest, and so on, city cards first.

    Land cards go by what they score now.
    """
    points = table.card_points(view.state, None)
    hand = kinds(int(view.state[int(at.HANDS) + view.seat]))
    poorest = sorted(hand, key=lambda kind: (points[kind], kind))
    return [swap_move(poorest[:count]) for count in range(len(hand) + 1)]
