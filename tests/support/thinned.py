"""Wide tables of real processes: some rows in the suite, all of them with MASONS_FUZZ."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def thinned(rows: Iterable[T], step: int = 3) -> list[T]:
    """Return every `step`th row; with MASONS_FUZZ in the environment all of them."""
    return list(rows)[:: 1 if "MASONS_FUZZ" in os.environ else step]
