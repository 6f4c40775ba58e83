"""The likely swaps of a large hand, of which there can be millions."""

from __future__ import annotations

import numpy as np

from masons.engine import layout as at
from masons.engine.notation import Move, swap_move
from masons.engine.rules import refresh_values
from masons.engine.snapshot import kinds
from masons.engine.table import Table
from masons.engine.view import View


def likely_swaps(table: Table, view: View) -> list[Move]:
    """To keep all cards, to toss the poorest one, the two poorest, and so on, city cards first.

    Land cards go by what they score now.
    """
    state = view.state.copy()
    small = state.view(np.uint8)
    small[int(at.CITY)] = int(at.NONE)
    refresh_values(state, table.packed)
    worth = small[int(at.VALUES_BYTE) :]
    hand = kinds(int(state[int(at.HANDS) + view.seat]))
    poorest = sorted(hand, key=lambda kind: (int(worth[kind]), kind))
    return [swap_move(poorest[:count]) for count in range(len(hand) + 1)]
