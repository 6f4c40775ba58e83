"""Who sits in a seat: a named player in this process, or an engine in one of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from masons.ai.players.player import Player
from masons.ai.search.limits import Limits
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.match.running.seat_stream import event_texts, hand_names, view_text
from masons.match.setup.time_control import Clocks
from masons.protocol.client.engine_client import Engine
from masons.protocol.messages.engine_faults import EngineError
from masons.protocol.messages.seat_events import Step


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
        return view_text(self.view, self.table.board)


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
        start = view_text(game.observe(seat), game.board)
        self._attempt(self._enter)
        self._attempt(lambda: self._engine.position(start))

    def watch(self, steps: Sequence[Step]) -> None:
        """Send the events."""
        for text in event_texts(steps, self._game[1]):
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
