"""One game between seats, each a named player in this process or an engine in one of its own.

A seat gets to know what its view and the public events say, and nothing else (docs/protocol.md,
"The referee"). A seat that fails (it crashes, stalls, breaks the protocol or names no legal move)
is restarted from the same position and asked again; after MAX_ATTEMPTS failures of one decision a
random legal move is made for it. A seat's second stall in a game forfeits it, and under a strict
time control its first fault: the seat is ranked last, and busy play makes the rest of its
decisions, so that the game and its record come to an end.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

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


@dataclass(frozen=True)
class SeatDecision:
    """A decision, as the seat that makes it may know it."""

    table: Table
    view: Observation
    moves: Sequence[Move]
    limits: Limits


class Decided(NamedTuple):
    """A move, and the seconds that it took.

    `worked` are those in which the seat was at work, where the referee can tell: a named player
    shares the referee's process and cannot help it where that is put off.
    """

    move: Move
    seconds: float
    worked: float | None = None


class Mover(Protocol):
    """A seat, as the referee sees it. `decide` raises EngineError or MoveError where it fails."""

    may_fail: bool  # a wrong move is a fault to be counted, not a bug of this program

    def new_game(self, game: Game, seat: int) -> None:
        """Take note that a game begins."""

    def watch(self, events: Sequence[SeatEvent]) -> None:
        """Take note of events."""

    def decide(self, decision: SeatDecision) -> Decided:
        """Make a decision."""

    def restart(self) -> None:
        """Begin again in the middle of the game, after a failure; raises as `decide` does."""

    def game_over(self, game: Game) -> None:
        """Take note that the game is over."""


class PlayerMover:
    """A named player, made for one game."""

    may_fail = False

    def __init__(self, player: Player) -> None:
        self._player = player
        self._threads = getattr(player, "threads", 1)

    def new_game(self, game: Game, seat: int) -> None:
        """Do nothing: each decision comes with its view."""

    def watch(self, events: Sequence[SeatEvent]) -> None:
        """Do nothing: each decision comes with its view."""

    def decide(self, decision: SeatDecision) -> Decided:
        """Return the player's move."""
        began, worked = time.monotonic(), time.process_time()
        move = self._player.choose(decision.table, decision.view, decision.moves, decision.limits)
        seconds = time.monotonic() - began
        # Of all its threads: each may have worked all the time.
        worked = (time.process_time() - worked) / self._threads
        return Decided(move, seconds, min(seconds, worked))

    def restart(self) -> None:
        """Do nothing: a player does not fail."""

    def game_over(self, game: Game) -> None:
        """Do nothing."""


class EngineMover:
    """An engine, started where it does not run. `board` is what `newgame` calls the board."""

    may_fail = True

    def __init__(self, engine: Engine, board: str) -> None:
        self._engine = engine
        self._board = board
        self._game: tuple[int, int, bool] = (0, 0, False)  # players, seat, early roll
        self._failed: EngineError | None = None  # since the last decision

    def new_game(self, game: Game, seat: int) -> None:
        """Send `newgame` and the position."""
        self._game = (game.players, seat, game.early_roll)
        self._failed = None
        start = format_position(game.view(seat), game.board)
        self._attempt(self._enter)
        self._attempt(lambda: self._engine.position(start))

    def watch(self, events: Sequence[SeatEvent]) -> None:
        """Send the events as the seat sees them."""
        for event in events:
            text = format_event(event, self._game[1])
            self._attempt(lambda text=text: self._engine.event(text))  # type: ignore[misc]

    def decide(self, decision: SeatDecision) -> Decided:
        """Send the position and `go`."""
        if self._failed is not None:
            failed, self._failed = self._failed, None
            raise failed
        board = decision.table.board
        self._engine.position(format_position(decision.view.position, board))
        answer = self._engine.go(decision.limits)
        return Decided(parse_move(answer.move), answer.seconds)

    def restart(self) -> None:
        """End the process and begin the game again in another."""
        self._failed = None
        self._engine.close()
        self._enter()

    def game_over(self, game: Game) -> None:
        """Send the result; raises EngineError also for what failed since the last decision."""
        result = game.result
        assert result is not None
        if self._failed is not None:
            raise self._failed
        self._engine.game_over(result.scores, result.winners, result.end, hand_names(game))

    def _enter(self) -> None:
        if not self._engine.is_running:
            self._engine.start()
        players, seat, early_roll = self._game
        self._engine.new_game(players, seat, self._board, early_roll)
        self._engine.ready()

    def _attempt(self, work: Callable[[], None]) -> None:
        """Do something between decisions; the next decision reports its failure."""
        if self._failed is None:
            try:
                work()
            except EngineError as error:
                self._failed = error


# --- the game


@dataclass
class RefereedGame:
    """A finished game and the referee's notes."""

    game: Game
    faults: list[Fault] = field(default_factory=list)
    forfeits: set[int] = field(default_factory=set)
    stand_ins: list[Forfeit] = field(default_factory=list)  # from where each seat is replaced
    seconds: list[float] = field(default_factory=list)  # that each seat took for its decisions
    slowest: list[float] = field(default_factory=list)  # the longest decision of each seat


def play_game(
    game: Game,
    movers: Sequence[Mover],
    *,
    deal: DuplicateDeal | None = None,
    time_control: TimeControl | None = None,
    seed: int = 0,
) -> RefereedGame:
    """Play a game to its end (`game` modified in place).

    `deal` serves a game whose dice and cards come from outside. `seed` is for the moves made in
    place of a seat that fails. Raises MoveError where a player of this process answers with no
    legal move.
    """
    return _Referee(game, movers, deal, time_control or TimeControl(), seed).play()


class _Referee:
    """The referee of one game."""

    def __init__(
        self,
        game: Game,
        movers: Sequence[Mover],
        deal: DuplicateDeal | None,
        time_control: TimeControl,
        seed: int,
    ) -> None:
        self._game = game
        self._movers = movers
        self._deal = deal
        self._time_control = time_control
        self._seed = seed
        self._clocks = Clocks(game.players, time_control)
        zeros = [0.0] * game.players
        self._played = RefereedGame(game, seconds=zeros, slowest=list(zeros))

    def play(self) -> RefereedGame:
        game = self._game
        if self._deal is not None:
            self._deal.settle(game)
        for seat, mover in enumerate(self._movers):
            mover.new_game(game, seat)
        while not game.is_over:
            seat = game.seat
            move, logged = self._decision(seat), len(game.log)
            game.apply(move)
            if self._deal is not None:
                self._deal.settle(game)
            events = [Moved(seat, move), *chance_steps(game.log.events(logged))]
            for other, mover in enumerate(self._movers):
                if other not in self._played.forfeits:
                    mover.watch(events)
            self._stand_in()  # after a move that came too late, but counts
        for seat, mover in enumerate(self._movers):
            if seat not in self._played.forfeits:
                try:
                    mover.game_over(game)
                except EngineError as error:
                    self._blame(seat, error.kind, error)
        return self._played

    def _decision(self, seat: int) -> Move:
        """Return the seat's move, or one that is made for it."""
        for attempt in range(MAX_ATTEMPTS + 1):
            self._stand_in()
            seed = derived_seed("stand-in", self._seed, seat, self._game.decisions)
            if seat in self._played.forfeits:
                game, player = self._game, BusyPlayer(seed)
                return player.choose(game.table, game.observe(seat), game.legal_moves())
            if attempt == MAX_ATTEMPTS:
                break
            move = self._answer(seat, is_retry=attempt > 0)
            if move is not None:
                return move
        return random.Random(seed).choice(self._game.legal_moves())

    def _answer(self, seat: int, *, is_retry: bool) -> Move | None:
        """Return the seat's answer if it is a legal move; note its faults and its time."""
        mover, game = self._movers[seat], self._game
        began = time.monotonic()
        try:
            if is_retry:
                mover.restart()
                began = time.monotonic()
            limits = self._clocks.limits()
            view, moves = game.observe(seat), game.legal_moves()
            decided = mover.decide(SeatDecision(game.table, view, moves, limits))
            if not game.is_legal(decided.move):
                raise MoveError(f"{decided.move} is not legal: a {game.phase} decision was asked")
        except (EngineError, MoveError) as error:
            if isinstance(error, MoveError) and not mover.may_fail:
                raise
            seconds = time.monotonic() - began
            self._clocks.charge(seat, seconds)
            self._note(seat, seconds)
            self._blame(seat, error.kind if isinstance(error, EngineError) else "illegal", error)
            return None
        self._note(seat, decided.seconds)
        limit = self._clocks.limit(seat)
        if not self._clocks.spend(seat, decided.seconds, decided.worked):
            self._blame(seat, "time", f"{decided.seconds:.3f} s, where {limit:.3f} s were left")
        return decided.move

    def _note(self, seat: int, seconds: float) -> None:
        played = self._played
        played.seconds[seat] += seconds
        played.slowest[seat] = max(played.slowest[seat], seconds)

    def _blame(self, seat: int, kind: str, text: object) -> None:
        faults = self._played.faults
        faults.append(Fault(seat, kind, self._game.decisions, " ".join(str(text).split())))
        stalls = sum((fault.seat, fault.kind) == (seat, "stall") for fault in faults)
        if (self._time_control.strict or stalls >= MAX_STALLS) and not self._game.is_over:
            self._played.forfeits.add(seat)

    def _stand_in(self) -> None:
        """Note the event from which on somebody else chooses for a seat that has forfeited."""
        played = self._played
        for seat in sorted(played.forfeits - {forfeit.seat for forfeit in played.stand_ins}):
            why = next(fault.kind for fault in played.faults if fault.seat == seat)
            played.stand_ins.append(Forfeit(seat, len(self._game.log), why))
