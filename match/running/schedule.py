"""The plan of a match: engines, settings, seatings, time control, and its games.

A *block* is a set of games with the same deal in which the engines take turns at the seats; a
*line-up* is the list of seatings of one block. The blocks of a match cycle through its line-ups. A
line-up holds all rearrangements of each of its seatings, so within a block every engine sits
equally often in every seat. Over one cycle all engines play equally often, unless a name is
repeated (in a match A B B, B plays twice as often).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import combinations, permutations, product
from typing import Final

from masons.ai.search.limits import Limits
from masons.engine.board.components import MAX_PLAYERS, MIN_PLAYERS
from masons.engine.errors import MasonsError
from masons.engine.fair.fair_game import Fair
from masons.engine.formats.record_endings import FORFEITS
from masons.match.running.duplicate_deals import derived_seed
from masons.protocol.client.client_arguments import PATIENCE

Seating = tuple[int, ...]
"""The index of the engine in each seat."""
Lineup = list[Seating]

MARGIN: Final = 0.2  # seconds by which an answer may be late
MAX_ATTEMPTS: Final = 3  # failures of one decision before a move is made for the seat
MAX_STALLS: Final = 2  # stalls with which a seat forfeits the game
FAULTS: Final = FORFEITS


# --- time


@dataclass(frozen=True)
class TimeControl:
    """Limits in seconds: a time per decision, or a clock per seat with an increment per decision.

    Raises MasonsError if both are given.
    """

    movetime: float | None = None
    clock: float | None = None
    inc: float = 0.0
    sims: int | None = None
    strict: bool = False  # True if the first fault forfeits the game

    def __post_init__(self) -> None:
        if self.movetime is not None and self.clock is not None:
            raise MasonsError("a match has a time for each decision or a clock, not both")


@dataclass(frozen=True)
class Fault:
    """A fault of a seat at a decision of the game; `kind` is one of FAULTS."""

    seat: int
    kind: str
    decision: int
    text: str


class Clocks:
    """The time left to each seat, in seconds."""

    def __init__(self, players: int, time_control: TimeControl) -> None:
        self._time_control = time_control
        self.left = None if time_control.clock is None else [time_control.clock] * players

    def limit(self, seat: int) -> float | None:
        """Return the seconds that the seat's next decision may take; None without a limit."""
        return self._time_control.movetime if self.left is None else self.left[seat]

    def limits(self) -> Limits:
        """Return the limits of the next decision, in whole milliseconds."""
        control = self._time_control
        if self.left is None:
            return Limits(control.sims, None if control.movetime is None else _ms(control.movetime))
        inc = (_ms(control.inc),) * len(self.left) if control.inc else None
        return Limits(control.sims, clock=tuple(map(_ms, self.left)), inc=inc)

    def charge(self, seat: int, seconds: float) -> None:
        """Subtract the time of a failure, so that a seat gains none by a stall or a crash."""
        if self.left is not None:
            self.left[seat] = max(self.left[seat] - seconds, 0.0)

    def spend(self, seat: int, seconds: float, worked: float | None = None) -> bool:
        """Subtract a decision's time, and return whether it was in time.

        If given, `worked` is compared with the limit instead of `seconds`.
        """
        limit = self.limit(seat)
        self.charge(seat, seconds)
        if self.left is not None:
            self.left[seat] += self._time_control.inc
        return limit is None or (seconds if worked is None else worked) <= limit + MARGIN


def _ms(seconds: float) -> int:
    return max(round(seconds * 1000), 1)


# --- seatings


def distinct(names: Sequence[str]) -> list[str]:
    """Return the distinct names of a match's engines; seatings hold indices into them."""
    return list(dict.fromkeys(names))


def blocks(names: Sequence[str], players: int) -> list[Lineup]:
    """Return the line-ups of a match between engines with these names.

    - As many names as players: one line-up of all distinct rearrangements of the names.
    - Fewer distinct engines than players: one line-up of all seatings with every engine in them.
    - More: for each choice of `players` engines, a line-up of all rearrangements (a round robin).

    Seatings and line-ups are in lexicographic order; all line-ups of a match are equally long.
    Raises MasonsError without a name, or for an impossible number of players.
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
    """An engine of a match: a named player, or a command line."""

    name: str
    player: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class MatchSettings:
    """All settings on which the games of a match depend.

    `entries` are the distinct engines, in order of `names`, which may repeat a name. `board` is the
    name of a built-in board or a board's JSON. With `fair` each game has its own dice and cards, by
    the scheme of `engine/fair/`; else all games of a block have the same.
    """

    entries: tuple[Entry, ...]
    names: tuple[str, ...]
    players: int
    time_control: TimeControl
    seed: int
    board: str = "classic"
    early_roll: bool = False
    fair: bool = False

    def fingerprint(self) -> str:
        """Return a hash of all settings."""
        settings = asdict(self)
        if not self.fair:  # keep the hash of files that are older than `fair`
            del settings["fair"]
        text = json.dumps(settings, sort_keys=True)
        return sha256(text.encode("utf-8")).hexdigest()[:16]


@dataclass(frozen=True)
class MatchGame:
    """A game to play, as a job; `number` is the game's in the match, `engines` are by seat.

    `silence` is the seconds that an engine may send nothing if there is no time limit. With
    `weighs_luck` the luck of the game is measured. `fair` has the dice and cards of a fair match.
    """

    settings: MatchSettings
    block: int
    number: int
    engines: Seating
    silence: float = PATIENCE.silence
    weighs_luck: bool = False
    fair: Fair | None = None

    @property
    def luck_seed(self) -> int:
        """The seed of dice and cards, the same for all games of a block."""
        return derived_seed("block", self.settings.seed, self.block)

    def private_seed(self, seat: int) -> int:
        """Return the seed of a named player's choices, independent of dice and cards."""
        return derived_seed("player", self.settings.seed, self.number, seat)


class Schedule:
    """The games of a match, in order; the blocks cycle through the line-ups."""

    def __init__(self, settings: MatchSettings) -> None:
        self.settings = settings
        self.lineups = blocks(settings.names, settings.players)
        self.block_size = len(self.lineups[0])

    def game(self, number: int) -> MatchGame:
        """Return the game with this number (from 0)."""
        block, place = divmod(number, self.block_size)
        return MatchGame(
            self.settings, block, number, self.lineups[block % len(self.lineups)][place]
        )

    def games(self, blocks: int) -> Iterator[MatchGame]:
        """Yield the games of the first `blocks` blocks, in order."""
        return map(self.game, range(blocks * self.block_size))
