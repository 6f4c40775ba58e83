"""The cards a seat may hold by what it chose: how often determinizations deal them to it.

They are dealt by the weights of `hand_model`, so this is a prediction, not a calculation: it was
learned from games of the search and of heuristics, and another player may choose otherwise.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from masons.ai.beliefs.determinization import determinized
from masons.ai.models.hand_model import card_weights
from masons.ai.models.model_data import learned
from masons.ai.search.decision_view import sound_view_of
from masons.engine.checks import check_whole
from masons.engine.errors import MasonsError
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.rng import new_rng
from masons.engine.state import layout as at
from masons.engine.state.position import kinds

MAX_DEALS: Final = 10**9
DEALS: Final = 10_000  # a standard error of half a percent at most


def estimate_hands(table: Table, view: Observation, deals: int = DEALS) -> list[dict[int, float]]:
    """For each seat the kinds that it may hold, and how likely it holds one of them at least.

    Counted in so many deals, always the same ones. Raises MasonsError for a view that does not tell
    what was chosen, and for one that is not of the table's board.
    """
    check_whole("deals", deals, 1, MAX_DEALS)
    view = sound_view_of(table, view)
    if view.history is None:
        raise MasonsError(
            "a view without an action history does not tell what was chosen: see Game.observe"
        )
    hand_weights = card_weights(view.state, table.packed, view.history, learned()["hands"])
    rng = new_rng(0)
    counts: list[Counter[int]] = [Counter() for _ in range(view.players)]
    for _ in range(deals):
        determinization = determinized(view, rng, hand_weights)
        for seat, count in enumerate(counts):
            count.update(set(kinds(int(determinization[int(at.HANDS) + seat]))))
    return [{kind: n / deals for kind, n in count.items()} for count in counts]
