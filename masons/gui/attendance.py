"""Who is at the table of a game: the seats with an open page, the running clock, the rematch."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from masons.match.playing.game_setup import GameSetup
from masons.match.playing.kept_games import seat_names

if TYPE_CHECKING:
    from masons.gui.seating import Client, Seating
    from masons.match.playing.played_game import PlayedGame


class Attendance:
    """The seats whose pages are open, and what follows from it.

    The clock starts once every seat has a page and its player has seen the board, or with the first
    decision. From then on, it runs for the seat that decides, whether or not its page is open. It
    stands still while the program does not run.
    """

    def __init__(self, played: PlayedGame, seating: Seating, flag: Callable[[], None]) -> None:
        """Begin with an empty table. `flag` is called when the deciding seat has no time left."""
        self._played = played
        self._seating = seating
        self._flag = flag
        self._present: set[int] = set()
        self._ready: set[int] = set()  # the seats whose players have seen the board
        self._wishes: set[int] = set()  # the seats that want a rematch
        self._has_begun = False
        self._since: float | None = None  # when the decision that is due began to take time
        self._timer: asyncio.TimerHandle | None = None

    def update(self, clients: Iterable[Client]) -> bool:
        """Note which pages are open, and return whether other seats than before have one."""
        before = self._present
        self._present = {seat for client in clients for seat in self._seating.seats(client)}
        if not (self._has_begun and self._played.game.decisions):
            ready = self._present if self._played.game.decisions else self._present & self._ready
            self._has_begun = ready >= self._played.people
        self.run()
        return self._present != before

    def see(self, seats: Iterable[int]) -> bool:
        """Note that the players of seats have seen the board, and return whether this is new."""
        before = len(self._ready)
        self._ready |= set(seats)
        return len(self._ready) > before

    def fields(self) -> dict[str, Any]:
        """Return the fields of a `presence` message, which are also those of a `position`."""
        return {
            "present": sorted(self._present),
            "rematch": sorted(self._wishes) if may_rematch(self._played) else None,
            "clock": self._clock_fields(),
        }

    # --- the clock

    def _clock_fields(self) -> dict[str, Any] | None:
        """Return the state of the clock, with the seconds that each seat has left."""
        if (clock := self._played.clock) is None:
            return None
        seat = None if self._since is None else self._played.game.seat
        left = [
            max(each - (self.spent() if of == seat else 0), 0) for of, each in enumerate(clock.left)
        ]
        terms = {"seconds": clock.terms.seconds, "increment": clock.terms.increment}
        return {**terms, "left": [round(each, 1) for each in left], "running": seat}

    def spent(self) -> float:
        """Return the seconds that the decision due has taken so far."""
        return 0.0 if self._since is None else time.monotonic() - self._since

    def decided(self) -> None:
        """Let the time of the next decision begin."""
        self._since = None

    def run(self) -> None:
        """Let the time of the deciding seat run if the game has begun."""
        self.stop()
        clock, played = self._played.clock, self._played
        if clock is None or not self._has_begun or played.is_over:
            self._since = None
            return
        if self._since is None:
            self._since = time.monotonic()
        left = clock.left[played.game.seat] - self.spent()
        self._timer = asyncio.get_running_loop().call_later(max(left, 0.0), self._flag)

    def stop(self) -> None:
        """Let the timer of the clock no longer end the game."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- the rematch

    def wish(self, seats: Iterable[int]) -> bool:
        """Note that seats want a rematch, and return whether now all of them do."""
        self._wishes |= set(seats)
        return self._wishes >= set(self._played.setup.people)


def may_rematch(played: PlayedGame) -> bool:
    """Return whether people alone have played a game that is over and can be played again."""
    setup = played.setup
    has_people = len(setup.people) == setup.players
    return played.is_over and has_people and setup.hands is None and setup.fair is None


def next_seat(seat: int, players: int) -> int:
    """Return a seat's number in the rematch."""
    return (seat + 1) % players


def rematch_setup(setup: GameSetup) -> GameSetup:
    """Return the setup of the rematch: the same, with all seats turned and new dice and cards."""
    names = [""] * setup.players
    for seat, name in enumerate(setup.names):
        is_default = name == f"Person {seat}"
        names[next_seat(seat, setup.players)] = "" if is_default else name
    return replace(
        setup,
        names=seat_names(names, setup.players, {}, may_be_empty=True),
        seed=random.SystemRandom().getrandbits(48),
    )
