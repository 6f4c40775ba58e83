"""The options of a search and their valid values, and the levels of play, in plain Python.

A level below the highest adds an error to the value of each move. The error is a normal random
number with the level's standard deviation (in win probability), and is drawn once for each move of
a decision. A weak level therefore often confuses moves of similar value, and rarely moves of very
different value. `docs/strength.md` shows the measured differences between levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from masons.engine.checks import check_whole, real, refuse, shown
from masons.engine.errors import MasonsError
from masons.engine.playouts.policies import POLICIES


@dataclass(frozen=True)
class Level:
    """A level's limit of simulations per decision, and the standard deviation of its error."""

    sims: int | None
    error: float


LEVELS: Final = (
    Level(400, 1.6),
    Level(400, 0.95),
    Level(400, 0.55),
    Level(400, 0.29),
    Level(400, 0.205),
    Level(400, 0.14),
    Level(400, 0.083),
    Level(400, 0.047),
    Level(400, 0.0),
    Level(None, 0.0),
)
TOP_LEVEL: Final = len(LEVELS)
LEVEL_RATINGS: Final = (-274, -204, -147, -48, 35, 88, 154, 238, 296)
"""The measured ratings, in games of two players, of all levels except the highest."""
# The default level of a game at a terminal, at which people have a chance to win.
TABLE_LEVEL: Final = 5


def level_of(number: int) -> Level:
    """Return the level with a number from 1 to TOP_LEVEL."""
    return LEVELS[number - 1]


# halving: sequential halving over determinizations, with evaluations by a net; the default.
# ismcts: information-set MCTS, with one tree over the views of a seat.
METHODS: Final = ("halving", "ismcts")
MAX_MEMORY_MB: Final = 1 << 14
MAX_THREADS: Final = 64
MAX_ROLLOUT_PLAYER: Final = 2000  # with more simulations, Ctrl-C would not be answered in time
# The options that belong to one method only, and their defaults.
_OWN: Final[dict[str, dict[str, Any]]] = {
    "halving": {"level": TOP_LEVEL},
    "ismcts": {"policy": "busy", "exploration": 0.7},
}


@dataclass(frozen=True)
class SearchOptions:
    """The options of a search.

    Each of the last three options belongs to one method, and is None with the other method. The
    value in brackets is the default. Raises MasonsError for an invalid value, and for an option of
    the other method.
    """

    method: str = "halving"  # halving or ismcts
    threads: int = 1  # each thread has its own tree
    memory_mb: int = 256  # MiB for all threads together; a full tree stops growing
    rollout_player: int = 0  # simulations of the search that plays rollouts; 0: the policy plays
    level: int | None = None  # halving: from 1 (weakest) to 10 (the default)
    policy: str | None = None  # ismcts: playouts by uniform, busy (the default) or busy-best
    exploration: float | None = None  # ismcts: the constant of UCB1, for rewards 0 to 1 (0.7)

    def __post_init__(self) -> None:
        if not isinstance(self.method, str) or self.method not in METHODS:
            refuse("method", self.method, f"one of {', '.join(METHODS)}")
        for method, option_names in _OWN.items():
            for name, default in option_names.items():
                is_set = getattr(self, name) is not None
                if is_set and method != self.method:
                    raise MasonsError(f"{name} is an option of {method}, not of {self.method}")
                if not is_set and method == self.method:
                    object.__setattr__(self, name, default)
        self._check()

    def _check(self) -> None:
        is_policy = isinstance(self.policy, str) and self.policy in POLICIES
        if self.policy is not None and not is_policy:
            refuse("policy", self.policy, f"one of {', '.join(POLICIES)}")
        if self.exploration is not None:
            most = real(self.exploration)
            if most is None or not 0 <= most <= 100:
                said = shown(self.exploration)
                raise MasonsError(f"exploration is {said}: it must be a number from 0 to 100")
        self._check_number("memory_mb", MAX_MEMORY_MB, " MiB")
        self._check_number("threads", MAX_THREADS)
        self._check_number("rollout_player", MAX_ROLLOUT_PLAYER, least=0)
        if self.level is not None:
            self._check_number("level", TOP_LEVEL)
        if self.memory_mb < self.threads:
            raise MasonsError(
                f"{self.threads} threads need {self.threads} MiB of memory, not {self.memory_mb}"
            )

    def _check_number(self, name: str, most: int, unit: str = "", least: int = 1) -> None:
        what = f"from {least} to {most}{unit}"
        number = check_whole(name, getattr(self, name), least, most, what)
        object.__setattr__(self, name, number)

    @property
    def thread_words(self) -> int:
        """The memory of one thread, in words of 8 bytes."""
        return (self.memory_mb << 17) // self.threads

    @property
    def most(self) -> int | None:
        """The highest number of simulations per decision at this level, or None for no limit.

        This number applies to every search at the level, whatever its limits are.
        """
        return None if self.level is None else level_of(self.level).sims

    @property
    def words(self) -> str:
        """A text that says how leaves are evaluated, with the level unless it is the highest."""
        if self.level is None:
            return f"{self.policy} playouts"
        return "evaluated by a net" + (f", level {self.level}" if self.level < TOP_LEVEL else "")
