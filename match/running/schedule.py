"""The plan of a match: engines, settings, seatings, time control, and its games.

A *block* is a set of games with the same deal in which the engines take turns at the seats; a
*line-up* is the list of seatings of one block. The blocks of a match go round its line-ups. Every
line-up holds, with a seating, all its rearrangements; so within each block every engine that plays
in it sits equally often in every seat. How often each engine plays is the same for all engines
within a round of line-ups, except where the names say otherwise (A B B: B twice as often).
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
MAX_STALLS: Final = 2  # of a seat in one game, with which it forfeits
FAULTS: Final = FORFEITS


# --- time


@dataclass(frozen=True)
class TimeControl:
    """Limits in seconds: of each decision, or a clock for each seat with an increment a decision.

    Raises MasonsError for limits that contradict each other.
    """

    movetime: float | None = None
    clock: float | None = None
    inc: float = 0.0
    sims: int | None = None
    strict: bool = False  # the first fault forfeits the game

    def __post_init__(self) -> None:
        if self.movetime is not None and self.clock is not None:
            raise MasonsError("a match has a time for each decision or a clock, not both")


@dataclass(frozen=True)
class Fault:
    """Something that a seat did wrong: one of FAULTS, at one of the game's decisions."""

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
        """Return the most that the seat's next decision may take."""
        return self._time_control.movetime if self.left is None else self.left[seat]

    def limits(self) -> Limits:
        """Return the limits of the next decision, in whole milliseconds."""
        control = self._time_control
        if self.left is None:
            return Limits(control.sims, None if control.movetime is None else _ms(control.movetime))
        inc = (_ms(control.inc),) * len(self.left) if control.inc else None
        return Limits(control.sims, clock=tuple(map(_ms, self.left)), inc=inc)

    def charge(self, seat: int, seconds: float) -> None:
        """Take the time of a failure off: a seat gains none by a stall or a crash."""
        if self.left is not None:
            self.left[seat] = max(self.left[seat] - seconds, 0.0)

    def spend(self, seat: int, seconds: float, worked: float | None = None) -> bool:
        """Take the time of a decision off; return whether it was in time, by the `worked` part."""
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
    """Return the line-ups of a match between engines of these names, for so many players.

    - As many names as players: one line-up, all distinct rearrangements of the names.
    - Fewer distinct engines than players: one line-up, all seatings in which every engine sits.
    - More: a line-up for each choice of so many engines, all its rearrangements (a round robin).

    Seatings and line-ups are in lexicographic order; all line-ups of a match are equally long.
    Raises MasonsError without a name, or for a number of players that the game does not have.
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
    """All that the games of a match depend on.

    `entries` are the distinct engines, in order of `names`, in which a name may stand several
    times. `board` is the name of a built-in board or a board's JSON. With `fair` each game has dice
    and cards of its own, by the scheme of `engine/fair/`; else a block shares them.
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
        """Return a hash that differs where any setting does."""
        settings = asdict(self)
        if not self.fair:  # as in files from before there was `fair`
            del settings["fair"]
        text = json.dumps(settings, sort_keys=True)
        return sha256(text.encode("utf-8")).hexdigest()[:16]


@dataclass(frozen=True)
class MatchGame:
    """A game to be played: `number` counts through the match, `engines` are by seat.

    `silence`: seconds that an engine may say nothing if no limit names a time. `weighs_luck`:
    note what dice and cards gave each seat. `fair` holds dice and cards of a fair match.
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
        """The seed of dice and cards, the same in a whole block."""
        return derived_seed("block", self.settings.seed, self.block)

    def private_seed(self, seat: int) -> int:
        """Return the seed of a named player's choices, which says nothing of dice and cards."""
        return derived_seed("player", self.settings.seed, self.number, seat)


class Schedule:
    """The games of a match in order; the blocks go round the line-ups."""

    def __init__(self, settings: MatchSettings) -> None:
        self.settings = settings
        self.lineups = blocks(settings.names, settings.players)
        self.block_size = len(self.lineups[0])

    def game(self, number: int) -> MatchGame:
        """Return the game of a number, from 0."""
        block, place = divmod(number, self.block_size)
        return MatchGame(
            self.settings, block, number, self.lineups[block % len(self.lineups)][place]
        )

    def games(self, blocks: int) -> Iterator[MatchGame]:
        """Yield the games of the first blocks, in order."""
        return map(self.game, range(blocks * self.block_size))
