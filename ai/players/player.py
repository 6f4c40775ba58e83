"""What a player is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from masons.ai.search.limits import Limits
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table


class Player(Protocol):
    """What decides for a seat."""

    name: str

    @property
    def takes_limit(self) -> bool:
        """Whether limits change anything: it searches, and its name gives none of its own."""

    def choose(
        self, table: Table, view: Observation, moves: Sequence[Move], limits: Limits | None = None
    ) -> Move:
        """One of `moves`, the legal moves of a position of which `view` is what the seat sees.

        `limits`: how long it may search, where it `takes_limit`.
        """
