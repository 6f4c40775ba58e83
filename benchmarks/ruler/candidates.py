"""The moves of a decision that get values: those of many ranks, and those that others like.

The ranks are those of the default search. So the same data tell how much lower ranks lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from benchmarks.ruler.picks import ranked_moves
from masons.ai.players.named_players import make_player
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table

MOST: Final = 10
# Ranks of the default search, counted from 0.
RANKS: Final = (0, 1, 2, 4, 8, 16, 32)
DEFAULT: Final = "default:sims=2000"
OTHERS: Final = ("ismcts:sims=1000", "heuristic")


def candidates_of(table: Table, view: Observation, seed: int) -> list[Move]:
    """At most MOST moves of a decision, each once: by rank, by other players, by chance."""
    ranked = ranked_moves(table, view, DEFAULT, seed)
    listed = list(table.legal_moves(view.state))
    found = [ranked[rank] for rank in RANKS if rank < len(ranked)]
    found += [make_player(spec, seed).choose(table, view, listed) for spec in OTHERS]
    found += _by_chance(listed, seed)
    return list(dict.fromkeys(found))[:MOST]


def _by_chance(listed: Sequence[Move], seed: int) -> list[Move]:
    """All moves in an order by chance."""
    return [listed[i] for i in np.random.default_rng(seed).permutation(len(listed))]
