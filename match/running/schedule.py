"""What a block is: the seatings in which the engines of a match meet under equal luck.

A *line-up* is the list of seatings of one block. The blocks of a match go round its line-ups. Every
line-up holds, with a seating, all its rearrangements; so within each block every engine that plays
in it sits equally often in every seat. How often each engine plays is the same for all engines
within a round of line-ups, except where the names given say otherwise (A B B: B twice as often).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
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


def distinct(names: Sequence[str]) -> list[str]:
    """The engines that the names of a match mean: equal names are one engine, in order of names.

    The indices of seatings are places in this list.
    """
    return list(dict.fromkeys(names))


def blocks(names: Sequence[str], players: int) -> list[Lineup]:
    """The line-ups of a match between engines of these names, for games of so many players.

    - As many names as players: one line-up, all distinct rearrangements of the names.
    - Fewer distinct engines than players: one line-up, all seatings in which every engine sits.
    - More: a line-up for each choice of so many engines, all its rearrangements (a round robin).

    Seatings and line-ups are in lexicographic order. All line-ups of a match are equally long.
    Raises MasonsError without a name, or for a number of players that the game does not have.
    """
    if not names:
        raise MasonsError("a match needs an engine")
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise MasonsError(f"{players} players: it must be from {MIN_PLAYERS} to {MAX_PLAYERS}")
    engines = distinct(names)
    if len(names) == players:
        entries = [engines.index(name) for name in names]
        return [sorted(set(permutations(entries)))]
    if len(engines) < players:
        seatings = product(range(len(engines)), repeat=players)
        return [[seating for seating in seatings if len(set(seating)) == len(engines)]]
    return [list(permutations(chosen)) for chosen in combinations(range(len(engines)), players)]


# --- how long a decision may take, and what becomes of an engine that fails

# An answer that comes this much after its time is still in time: seconds.
MARGIN: Final = 0.2
# Failures of one decision before a move is made for the seat.
MAX_ATTEMPTS: Final = 3
# Stalls of a seat in one game with which it forfeits: each is a long time without anything.
MAX_STALLS: Final = 2
FAULTS: Final = FORFEITS


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
    """Something that a seat did wrong: one of FAULTS, at which of the game's decisions."""

    seat: int
    kind: str
    decision: int
    text: str


class Clocks:
    """What is left to each seat, in seconds."""

    def __init__(self, players: int, time_control: TimeControl) -> None:
        self._time_control = time_control
        self.left = None if time_control.clock is None else [time_control.clock] * players

    def limit(self, seat: int) -> float | None:
        """The most that the seat's next decision may take."""
        return self._time_control.movetime if self.left is None else self.left[seat]

    def limits(self) -> Limits:
        """What ends the next decision of whoever makes it, in whole milliseconds."""
        rule = self._time_control
        if self.left is None:
            return Limits(rule.sims, None if rule.movetime is None else _ms(rule.movetime))
        inc = (_ms(rule.inc),) * len(self.left) if rule.inc else None
        return Limits(rule.sims, clock=tuple(map(_ms, self.left)), inc=inc)

    def charge(self, seat: int, seconds: float) -> None:
        """Take the time of a failure off: who stalls or crashes gains none by it."""
        if self.left is not None:
            self.left[seat] = max(self.left[seat] - seconds, 0.0)

    def spend(self, seat: int, seconds: float, own: float | None = None) -> bool:
        """Take the time of a decision off; whether it was kept, by the seat's own part of it."""
        limit = self.limit(seat)
        self.charge(seat, seconds)
        if self.left is not None:
            self.left[seat] += self._time_control.inc
        return limit is None or (seconds if own is None else own) <= limit + MARGIN


def _ms(seconds: float) -> int:
    return max(round(seconds * 1000), 1)


# --- a match as plain data


@dataclass(frozen=True)
class Entry:
    """An engine of a match: a named player, or a command line."""

    name: str
    player: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """What the games of a match depend on.

    `entries` are the distinct engines, in order of `names`, which are as given (the same name may
    stand in it several times). `board` is the name of a built-in board or a board's JSON. With
    `fair` each game has luck of its own, by the scheme of `engine/fair/`; else a block has equal
    luck.
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
        """A hash that differs where any setting does."""
        settings = asdict(self)
        if not self.fair:  # so that matches of before there was `fair` can be gone on with
            del settings["fair"]
        text = json.dumps(settings, sort_keys=True)
        return sha256(text.encode("utf-8")).hexdigest()[:16]


@dataclass(frozen=True)
class MatchGame:
    """A game to be played: `number` counts through the match, `engines` are by seat.

    `silence`: seconds that an engine may say nothing where no limit names a time. `weighs_luck`:
    what dice and cards gave each seat is noted. `fair` is the luck of a game of a fair match.
    """

    settings: Settings
    block: int
    number: int
    engines: Seating
    silence: float = PATIENCE.silence
    weighs_luck: bool = False
    fair: Fair | None = None

    @property
    def luck_seed(self) -> int:
        """The seed of the luck, the same in a whole block."""
        return derived_seed("block", self.settings.seed, self.block)

    def private_seed(self, seat: int) -> int:
        """The seed of a named player's own choices, which says nothing of the luck."""
        return derived_seed("player", self.settings.seed, self.number, seat)


class Schedule:
    """The games of a match in order; the blocks go round the line-ups."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lineups = blocks(settings.names, settings.players)
        self.block_size = len(self._lineups[0])

    def game(self, number: int) -> MatchGame:
        """The game of a number, from 0."""
        block, place = divmod(number, self.block_size)
        seating = self._lineups[block % len(self._lineups)][place]
        return MatchGame(self.settings, block, number, seating)


def block_size(settings: Settings) -> int:
    """The number of games in a block."""
    return Schedule(settings).block_size


def games_of(
    settings: Settings,
    count: int,
    silence: float = PATIENCE.silence,
    *,
    weighs_luck: bool = False,
) -> Iterator[MatchGame]:
    """The games of the first `count` blocks, in order."""
    schedule = Schedule(settings)
    for number in range(count * schedule.block_size):
        yield replace(schedule.game(number), silence=silence, weighs_luck=weighs_luck)
