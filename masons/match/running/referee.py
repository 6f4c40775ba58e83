"""The referee of one game between named players and engines in separate processes.

A seat is told only its own view and the public events (docs/protocol.md, "The referee"). A seat
fails if it crashes, stalls, breaks the protocol or does not name a legal move. The seat is then
restarted from the same position and asked again. After MAX_ATTEMPTS failures at one decision, a
stand-in makes the move, which is a random legal move. Whatever a seat does, the game goes on.

A seat forfeits the game with a loss on time (an answer that comes later than the margin allows, or
that does not come), with its second stall or, under a strict time control, with its first fault.
The seat is then ranked last, and the stand-in, now the busy player, makes its remaining decisions,
so that the game can be played and recorded to its end.
"""

from __future__ import annotations

import random
import time
from bisect import insort
from collections.abc import Sequence
from typing import NamedTuple

from masons.ai.players.player import Player
from masons.ai.players.simple_players import BusyPlayer
from masons.ai.search.limits import Limits
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.formats.position_text import format_position
from masons.engine.formats.record_endings import Forfeit
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.plain_text import quoted
from masons.match.running.duplicate_deals import DuplicateDeal, derived_seed
from masons.match.running.schedule import MAX_ATTEMPTS, MAX_STALLS, Clocks, Fault, TimeControl
from masons.protocol.client.engine_client import Engine
from masons.protocol.messages.error_codes import EngineError
from masons.protocol.messages.seat_events import (
    Moved,
    SeatEvent,
    chance_steps,
    format_event,
    hand_names,
)


class Decided(NamedTuple):
    """A move and the seconds that the decision took.

    `worked` is the CPU time that a named player used, in seconds. This time is compared with the
    time limit, because a named player is not to blame if the referee's process has to wait for a
    processor.
    """

    move: Move
    seconds: float
    worked: float | None = None


class Mover:
    """A seat as the referee sees it. By default, every method except `decide` does nothing."""

    may_fail = False  # False if an illegal move would be a bug in this program

    @property
    def is_down(self) -> bool:
        """True if the seat must be restarted before its next decision."""
        return False

    @property
    def never_starts(self) -> bool:
        """True if the last MAX_ATTEMPTS attempts to start the seat have failed."""
        return False

    def breach(self) -> str:
        """Return a breach of the protocol that has not been returned yet and did no harm, or ""."""
        return ""

    def new_game(self, game: Game, seat: int) -> None:
        """Begin a game in the given seat. If that fails, the first decision reports the failure."""

    def watch(self, events: Sequence[SeatEvent]) -> None:
        """Follow the events of the game."""

    def decide(
        self, table: Table, view: Observation, moves: Sequence[Move], limits: Limits
    ) -> Decided:
        """Choose one of `moves`. Raises EngineError or MoveError if the seat fails."""
        raise NotImplementedError

    def restart(self) -> None:
        """Start again in the middle of the game after a failure. Raises EngineError."""

    def game_over(self, game: Game) -> None:
        """Learn that the game has ended."""


class PlayerMover(Mover):
    """A named player that was made for one game."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._threads = getattr(player, "threads", 1)

    def decide(
        self, table: Table, view: Observation, moves: Sequence[Move], limits: Limits
    ) -> Decided:
        """Return the player's move and its time."""
        began, worked = time.monotonic(), time.process_time()
        move = self._player.choose(table, view, moves, limits)
        seconds = time.monotonic() - began
        # `process_time` adds up the CPU time of all threads.
        worked = (time.process_time() - worked) / self._threads
        return Decided(move, seconds, min(seconds, worked))


class EngineMover(Mover):
    """An engine in a separate process, which is started if it is not running.

    `board` is the name of the board for `newgame`.
    """

    may_fail = True

    def __init__(self, engine: Engine, board: str) -> None:
        self._engine = engine
        self._board = board
        self._game: tuple[int, int, bool] = (0, 0, False)  # (players, seat, early_roll)
        self._failed: EngineError | None = None  # a failure at the start of the game

    @property
    def is_down(self) -> bool:
        """True if no process runs and the failure that ended it has been reported."""
        return self._failed is None and not self._engine.is_running

    @property
    def never_starts(self) -> bool:
        """True if the last MAX_ATTEMPTS attempts to start the process have failed."""
        return self._engine.failed_starts >= MAX_ATTEMPTS

    def breach(self) -> str:
        """Return a second answer of the engine to one `go`, or ""."""
        line = self._engine.take_second_answer()
        return line and f"{quoted(line, 80)}: this go was answered before"

    def new_game(self, game: Game, seat: int) -> None:
        """Send `newgame` and the position at the start."""
        self._game = (game.players, seat, game.early_roll)
        self._failed = None
        start = format_position(game.view(seat), game.board)
        try:
            self._enter()
            self._engine.position(start)
        except EngineError as error:
            self._failed = error

    def watch(self, events: Sequence[SeatEvent]) -> None:
        """Send the events as the seat sees them, unless the engine has ended."""
        if self._engine.is_running:
            for event in events:
                self._engine.event(format_event(event, self._game[1]))

    def decide(
        self,
        table: Table,
        view: Observation,
        moves: Sequence[Move],  # noqa: ARG002 - the engine finds the moves itself
        limits: Limits,
    ) -> Decided:
        """Send the position and `go`, and return the engine's move and its time."""
        self._raise_failure()
        try:
            self._engine.position(format_position(view.position, table.board))
            answer = self._engine.go(limits)
        except EngineError:
            self._engine.close()  # it is started anew, so nobody waits for what it may still say
            raise
        return Decided(parse_move(answer.move, table.board), answer.seconds)

    def restart(self) -> None:
        """End the engine's process, and send `newgame` to a new process."""
        self._failed = None
        self._engine.close()
        self._enter()

    def game_over(self, game: Game) -> None:
        """Send the result, and wait until the engine is ready for the next game.

        Raises EngineError for any failure since the last decision.
        """
        result = game.result
        assert result is not None
        self._raise_failure()
        if self._engine.is_running:
            self._engine.game_over(result.scores, result.winners, result.end, hand_names(game))
            self._engine.ready()

    def _enter(self) -> None:
        if not self._engine.is_running:
            self._engine.start()
        players, seat, early_roll = self._game
        self._engine.new_game(players, seat, self._board, early_roll)
        self._engine.ready()

    def _raise_failure(self) -> None:
        if self._failed is not None:
            failed, self._failed = self._failed, None
            raise failed


# --- the game


class RefereedGame:
    """A game and the referee's notes about it.

    `play_refereed` explains the arguments.
    """

    def __init__(
        self, game: Game, movers: Sequence[Mover], deal: DuplicateDeal | None,
        time_control: TimeControl, seed: int,
    ) -> None:  # fmt: skip
        self.game = game
        self.faults: list[Fault] = []  # in the order of their decisions
        self.forfeits: set[int] = set()
        self.stand_ins: list[Forfeit] = []  # for each forfeit, when a stand-in began to play
        self.decisions = [0] * game.players  # the number of each seat's decisions
        self.replaced = [0] * game.players  # how many of them a stand-in made
        self.seconds = [0.0] * game.players  # the total time of each seat's decisions
        self.slowest = [0.0] * game.players  # the time of each seat's longest decision
        self.late = [0] * game.players  # the number of each seat's decisions beyond the limit
        self.latest = [0.0] * game.players  # the longest time by which one exceeded the limit
        self._last_decision = [0] * game.players  # the number of each seat's last one; 0: none yet
        self._movers = movers
        self._deal = deal
        self._time_control = time_control
        self._clocks = Clocks(game.players, time_control)
        self._seed = seed

    def play(self) -> None:
        """Play the game to its end."""
        game = self.game
        if self._deal is not None:
            self._deal.settle(game)
        for seat, mover in enumerate(self._movers):
            mover.new_game(game, seat)
        while not game.is_over:
            seat = game.seat
            move, logged = self._decision(seat), len(game.log)
            self.decisions[seat] += 1
            game.apply(move)
            if self._deal is not None:
                self._deal.settle(game)
            events = [Moved(seat, move), *chance_steps(game.log.events(logged))]
            for other, mover in enumerate(self._movers):
                if other not in self.forfeits:
                    mover.watch(events)
            self._stand_in()  # a move that came too late counts, but may forfeit the game
        for seat, mover in enumerate(self._movers):
            if seat not in self.forfeits:
                try:
                    mover.game_over(game)
                except EngineError as error:
                    self._blame(seat, error.kind, error)
                self._blame_breach(seat)

    def _decision(self, seat: int) -> Move:
        """Return the seat's move, or a move that the referee makes if the seat fails."""
        game = self.game
        seed = derived_seed("stand-in", self._seed, seat, game.decisions)
        mover = self._movers[seat]
        for attempt in range(MAX_ATTEMPTS + 1):
            self._stand_in()
            if seat in self.forfeits:
                self.replaced[seat] += 1
                player = BusyPlayer(seed)
                return player.choose(game.table, game.observe(seat), game.legal_moves())
            is_retry = attempt > 0 or mover.is_down
            if attempt < MAX_ATTEMPTS and not (is_retry and mover.never_starts):
                move = self._answer(seat, is_retry=is_retry)
                self._blame_breach(seat)
                self._last_decision[seat] = game.decisions + 1
                if move is not None:
                    return move
        self.replaced[seat] += 1
        return random.Random(seed).choice(game.legal_moves())

    def _answer(self, seat: int, *, is_retry: bool) -> Move | None:
        """Return the seat's move, or None if the seat fails. Note its faults and its time."""
        mover, game = self._movers[seat], self.game
        began: float | None = None  # a start is not part of the decision's time
        try:
            if is_retry:
                mover.restart()
            began = time.monotonic()
            view, moves = game.observe(seat), game.legal_moves()
            decided = mover.decide(game.table, view, moves, self._clocks.limits())
            game.legal_move(decided.move)  # raises for an illegal move
        except (EngineError, MoveError) as error:
            if isinstance(error, MoveError) and not mover.may_fail:
                raise
            failed_at = error.at if isinstance(error, EngineError) else time.monotonic()
            # A failure at the start of the game comes before the decision.
            seconds = 0.0 if began is None else max(failed_at - began, 0.0)
            is_lost = self._note(seat, seconds)
            self._clocks.charge(seat, seconds)
            kind = error.kind if isinstance(error, EngineError) else "illegal"
            self._blame(seat, kind, error, is_lost=is_lost)
            return None
        limit = self._clocks.limit(seat)
        is_lost = self._note(seat, decided.seconds, decided.worked)
        self._clocks.spend(seat, decided.seconds)
        if is_lost:
            counted = decided.seconds if decided.worked is None else decided.worked
            text = f"{counted:.3f} s with {limit:.3f} s left"
            self._blame(seat, "time", text, is_lost=True)
        return decided.move

    def _note(self, seat: int, seconds: float, worked: float | None = None) -> bool:
        """Note the time of a decision. Return True if it exceeds the limit by more than the margin.

        If `worked` is given, it is compared with the limit instead of `seconds`.
        """
        self.seconds[seat] += seconds
        self.slowest[seat] = max(self.slowest[seat], seconds)
        excess = self._clocks.excess(seat, seconds if worked is None else worked)
        self.late[seat] += excess > 0
        self.latest[seat] = max(self.latest[seat], excess)
        return excess > self._time_control.margin

    def _blame(
        self, seat: int, kind: str, text: object, *, is_lost: bool = False, decision: int = 0
    ) -> None:
        """Note a fault, and whether the seat forfeits the game by it, as it does if `is_lost`.

        `decision` is the number of the decision; 0 stands for the current one.
        """
        number = decision or self.game.decisions + 1
        fault = Fault(seat, kind, number, " ".join(str(text).split()))
        insort(self.faults, fault, key=lambda fault: fault.decision)
        stalls = sum((fault.seat, fault.kind) == (seat, "stall") for fault in self.faults)
        is_lost = is_lost or self._time_control.strict or stalls >= MAX_STALLS
        if is_lost and not self.game.is_over:
            self.forfeits.add(seat)

    def _blame_breach(self, seat: int) -> None:
        """Note a breach of the protocol after which the seat plays on.

        It belongs to the seat's last decision, because it is read during the next one.
        """
        if breach := self._movers[seat].breach():
            self._blame(seat, "protocol", breach, decision=self._last_decision[seat])

    def _stand_in(self) -> None:
        """For each seat that has just forfeited, note the event from which a stand-in plays."""
        for seat in sorted(self.forfeits - {forfeit.seat for forfeit in self.stand_ins}):
            why = next(fault.kind for fault in reversed(self.faults) if fault.seat == seat)
            self.stand_ins.append(Forfeit(seat, len(self.game.log), why))


def play_refereed(
    game: Game,
    movers: Sequence[Mover],
    *,
    deal: DuplicateDeal | None = None,
    time_control: TimeControl | None = None,
    seed: int = 0,
) -> RefereedGame:
    """Play a game to its end; `game` is modified in place.

    `deal` supplies the dice and cards if the game does not draw them itself. `seed` determines the
    moves that are made for a seat that fails. Raises MoveError if a named player's move is illegal.
    """
    played = RefereedGame(game, movers, deal, time_control or TimeControl(), seed)
    played.play()
    return played
