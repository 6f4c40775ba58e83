"""How to search: the method, its options, and what they may be. Plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from masons.ai.search.levels import TOP_LEVEL, level_of
from masons.engine.errors import MasonsError
from masons.engine.playouts.policies import POLICIES, policy_name

# halving: sequential halving over determinizations, evaluated by a net: what plays by default.
# ismcts: information-set MCTS, one tree over what a seat sees.
METHODS: Final = ("halving", "ismcts")
# What the protocol and the JSON of an analysis call ismcts.
TREE: Final = "tree"
MAX_MEMORY_MB: Final = 1 << 14
MAX_THREADS: Final = 64
# The options of one method alone, and their defaults.
_OWN: Final[dict[str, dict[str, Any]]] = {
    "halving": {"level": TOP_LEVEL},
    "ismcts": {"policy": "busy", "exploration": 0.7, "reuse": True},
}


@dataclass(frozen=True)
class SearchOptions:
    """How to search.

    The last four are options of one method alone: they are None with the other, and their default
    where they are not given. Raises MasonsError for a value that cannot be, and for an option of
    the other method.
    """

    method: str = "halving"  # one of METHODS
    threads: int = 1  # each with a tree of its own
    memory_mb: int = 256  # MiB of all threads together; full trees are searched without growing
    level: int | None = None  # halving: from 1, which plays weakest, to TOP_LEVEL (the default)
    policy: str | None = None  # ismcts: of the playouts, one of POLICIES (busy)
    exploration: float | None = None  # ismcts: UCB1's constant, for rewards from 0 to 1 (0.7)
    reuse: bool | None = None  # ismcts: a session goes on with what its trees know (True)

    def __post_init__(self) -> None:
        if self.method == TREE:
            object.__setattr__(self, "method", "ismcts")
        if self.method not in METHODS:
            raise MasonsError(f"method {self.method!r}: one of {', '.join(METHODS)}")
        for method, own in _OWN.items():
            for name, default in own.items():
                given = getattr(self, name) is not None
                if given and method != self.method:
                    raise MasonsError(f"{name} is an option of {method}: {self.method} has none")
                if not given and method == self.method:
                    object.__setattr__(self, name, default)
        if self.policy is not None:
            object.__setattr__(self, "policy", policy_name(self.policy))
        self._check()

    def _check(self) -> None:
        if self.policy is not None and self.policy not in POLICIES:
            raise MasonsError(f"policy {self.policy!r}: one of {', '.join(POLICIES)}")
        most = self.exploration
        if most is not None and not (math.isfinite(most) and 0 <= most <= 100):
            raise MasonsError(f"exploration {most}: a number from 0 to 100")
        if not 1 <= self.memory_mb <= MAX_MEMORY_MB:
            raise MasonsError(f"memory {self.memory_mb}: from 1 to {MAX_MEMORY_MB} MiB")
        if not 1 <= self.threads <= MAX_THREADS:
            raise MasonsError(f"threads {self.threads}: from 1 to {MAX_THREADS}")
        if self.level is not None and not 1 <= self.level <= TOP_LEVEL:
            raise MasonsError(f"level {self.level}: from 1 to {TOP_LEVEL}")
        if self.memory_mb < self.threads:
            raise MasonsError(
                f"memory {self.memory_mb}: {self.threads} threads need {self.threads} MiB or more"
            )

    @property
    def thread_words(self) -> int:
        """The memory of one thread, in words of 8 bytes."""
        return (self.memory_mb << 17) // self.threads

    @property
    def most(self) -> int | None:
        """Simulations of a decision at most, whatever its limits: those of the level."""
        return None if self.level is None else level_of(self.level).sims

    @property
    def words(self) -> str:
        """How the games of a search are played on, in words, and its level if not the highest."""
        if self.level is None:
            return f"{self.policy} playouts"
        return "evaluated by a net" + (f", level {self.level}" if self.level < TOP_LEVEL else "")
