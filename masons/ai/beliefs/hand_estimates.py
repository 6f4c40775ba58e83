"""Estimates of a seat's cards, based on how often determinizations deal them to the seat.

Cards are dealt according to the weights of `hand_model`. That model was fitted to games played by
the search and the heuristics, so the estimates are less reliable for players who choose
differently.
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
from masons.engine.checks import check_type, check_whole
from masons.engine.errors import MasonsError
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.rng import new_rng
from masons.engine.state import layout
from masons.engine.state.position import kinds

# --- card counts
# The cards that a seat may hold, computed from a view alone.
#
# A hidden hand is a draw without replacement from the unseen cards (the deck and all hidden hands).
# All unseen cards are equally likely, so the numbers follow the hypergeometric distribution and are
# exact. They use neither the choices of the seat (see `estimate_hands`) nor the cards seen before
# the last reshuffle, because a view does not contain these cards.


@dataclass(frozen=True)
class Holding:
    """A kind of card that a seat may hold."""

    kind: int  # its index in `masons.CARDS`
    expected: float  # expected number of copies
    probability: float  # probability of at least one copy


def belief(view: Observation, seat: int) -> list[Holding]:
    """Return the cards that a seat may hold, in ascending order of kinds.

    If the hand is visible, the result lists its actual cards. Raises MasonsError for a seat that
    does not exist, and for a view whose numbers of cards do not fit.
    """
    check_type("view", view, Observation, "what Game.observe gives")
    seen = view.position if view.is_untouched else view.unpacked()
    if seen.deck_size < 0:
        raise MasonsError("the view hides more cards than there are")
    seat = check_whole("seat", seat, 0, seen.players - 1, f"from 0 to {seen.players - 1}")
    size = view.hidden[seat] if seat < len(view.hidden) else 0
    if not size:
        hand = Counter(kinds(int(view.state[int(layout.HANDS) + seat])))
        return [Holding(kind, float(copies), 1.0) for kind, copies in sorted(hand.items())]
    # The deck of a view includes the hidden hands.
    unseen = Counter(kinds(int(view.state[int(layout.DECK)])))
    if unseen.total() != seen.deck_size + sum(view.hidden):
        raise MasonsError("the deck of the view does not hold the cards that are not seen")
    return [_hidden(kind, copies, size, unseen.total()) for kind, copies in sorted(unseen.items())]


def _hidden(kind: int, copies: int, size: int, unseen: int) -> Holding:
    """Return the Holding of a kind for a hidden hand of `size` cards.

    Of the `unseen` cards, `copies` are of this kind.
    """
    none = Fraction(comb(unseen - copies, size), comb(unseen, size))
    return Holding(kind, float(Fraction(size * copies, unseen)), float(1 - none))


MAX_DEALS: Final = 10**9
DEALS: Final = 10_000  # enough for a standard error of at most half a percentage point


def estimate_hands(table: Table, view: Observation, deals: int = DEALS) -> list[dict[int, float]]:
    """Return, for each seat, the probability that it holds each kind of card.

    The dict of a seat maps kinds (indices in `masons.CARDS`) to probabilities. A seat holds a kind
    if it holds at least one copy. The probabilities are shares of `deals` determinizations with a
    fixed seed. Raises MasonsError for a view without an action history, and for a view of another
    board.
    """
    check_whole("deals", deals, 1, MAX_DEALS)
    view = check_type("table", table, Table, "a Table, like game.table").view(view)
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
            count.update(set(kinds(int(determinization[int(layout.HANDS) + seat]))))
    return [{kind: n / deals for kind, n in count.items()} for count in counts]
