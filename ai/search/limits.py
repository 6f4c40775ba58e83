"""How long to search: one type from the command line, the protocol and a match to the search.

Plain Python: a client of an engine uses it without loading numpy or the compiler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from masons.engine.checks import check_flag, check_whole, check_wholes, real, shown, whole
from masons.engine.errors import MasonsError

# Visits are counted in 32 bits.
MAX_SIMS: Final = (1 << 32) - 2
MAX_ROLLOUTS: Final = 10**12
MAX_MS: Final = 10**9
_MOST_CLOCK_MS: Final = 10**12


@dataclass(frozen=True)
class Limits:
    """Limits of the search of a decision: it ends at whichever comes first.

    Where none is given, whoever searches has a default of its own (see below). All times are in
    milliseconds. A clock is shared out among the decisions to come (see `time_management`).
    Raises MasonsError for limits that cannot be.
    """

    sims: int | None = None  # simulations; given alone they leave no time for a rollout
    movetime_ms: float | None = None
    infinite: bool = False  # no end but `sims`, whatever else is given
    clock: tuple[int, ...] | None = None  # left to each seat, in milliseconds
    inc: tuple[int, ...] | None = None  # what each seat's clock gains a decision, in milliseconds
    seed: int | None = None  # of this search alone
    rollouts: int | None = None  # games of the rollout that follows

    @classmethod
    def of(cls, sims: int | None = None, seconds: float | None = None) -> Limits:
        """Limits with a time in seconds."""
        if seconds is None:
            return cls(sims)
        number = real(seconds)
        if number is None:
            raise MasonsError(f"seconds is {shown(seconds)}: it must be a number above 0")
        return cls(sims, 1000 * number)

    @property
    def has_any(self) -> bool:
        """Return whether a search has a limit, or is said to have none."""
        ends = (self.sims, self.movetime_ms, self.clock, self.rollouts)
        return self.infinite or any(end is not None for end in ends)

    def part(self, over: int, under: int) -> Limits:
        """Return the limits with this share of the simulations (at least 1) and of the time."""
        over = check_whole("over", over, 0, MAX_SIMS)
        under = check_whole("under", under, 1, MAX_SIMS)
        sims, ms, games = self.sims, self.movetime_ms, self.rollouts
        return Limits(
            sims=None if sims is None else min(max(sims * over // under, 1), MAX_SIMS),
            movetime_ms=None if ms is None else ms * over / under,
            seed=self.seed,
            rollouts=None if games is None else max(games * over // under, 1),
        )

    def __post_init__(self) -> None:
        if self.sims is not None:
            object.__setattr__(self, "sims", check_whole("sims", self.sims, 1, MAX_SIMS))
        if self.rollouts is not None:
            games = check_whole("rollouts", self.rollouts, 1, MAX_ROLLOUTS)
            object.__setattr__(self, "rollouts", games)
        if self.movetime_ms is not None:
            ms = real(self.movetime_ms)
            if ms is None or not 0 < ms <= _MOST_CLOCK_MS:
                time = shown(self.movetime_ms) if ms is None else f"{ms / 1000:g} s"
                most = f"{_MOST_CLOCK_MS // 1000:g} s at most"
                raise MasonsError(f"time is {time}: it must be more than 0, {most}")
        check_flag("infinite", self.infinite)
        for name, times in (("clock", self.clock), ("inc", self.inc)):
            if times is not None:
                what = "whole milliseconds, one for each seat"
                times = check_wholes(name, times, _MOST_CLOCK_MS, what, least=-_MOST_CLOCK_MS)
                object.__setattr__(self, name, times)
        if self.seed is not None and whole(self.seed) is None:
            raise MasonsError(f"seed is {shown(self.seed)}: it must be a whole number or None")


NO_LIMITS: Final = Limits()

# The defaults, side by side: each is what its use has time for.
#
# From Python: a number of simulations, so that the result depends on the arguments alone.
API_DEFAULT: Final = Limits(sims=10_000)
# `analyze` and `show`: what somebody gladly waits for.
ANALYSIS_DEFAULT: Final = Limits(movetime_ms=2000)
# A named player, which makes some fifty decisions a game, and repeats them from its seed.
PLAYER_DEFAULT: Final = Limits(sims=1000)
# The engine of a game at a terminal, and its hints: a second or two at most, and the same game
# again from its seed.
TABLE_DEFAULT: Final = Limits(sims=20_000)
# A hint, or an analysis in the page, of a second or two: the same again from the same view.
HINT_DEFAULT: Final = Limits(sims=4000, rollouts=6000)
# Each decision of a review: a game of two takes about a minute.
REVIEW_DEFAULT: Final = Limits(sims=1000, rollouts=4000)
# A `go` of the protocol that names none: what a GUI's user expects.
GO_DEFAULT: Final = Limits(movetime_ms=1000)
# `eval` of the protocol: a figure in passing, the same each time.
EVAL_DEFAULT: Final = Limits(sims=2000)
# The ladder: what its floors were measured at.
LADDER_DEFAULT: Final = Limits(movetime_ms=200)
