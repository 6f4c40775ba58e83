"""The limits of a search, as used by the command line, the protocol, matches and searches.

This module is plain Python, so a client of an engine can use it without loading numpy or numba.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from masons.engine.checks import check_flag, check_whole, check_wholes, real, refuse, shown, whole
from masons.engine.errors import MasonsError

# The searches count visits in 32 bits.
MAX_SIMS: Final = (1 << 32) - 2
MAX_ROLLOUTS: Final = 10**12
MAX_MS: Final = 10**9
_MOST_CLOCK_MS: Final = 10**12


@dataclass(frozen=True)
class Limits:
    """The limits of the search of one decision, which ends when the first limit is reached.

    If no limit is set, each caller of a search uses a default of its own (see the end of this
    module). Times are in milliseconds. A clock is divided among the decisions to come (see
    `time_management`). The protocol has no limit of rollouts, so `Engine.go` refuses one. Raises
    MasonsError for impossible limits.
    """

    sims: int | None = None  # simulations; if they are the only limit, there is no rollout
    movetime_ms: float | None = None
    infinite: bool = False  # ignore all other limits except `sims` and `rollouts`
    clock: tuple[int, ...] | None = None  # time left on each seat's clock, in milliseconds
    inc: tuple[int, ...] | None = None  # increment of each clock per decision, in milliseconds
    seed: int | None = None  # the seed of this search
    rollouts: int | None = None  # games of the rollout that follows; not for `Engine.go`

    @classmethod
    def of(
        cls, sims: int | None = None, seconds: float | None = None, rollouts: int | None = None
    ) -> Limits:
        """Return limits of simulations, of time in seconds and of rollouts (None: no limit).

        Raises MasonsError for an invalid number.
        """
        if seconds is None:
            return cls(sims, rollouts=rollouts)
        number = real(seconds)
        if number is None or not 0 < number <= _MOST_CLOCK_MS / 1000:
            most = f"{_MOST_CLOCK_MS // 1000:g} at most"
            raise MasonsError(f"seconds is {shown(seconds)}: it must be a number above 0, {most}")
        return cls(sims, 1000 * number, rollouts=rollouts)

    @property
    def has_any(self) -> bool:
        """True if there is a limit, or if `infinite` says that there is none."""
        ends = (self.sims, self.movetime_ms, self.clock, self.rollouts)
        return self.infinite or any(end is not None for end in ends)

    def part(self, over: int, under: int) -> Limits:
        """Return limits with the share `over / under` of the simulations, time and rollouts.

        The result has at least one simulation and one rollout if these are limited. Clocks are
        dropped.
        """
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
                what = f"milliseconds, above 0 and at most {_MOST_CLOCK_MS:g}"
                refuse("movetime_ms", self.movetime_ms, what)
        check_flag("infinite", self.infinite)
        for name, times in (("clock", self.clock), ("inc", self.inc)):
            if times is not None:
                what = "whole milliseconds, one for each seat"
                times = check_wholes(name, times, _MOST_CLOCK_MS, what, least=-_MOST_CLOCK_MS)
                object.__setattr__(self, name, times)
        if self.seed is not None and whole(self.seed) is None:
            raise MasonsError(f"seed is {shown(self.seed)}: it must be a whole number or None")


NO_LIMITS: Final = Limits()

# The default limits of each use:
#
# `masons.analyze`, and the commands `analyze` and `show`: a time that people are willing to wait.
ANALYSIS_DEFAULT: Final = Limits(movetime_ms=2000)
# A named player, which makes about fifty decisions per game: reproducible from its seed.
PLAYER_DEFAULT: Final = Limits(sims=1000)
# The engine of a game at a terminal: two seconds at most, and reproducible from the game's seed.
TABLE_DEFAULT: Final = Limits(sims=20_000)
# A hint, or an analysis in the web page: two or three seconds, and reproducible for the same view.
HINT_DEFAULT: Final = Limits(sims=4000, rollouts=6000)
# Each decision of a review: a whole game of two players takes about a minute.
REVIEW_DEFAULT: Final = Limits(sims=1000, rollouts=4000)
# A `go` of the protocol without limits: the time that the user of a GUI expects.
GO_DEFAULT: Final = Limits(movetime_ms=1000)
# `eval` of the protocol: a quick figure that is the same each time.
EVAL_DEFAULT: Final = Limits(sims=2000)
