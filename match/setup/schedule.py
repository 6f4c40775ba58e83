"""A match as plain data: who plays under which settings, and the games that it consists of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256

from masons.engine.fair.fair_luck import Fair
from masons.match.setup.equal_luck import derived_seed
from masons.match.setup.seatings import Seating, blocks
from masons.match.setup.time_control import TimeControl
from masons.protocol.client.client_limits import PATIENCE


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
