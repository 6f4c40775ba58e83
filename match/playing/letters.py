"""The letters of the colours, in drawings and in what is told."""

from __future__ import annotations

from typing import Final

TOWER_LETTERS: Final = ("W", "G", "B")
HOUSE_LETTERS: Final = ("r", "s", "y", "g", "b")  # palaces: capitals
