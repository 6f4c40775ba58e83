"""The plan of a match: its engines, settings, seatings, time control and games.

A *block* is a set of games with the same deal, in which the engines take turns at the seats. A
*line-up* is the list of seatings of one block. The blocks of a match cycle through its line-ups. A
line-up holds all rearrangements of each of its seatings, so within a block every engine sits in
every seat equally often. Over one cycle of line-ups, all engines play equally often, unless a name
is repeated. In a match A B B, for example, B plays twice as often as A.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from itertools import combinations, permutations, product
from typing import Final

from masons.ai.search.limits import Limits
from masons.engine.board.components import MAX_PLAYERS, MIN_PLAYERS
from masons.engine.errors import MasonsError
from masons.engine.formats.record_endings import FORFEITS
from masons.match.running.duplicate_deals import derived_seed
from masons.protocol.client.client_arguments import PATIENCE, TIME_MARGIN

Seating = tuple[int, ...]
"""The index of the engine in each seat."""
Lineup = list[Seating]

MAX_ATTEMPTS: Final = 3  # the number of failures at one decision after which the referee moves
MAX_STALLS: Final = 2  # the number of stalls with which a seat forfeits the game
FAULTS: Final = FORFEITS


# --- time


@dataclass(frozen=True)
class TimeControl:
    """The limits of a match's decisions.

    `movetime` is the time for each decision. `clock` is the time of each seat for the whole game,
    and `inc` is added to it after each decision. A decision that exceeds its time by more than
    `margin` loses the game. All times are in seconds. `sims` limits the simulations of a decision.
    Raises MasonsError if both `movetime` and `clock` are given.
    """

    movetime: float | None = None
    clock: float | None = None
    inc: float = 0.0
    sims: int | None = None
    margin: float = TIME_MARGIN
    strict: bool = False  # True if the first fault forfeits the game

    def __post_init__(self) -> None:
        if self.movetime is not None and self.clock is not None:
            raise MasonsError("a match has a time for each decision or a clock, not both")

    @property
    def is_timed(self) -> bool:
        """True if there is a limit of time."""
        return self.movetime is not None or self.clock is not None


@dataclass(frozen=True)
class Fault:
    """A fault of a seat. `kind` is one of FAULTS.

    `decision` is the number of the decision in the game, from 1 as in `FILE#K@N`. The number after
    the last decision stands for the end of the game.
    """

    seat: int
    kind: str
    decision: int
    text: str


class Clocks:
    """The remaining time of each seat, in seconds."""

    def __init__(self, players: int, time_control: TimeControl) -> None:
        self._time_control = time_control
        self.left = None if time_control.clock is None else [time_control.clock] * players

    def limit(self, seat: int) -> float | None:
        """Return the seconds that a seat's next decision may take, or None without a limit."""
        return self._time_control.movetime if self.left is None else self.left[seat]

    def limits(self) -> Limits:
        """Return the limits of the next decision, with times in whole milliseconds."""
        control = self._time_control
        if self.left is None:
            return Limits(control.sims, None if control.movetime is None else _ms(control.movetime))
        inc = (_ms(control.inc),) * len(self.left) if control.inc else None
        return Limits(control.sims, clock=tuple(map(_ms, self.left)), inc=inc)

    def charge(self, seat: int, seconds: float) -> None:
        """Subtract time from a seat's clock, without adding the increment.

        Failures are charged too, so that a seat gains no time by stalling or crashing.
        """
        if self.left is not None:
            self.left[seat] = max(self.left[seat] - seconds, 0.0)

    def excess(self, seat: int, seconds: float) -> float:
        """Return by how many seconds a decision exceeds its limit, which is 0 if it is in time."""
        limit = self.limit(seat)
        return 0.0 if limit is None else max(seconds - limit, 0.0)

    def spend(self, seat: int, seconds: float) -> None:
        """Charge a decision and add the increment."""
        self.charge(seat, seconds)
        if self.left is not None:
            self.left[seat] += self._time_control.inc


def _ms(seconds: float) -> int:
    return max(round(seconds * 1000), 1)


# --- seatings


def distinct(names: Sequence[str]) -> list[str]:
    """Return each name once, in order. A seating refers to an engine by its index in this list."""
    return list(dict.fromkeys(names))


def lineups_of(names: Sequence[str], players: int) -> list[Lineup]:
    """Return the line-ups of a match between engines with these names.

    - If there are as many names as players, one line-up holds all distinct rearrangements of the
      names.
    - Otherwise, if there are fewer distinct engines than players, one line-up holds all seatings in
      which every engine has a seat.
    - Otherwise the match is a round robin: for each choice of `players` engines, there is a line-up
      with all its rearrangements.

    Seatings and line-ups are in lexicographic order. All line-ups of a match are equally long.
    Raises MasonsError if there is no name or the number of players is impossible.
    """
    if not names:
        raise MasonsError("a match needs an engine")
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise MasonsError(f"{players} players: it must be from {MIN_PLAYERS} to {MAX_PLAYERS}")
    engines = distinct(names)
    if len(names) == players:
        return [sorted(set(permutations(engines.index(name) for name in names)))]
    if len(engines) < players:
        seatings = product(range(len(engines)), repeat=players)
        return [[seating for seating in seatings if len(set(seating)) == len(engines)]]
    return [list(permutations(chosen)) for chosen in combinations(range(len(engines)), players)]


# --- games


@dataclass(frozen=True)
class Entry:
    """An engine of a match, which is either a named player or a command line."""

    name: str
    player: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class MatchSettings:
    """All settings on which the games of a match depend.

    `entries` holds each engine once, in the order of `names`; `names` may repeat a name. `board` is
    the name of a built-in board or the JSON text of a board. All games of a block have the same
    dice and cards.
    """

    entries: tuple[Entry, ...]
    names: tuple[str, ...]
    players: int
    time_control: TimeControl
    seed: int = 0
    board: str = "classic"
    early_roll: bool = False

    def fingerprint(self) -> str:
        """Return a hash of all settings."""
        settings = asdict(self)
        if self.time_control.margin == TIME_MARGIN:
            # Files that were written before there was a margin keep their hash.
            del settings["time_control"]["margin"]
        text = json.dumps(settings, sort_keys=True)
        return sha256(text.encode("utf-8")).hexdigest()[:16]

    @cached_property
    def lineups(self) -> list[Lineup]:
        """The line-ups, through which the blocks of the match cycle."""
        return lineups_of(self.names, self.players)

    @property
    def block_size(self) -> int:
        """The number of games in a block."""
        return len(self.lineups[0])

    def game(self, number: int) -> MatchGame:
        """Return the game with the given number, from 0."""
        block, place = divmod(number, self.block_size)
        return MatchGame(self, block, number, self.lineups[block % len(self.lineups)][place])

    def games(self, blocks: int) -> Iterator[MatchGame]:
        """Yield the games of the first `blocks` blocks, in order."""
        return map(self.game, range(blocks * self.block_size))


@dataclass(frozen=True)
class MatchGame:
    """A game to play, as a job.

    `number` is the number of the game in the match, and `engines` has the index of the engine in
    each seat. `silence` is the number of seconds for which an engine may send nothing if there is
    no time limit. With `weighs_luck`, the luck of the game is measured.
    """

    settings: MatchSettings
    block: int
    number: int
    engines: Seating
    silence: float = PATIENCE.silence
    weighs_luck: bool = False

    @property
    def luck_seed(self) -> int:
        """The seed of the dice and cards, which is the same for all games of a block."""
        return derived_seed("block", self.settings.seed, self.block)

    def private_seed(self, seat: int) -> int:
        """Return the seed for a named player's choices. It is independent of the dice and cards."""
        return derived_seed("player", self.settings.seed, self.number, seat)
