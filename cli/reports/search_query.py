"""What a search is asked: a view of a position and how to search it, with its moves in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from masons.cli.terminal.shown_values import Worth

if TYPE_CHECKING:
    from masons.ai.search.search_options import SearchOptions
    from masons.engine.game.observation import View
    from masons.engine.state.position import Position


@dataclass(frozen=True)
class Question(Worth):
    """A view, which holds only what the deciding seat sees unless `is_open`.

    `seen`: the same with what everybody chose so far, where that is known.
    """

    is_open: bool
    options: SearchOptions
    seed: int
    seen: View | None = None

    @property
    def searched(self) -> Position | View:
        """What is given to the search."""
        return self.view if self.seen is None or self.is_open else self.seen

    @property
    def guesses(self) -> bool:
        """Whether the search guesses hidden hands by what was chosen."""
        return self.searched is self.seen and self.options.method == "halving"
