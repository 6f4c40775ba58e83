"""The search that a command is asked for: a position, and how to search it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from masons.cli.process import prepare
from masons.cli.sources import Placed, errors_of
from masons.engine.errors import MasonsError
from masons.engine.state.packed_move import NO_DECISION
from masons.words.scored_view import ScoredView

if TYPE_CHECKING:
    from masons.ai.search.search_options import SearchOptions
    from masons.engine.game.observation import Observation
    from masons.engine.state.position import Position


@dataclass(frozen=True)
class SearchQuery(ScoredView):
    """A position to search, with the options and the seed of the search.

    `view` is the deciding seat's view, or the whole position if `is_open` is true. `observed` is
    the seat's view together with the earlier choices of all seats. It is None if these choices are
    unknown.
    """

    is_open: bool
    options: SearchOptions
    seed: int
    observed: Observation | None = None

    @property
    def searched(self) -> Position | Observation:
        """The position or view to search."""
        return self.view if self.observed is None or self.is_open else self.observed

    @property
    def predicts_hands(self) -> bool:
        """True if the search predicts hidden hands from the earlier choices."""
        return self.searched is self.observed and not self.by_tree

    @property
    def by_tree(self) -> bool:
        """True if this is a tree search."""
        return self.options.method == "ismcts"


def query_of(
    placed: Placed, how: SearchOptions, seed: int, seat: int | None = None, *, is_open: bool = False
) -> SearchQuery:
    """Load the kernels, and return a search of a position from the deciding seat's view.

    Raises MasonsError if no decision is due, if `seat` is not the deciding seat, or if a hand that
    the search needs is hidden.
    """
    position = placed.position
    decides, phase = position.seat, position.phase
    with errors_of(placed.source):
        if phase in NO_DECISION:
            raise MasonsError(f"there is nothing to decide: {NO_DECISION[phase]}")
        if seat not in (None, decides):
            raise MasonsError(f"seat {seat} does not decide here: seat {decides} does ({phase})")
        if isinstance(position.hands[decides], int):
            raise MasonsError(
                f"the hand of seat {decides}, which decides, is hidden: give its cards"
            )
        if is_open and not position.is_complete:
            raise MasonsError("--open needs every hand, but this position hides some")
    prepare()

    from masons.engine.game.table import Table

    view = position if is_open else position.observed_by(decides)
    return SearchQuery(Table(placed.board), view, is_open, how, seed, placed.observe(decides))
