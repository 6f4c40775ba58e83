"""What a search is asked: a view of a position and how to search it, with its moves in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from masons.cli.terminal.shown_values import ShownValues

if TYPE_CHECKING:
    from masons.ai.search.search_options import SearchOptions
    from masons.engine.game.observation import Observation
    from masons.engine.state.position import Position


@dataclass(frozen=True)
class SearchQuery(ShownValues):
    """A view, which holds only what the deciding seat sees unless `is_open`.

    `seen`: the same with what everybody chose so far, where that is known.
    """

    is_open: bool
    options: SearchOptions
    seed: int
    seen: Observation | None = None

    @property
    def searched(self) -> Position | Observation:
        """What is given to the search."""
        return self.view if self.seen is None or self.is_open else self.seen

    @property
    def predicts_hands(self) -> bool:
        """Whether the search guesses hidden hands by what was chosen."""
        return self.searched is self.seen and self.options.method == "halving"
