"""One game between seats, each of which gets to know what it may and is asked for its decisions.

A seat that fails (it crashes, stalls, breaks the protocol or names no legal move) is restarted from
the same position and asked again; after MAX_ATTEMPTS failures of one decision a random legal move
is made for it. A seat's second stall in a game forfeits it, and under a strict time control its
first fault: the seat is ranked last, and busy play makes the rest of its decisions, so that the
game and its record come to an end.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from masons.ai.players.simple_players import BusyPlayer
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import Move
from masons.engine.formats.record_endings import Forfeit
from masons.engine.game.game import Game
from masons.match.running.seat_players import Decided, Mover, ask_of
from masons.match.running.seat_stream import steps_of
from masons.match.setup.equal_luck import derived_seed
from masons.match.setup.time_control import (
    MAX_ATTEMPTS,
    MAX_STALLS,
    Clocks,
    Fault,
    TimeControl,
)
from masons.protocol.messages.engine_faults import EngineError
from masons.protocol.messages.seat_events import Step


class MatchLuck(Protocol):
    """Who rolls the dice and draws the cards of a game that waits for them."""

    def settle(self, game: Game) -> None:
        """Roll and draw up to the next decision, or the end (`game` modified in place)."""


@dataclass
class Played:
    """A finished game and what the referee noted of it."""

    game: Game
    faults: list[Fault] = field(default_factory=list)
    forfeits: set[int] = field(default_factory=set)
    stand_ins: list[Forfeit] = field(default_factory=list)  # from where on each of them is replaced
    seconds: list[float] = field(default_factory=list)  # that each seat took for its decisions
    slowest: list[float] = field(default_factory=list)  # the longest decision of each seat


def play_game(
    game: Game,
    movers: Sequence[Mover],
    *,
    luck: MatchLuck | None = None,
    time_control: TimeControl | None = None,
    seed: int = 0,
) -> Played:
    """Play a game to its end (`game` modified in place).

    `luck` serves a game whose dice and cards come from outside. `seed` is for the moves made in
    place of a seat that fails. Raises MoveError where a player of this process answers with no
    legal move.
    """
    return _RefereedGame(game, movers, luck, time_control or TimeControl(), seed).play()


class _RefereedGame:
    """A game going on."""

    def __init__(
        self,
        game: Game,
        movers: Sequence[Mover],
        luck: MatchLuck | None,
        time_control: TimeControl,
        seed: int,
    ) -> None:
        self._game = game
        self._movers = movers
        self._luck = luck
        self._time_control = time_control
        self._seed = seed
        self._clocks = Clocks(game.players, time_control)
        zeros = [0.0] * game.players
        self._played = Played(game, seconds=zeros, slowest=list(zeros))

    def play(self) -> Played:
        game = self._game
        if self._luck is not None:
            self._luck.settle(game)
        for seat, mover in enumerate(self._movers):
            mover.new_game(game, seat)
        while not game.is_over:
            seat = game.seat
            self._announce(self._make(seat, self._decision(seat)))
            self._stand_in()  # after a move that came too late, but counts
        for seat, mover in enumerate(self._movers):
            if seat not in self._played.forfeits:
                self._close(seat, mover)
        return self._played

    def _make(self, seat: int, move: Move) -> list[Step]:
        """Make a move, and what the dice and cards add to it."""
        done = len(self._game.log)
        self._game.apply(move)
        if self._luck is not None:
            self._luck.settle(self._game)
        return steps_of(self._game, seat, move, done)

    def _announce(self, steps: Sequence[Step]) -> None:
        for seat, mover in enumerate(self._movers):
            if seat not in self._played.forfeits:
                mover.watch(steps)

    def _close(self, seat: int, mover: Mover) -> None:
        try:
            mover.game_over(self._game)
        except EngineError as error:
            self._blame(seat, error.kind, error)

    def _decision(self, seat: int) -> Move:
        """The seat's move, or one that is made for it."""
        for attempt in range(MAX_ATTEMPTS):
            self._stand_in()
            if seat in self._played.forfeits:
                return self._busy(seat)
            move = self._asked(seat, again=attempt > 0)
            if move is not None:
                return move
        self._stand_in()
        if seat in self._played.forfeits:
            return self._busy(seat)
        return self._rng_of(seat).choice(self._game.legal_moves())

    def _asked(self, seat: int, *, again: bool) -> Move | None:
        """The seat's answer, if it is a legal move; faults are noted."""
        mover, game = self._movers[seat], self._game
        began = time.monotonic()
        try:
            if again:
                mover.restart()
                began = time.monotonic()
            decided = mover.decide(ask_of(game, seat, self._clocks))
            if not game.is_legal(decided.move):
                raise MoveError(f"{decided.move} is not legal: a {game.phase} decision was asked")
        except EngineError as error:
            self._failed(seat, error.kind, error, began)
            return None
        except MoveError as error:
            if not mover.may_fail:
                raise
            self._failed(seat, "illegal", error, began)
            return None
        self._time(seat, decided)
        return decided.move

    def _failed(self, seat: int, kind: str, error: Exception, began: float) -> None:
        seconds = time.monotonic() - began
        self._clocks.charge(seat, seconds)
        self._note(seat, seconds)
        self._blame(seat, kind, error)

    def _time(self, seat: int, decided: Decided) -> None:
        """Note how long a decision took: a move that comes too late still counts."""
        seconds = decided.seconds
        self._note(seat, seconds)
        limit = self._clocks.limit(seat)
        if not self._clocks.spend(seat, seconds, decided.own):
            self._blame(seat, "time", f"{seconds:.3f} s, where {limit:.3f} s were left")

    def _note(self, seat: int, seconds: float) -> None:
        played = self._played
        played.seconds[seat] += seconds
        played.slowest[seat] = max(played.slowest[seat], seconds)

    def _blame(self, seat: int, kind: str, text: object) -> None:
        words = " ".join(str(text).split())
        self._played.faults.append(Fault(seat, kind, self._game.decisions, words))
        stalls = sum((one.seat, one.kind) == (seat, "stall") for one in self._played.faults)
        if (self._time_control.strict or stalls >= MAX_STALLS) and not self._game.is_over:
            self._played.forfeits.add(seat)

    def _stand_in(self) -> None:
        """Note from which event on somebody else chooses for who has forfeited."""
        played = self._played
        for seat in sorted(played.forfeits - {own.seat for own in played.stand_ins}):
            why = next(fault.kind for fault in played.faults if fault.seat == seat)
            played.stand_ins.append(Forfeit(seat, len(self._game.log), why))

    def _rng_of(self, seat: int) -> random.Random:
        return random.Random(derived_seed("stand-in", self._seed, seat, self._game.decisions))

    def _busy(self, seat: int) -> Move:
        player = BusyPlayer(derived_seed("stand-in", self._seed, seat, self._game.decisions))
        return player.choose(self._game.table, self._game.observe(seat), self._game.legal_moves())
