"""The cards a seat may hold by what it chose: how often determinizations deal them to it.

They are dealt by the weights of `hand_model`, so this is a prediction, not a calculation: it was
learned from games of the search and of heuristics, and another player may choose otherwise.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Final

from masons.ai.beliefs.determinization import determinized
from masons.ai.models.hand_model import card_weights
from masons.ai.models.model_data import learned
from masons.ai.search.decision import sound_view_of
from masons.engine.checks import check_type, check_whole
from masons.engine.errors import MasonsError
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.rng import new_rng
from masons.engine.state import layout as at
from masons.engine.state.position import kinds

# --- card counts
# The cards a seat may hold, by a view alone: those that are unseen, and how many of them it has.
#
# A hidden hand is a draw without replacement from the cards not seen (the deck and all hidden
# hands), each of them as likely as any other, as in `determinization`; so the numbers are those of
# the hypergeometric distribution, worked out exactly. Nothing is concluded from what a seat did
# (see `sampled_hands`), or from cards seen before they were shuffled again: a view does not tell.


@dataclass(frozen=True)
class Holding:
    """A kind of card that a seat may hold."""

    kind: int
    expected: float  # number of copies
    probability: float  # of one copy at least
    predicted: float | None = None  # the same by what the seat chose, where that was asked for


def belief(view: Observation, seat: int) -> list[Holding]:
    """Return the cards a seat may hold, kinds ascending; of a hand in sight, those it does hold.

    Raises MasonsError for a seat that there is not.
    """
    check_type("view", view, Observation, "what Game.observe gives")
    seen = view.position if view.is_untouched else view.unpacked()
    if seen.deck_size < 0:
        raise MasonsError("the view hides more cards than there are")
    seat = check_whole("seat", seat, 0, seen.players - 1, f"from 0 to {seen.players - 1}")
    size = view.hidden[seat] if seat < len(view.hidden) else 0
    if not size:
        hand = Counter(kinds(int(view.state[int(at.HANDS) + seat])))
        return [Holding(kind, float(copies), 1.0) for kind, copies in sorted(hand.items())]
    # The hidden hands lie in the deck of a view.
    unseen = Counter(kinds(int(view.state[int(at.DECK)])))
    return [_hidden(kind, copies, size, unseen.total()) for kind, copies in sorted(unseen.items())]


def _hidden(kind: int, copies: int, size: int, unseen: int) -> Holding:
    """Return a kind with so many copies among the unseen cards, of which a hand has `size`."""
    none = Fraction(comb(unseen - copies, size), comb(unseen, size))
    return Holding(kind, float(Fraction(size * copies, unseen)), float(1 - none))


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
            "the view has no action history, so it can't tell what was chosen: get it from "
            "Game.observe"
        )
    hand_weights = card_weights(view.state, table.packed, view.history, learned()["hands"])
    rng = new_rng(0)
    counts: list[Counter[int]] = [Counter() for _ in range(view.players)]
    for _ in range(deals):
        determinization = determinized(view, rng, hand_weights)
        for seat, count in enumerate(counts):
            count.update(set(kinds(int(determinization[int(at.HANDS) + seat]))))
    return [{kind: n / deals for kind, n in count.items()} for count in counts]
