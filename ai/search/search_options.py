"""How to search: the options, and what they may be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from masons.ai.search.levels import TOP_LEVEL, level_of
from masons.engine.errors import MasonsError
from masons.engine.playouts.policies import POLICIES

# tree: information-set MCTS (`search`); halving: sequential halving, judged by a net
# (`halving_search`), which looks at `threads` and `level` alone of the other options.
METHODS: Final = ("tree", "halving")
DEFAULT_SIMS: Final = 10_000
# Visits are counted in 32 bits.
MAX_SIMS: Final = (1 << 32) - 2
MAX_MEMORY_MB: Final = 1 << 14
MAX_THREADS: Final = 64


@dataclass(frozen=True)
class SearchOptions:
    """How to search."""

    method: str = "tree"  # one of METHODS
    policy: str = "busy"  # of the playouts: one of masons.engine.playouts.random_moves.POLICIES
    exploration: float = 0.7  # UCB1's constant, for rewards from 0 to 1
    memory_mb: int = 256  # MiB of all threads together; a full tree is searched without growing
    threads: int = 1  # each searches a tree of its own
    level: int = TOP_LEVEL  # of halving: from 1, which plays weakest
    reuse: bool = True  # a session goes on with what its trees know of a later decision

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise MasonsError(f"method {self.method!r}: one of {', '.join(METHODS)}")
        if self.policy not in POLICIES:
            raise MasonsError(f"policy {self.policy!r}: one of {', '.join(POLICIES)}")
        if not (math.isfinite(self.exploration) and 0 <= self.exploration <= 100):
            raise MasonsError(f"exploration {self.exploration}: a number from 0 to 100")
        if not 1 <= self.memory_mb <= MAX_MEMORY_MB:
            raise MasonsError(f"memory {self.memory_mb}: from 1 to {MAX_MEMORY_MB} MiB")
        if not 1 <= self.threads <= MAX_THREADS:
            raise MasonsError(f"threads {self.threads}: from 1 to {MAX_THREADS}")
        if not 1 <= self.level <= TOP_LEVEL:
            raise MasonsError(f"level {self.level}: from 1 to {TOP_LEVEL}")
        if self.memory_mb < self.threads:
            raise MasonsError(
                f"memory {self.memory_mb}: {self.threads} threads need {self.threads} MiB or more"
            )

    @property
    def own_level(self) -> int | None:
        """The level, of a method that has levels."""
        return self.level if self.method == "halving" else None

    @property
    def most(self) -> int | None:
        """Iterations of a decision at most, whatever its limits: those of the level."""
        return None if self.own_level is None else level_of(self.own_level).sims

    @property
    def words(self) -> str:
        """How the games of a search are played on, in words, and its level if not the highest."""
        if self.method == "tree":
            return f"{self.policy} playouts"
        return "judged by a net" + (f", level {self.level}" if self.level < TOP_LEVEL else "")


@dataclass(frozen=True)
class Limit:
    """How long to search one decision: whichever ends first; with neither, DEFAULT_SIMS."""

    sims: int | None = None
    seconds: float | None = None


def checked_limits(sims: int | None, seconds: float | None) -> int:
    """The iterations to search at most. Raises MasonsError for impossible limits."""
    if sims is not None and not 1 <= sims <= MAX_SIMS:
        raise MasonsError(f"sims is {sims}: it must be from 1 to {MAX_SIMS}")
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise MasonsError(f"time is {seconds} s: it must be more than 0")
    if sims is None:
        return DEFAULT_SIMS if seconds is None else MAX_SIMS
    return sims
