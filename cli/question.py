"""What a search is asked: a view of a position and how to search it, with its moves in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from masons.screen.worth import Worth

if TYPE_CHECKING:
    from masons.ai.options import SearchOptions


@dataclass(frozen=True)
class Question(Worth):
    """A view, which holds only what the deciding seat sees unless `is_open`."""

    is_open: bool
    options: SearchOptions
    seed: int
