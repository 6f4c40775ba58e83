"""A view of a position and how to search it, with its moves in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from masons.match.playing.scored_view import ScoredView

if TYPE_CHECKING:
    from masons.ai.search.search_options import SearchOptions
    from masons.engine.game.observation import Observation
    from masons.engine.state.position import Position


@dataclass(frozen=True)
class SearchQuery(ScoredView):
    """A view, which holds only what the deciding seat sees unless `is_open`.

    `observed`: the same with what everybody chose so far, where that is known.
    """

    is_open: bool
    options: SearchOptions
    seed: int
    observed: Observation | None = None

    @property
    def searched(self) -> Position | Observation:
        """The view that is searched."""
        return self.view if self.observed is None or self.is_open else self.observed

    @property
    def predicts_hands(self) -> bool:
        """The search predicts hidden hands by what was chosen."""
        return self.searched is self.observed and not self.by_tree

    @property
    def by_tree(self) -> bool:
        """A tree is searched."""
        return self.options.method == "ismcts"
