"""Tables of tests that run real processes: some rows in the usual suite, all with MASONS_FUZZ."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def thinned(rows: Iterable[T], step: int = 3) -> list[T]:
    """Return every `step`th row, or all rows if MASONS_FUZZ is set in the environment."""
    return list(rows)[:: 1 if "MASONS_FUZZ" in os.environ else step]
