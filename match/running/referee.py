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
from masons.match.running.duplicate_deals import derived_seed
from masons.match.running.schedule import MAX_ATTEMPTS, MAX_STALLS, Clocks, Fault, TimeControl
from masons.protocol.client.engine_client import Engine
from masons.protocol.messages.error_codes import EngineError
from masons.protocol.messages.seat_events import Moved, Step, chance_steps, format_event, hand_names


@dataclass(frozen=True)
class Ask:
    """A decision, as the seat that makes it may know it."""

    table: Table
    view: Observation
    moves: Sequence[Move]
    limits: Limits

    @property
    def position(self) -> str:
        """The view as text."""
        return format_position(self.view.position, self.table.board)


class Decided(NamedTuple):
    """A move, and the seconds that it took.

    `own` are those of them in which the seat was at work, where the referee can tell: a named
    player shares the referee's process, and cannot help it where that is put off.
    """

    move: Move
    seconds: float
    own: float | None = None


class Mover(Protocol):
    """What a referee asks of a seat. `decide` raises EngineError or MoveError where it fails."""

    may_fail: bool  # whether a wrong move is a fault to be counted, and no bug of ours

    def new_game(self, game: Game, seat: int) -> None:
        """A game begins."""

    def watch(self, steps: Sequence[Step]) -> None:
        """Something happened."""

    def decide(self, ask: Ask) -> Decided:
        """Make a decision."""

    def restart(self) -> None:
        """Begin again in the middle of the game, after a failure; raises as `decide` does."""

    def game_over(self, game: Game) -> None:
        """The game is over."""


def ask_of(game: Game, seat: int, clocks: Clocks) -> Ask:
    """The decision that a game waits for."""
    return Ask(game.table, game.observe(seat), game.legal_moves(), clocks.limits())


class PlayerMover:
    """A named player."""

    may_fail = False

    def __init__(self, player: Player) -> None:
        self._player = player
        self._threads = getattr(player, "threads", 1)

    def new_game(self, game: Game, seat: int) -> None:
        """It is made anew for each game."""

    def watch(self, steps: Sequence[Step]) -> None:
        """Views hold it all."""

    def decide(self, ask: Ask) -> Decided:
        """Its move."""
        began, worked = time.monotonic(), time.process_time()
        move = self._player.choose(ask.table, ask.view, ask.moves, ask.limits)
        seconds = time.monotonic() - began
        # Of all its threads: each may have worked all the time.
        worked = (time.process_time() - worked) / self._threads
        return Decided(move, seconds, min(seconds, worked))

    def restart(self) -> None:
        """It does not fail."""

    def game_over(self, game: Game) -> None:
        """Nothing to do."""


class EngineMover:
    """An engine, started where it does not run. `board` is what `newgame` calls the board."""

    may_fail = True

    def __init__(self, engine: Engine, board: str) -> None:
        self._engine = engine
        self._board = board
        self._game: tuple[int, int, bool] = (0, 0, False)  # players, seat, early roll
        self._failed: EngineError | None = None  # since the last decision

    def new_game(self, game: Game, seat: int) -> None:
        """Say what game begins, and how."""
        self._game = (game.players, seat, game.early_roll)
        self._failed = None
        start = format_position(game.view(seat), game.board)
        self._attempt(self._enter)
        self._attempt(lambda: self._engine.position(start))

    def watch(self, steps: Sequence[Step]) -> None:
        """Send the events."""
        for step in steps:
            text = format_event(step, self._game[1])
            self._attempt(lambda text=text: self._engine.event(text))  # type: ignore[misc]

    def decide(self, ask: Ask) -> Decided:
        """Send the position and ask."""
        if self._failed is not None:
            failed, self._failed = self._failed, None
            raise failed
        self._engine.position(ask.position)
        answer = self._engine.go(ask.limits)
        return Decided(parse_move(answer.move), answer.seconds)

    def restart(self) -> None:
        """End the process and begin the game again in another."""
        self._failed = None
        self._engine.close()
        self._enter()

    def game_over(self, game: Game) -> None:
        """Tell the result; raises EngineError also for what went wrong since its last decision."""
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
        """What fails between decisions is reported by the next one."""
        if self._failed is None:
            try:
                work()
            except EngineError as error:
                self._failed = error


# --- one game between seats, each of which gets to know what it may and is asked for its decisions


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
        return [Moved(seat, move), *chance_steps(self._game.log.events(done))]

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
