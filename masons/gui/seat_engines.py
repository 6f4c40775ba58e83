"""Engines that play seats of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from masons.ai.players.named_players import make_player
from masons.ai.search.limits import Limits
from masons.engine.errors import MasonsError, MoveError
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import format_position
from masons.engine.plain_text import quoted
from masons.gui.background import Declined
from masons.protocol.client.client_arguments import named_board
from masons.protocol.client.engine_client import Engine
from masons.protocol.messages.error_codes import EngineError
from masons.protocol.messages.seat_events import format_event, hand_names

if TYPE_CHECKING:
    from masons.ai.players.player import Player
    from masons.engine.formats.move_text import Move
    from masons.engine.game.game import Result
    from masons.engine.game.observation import Observation
    from masons.engine.game.table import Table
    from masons.match.playing.played_game import PlayedGame
    from masons.protocol.messages.seat_events import SeatEvent

# The names of players that are engines from the command line begin with this word.
_MEI: Final = "mei:"
# The default time of such an engine for a decision, in milliseconds.
_MS: Final = 2000


def engine_spec(name: str, level: int | None, seconds: float | None) -> str:
    """Return the name that a game's file gives to the player of a seat.

    This is "" for the game's default engine.
    """
    time = "" if seconds is None else f"ms={max(round(1000 * seconds), 1)}"
    if name:
        return f"{_MEI}{name}:{time or f'ms={_MS}'}"
    options = [f"level={level}"] if level is not None else []
    options += [time] if time else []
    return f"default:{','.join(options)}" if options else ""


class MeiPlayer:
    """An engine in a separate process, which is started for its first decision.

    The engine is sent the events of its game right before it decides. After a failure, the next
    decision starts a new process. If a decision was taken back, the engine is sent the whole game
    again.
    """

    takes_limit = True

    def __init__(self, name: str, command: str, ms: int) -> None:
        self.name = name
        self._engine = Engine(command, name=name)
        self._limits = Limits(movetime_ms=ms)
        self._seat = 0
        self._start: Observation | None = None
        self._events: list[str] = []  # the events of the game so far
        self._told: list[str] | None = None  # the events that were sent; None without a game

    def follow(self, seat: int, start: Observation, steps: Sequence[SeatEvent]) -> None:
        """Note the start and the steps of the game, keeping only what the seat may see."""
        self._seat, self._start = seat, start
        self._events = [format_event(step, seat) for step in steps]

    def choose(
        self,
        table: Table,
        view: Observation,
        moves: Sequence[Move],  # noqa: ARG002 - the engine knows the rules itself
        limits: Limits | None = None,  # noqa: ARG002 - the engine has a fixed time
    ) -> Move:
        """Return the engine's move.

        Raises EngineError if the engine fails, and MoveError if its move is illegal.
        """
        try:
            self._enter(table, view)
            self._engine.position(format_position(view.position, table.board))
            move = parse_move(self._engine.go(self._limits).move)
            if not table.is_legal(view.state, move):
                raise MoveError(f"the engine {self.name} played {move}, which is not legal")
        except (EngineError, MoveError):
            self.close()
            raise
        return move

    def _enter(self, table: Table, view: Observation) -> None:
        """Send the engine everything about the game that it has not been sent yet."""
        told = self._told
        if not self._engine.is_running:
            self._engine.start()
            told = None
        if told is None or told != self._events[: len(told)]:
            position = view.position
            self._engine.new_game(
                position.players, view.seat, named_board(table.board), position.early_roll
            )
            self._engine.ready()
            self._engine.position(format_position((self._start or view).position, table.board))
            told = []
        self._tell_since(told)

    def _tell_since(self, told: list[str]) -> None:
        for text in self._events[len(told) :]:
            self._engine.event(text)
        self._told = self._events

    def game_over(
        self, result: Result, hands: Sequence[Sequence[str]], steps: Sequence[SeatEvent]
    ) -> None:
        """Send the engine the result of its game, if it plays one.

        `hands` has the card names of each seat's hand, and `steps` has all steps of the game. If
        sending fails, the engine's process is ended.
        """
        if self._start is None or self._told is None:
            return
        told = self._told
        self.follow(self._seat, self._start, steps)
        try:
            self._tell_since(told)
            self._engine.game_over(result.scores, result.winners, result.end, hands)
        except EngineError:
            self._engine.close()
        self._told = None

    def close(self) -> None:
        """End the engine's process."""
        self._told = None
        self._engine.close()


class SeatEngines:
    """The engines of a game's seats. `commands` maps the names of engines to their commands."""

    def __init__(self, commands: Mapping[str, str]) -> None:
        self.commands = commands
        self._made: list[MeiPlayer] = []

    def player_of(self, spec: str, seed: int) -> Player:
        """Return the player with a given name. Raises MasonsError if the name is unknown."""
        if not spec.startswith(_MEI):
            return make_player(spec, seed)
        name, _, time = spec.removeprefix(_MEI).partition(":")
        ms = time.removeprefix("ms=")
        if name not in self.commands:
            text = f"this game needs the engine {quoted(name)}: start with --engine NAME=COMMAND"
            raise Declined("illegal", text, "engine", name=name)
        if not ms.isascii() or not ms.isdigit() or not 1 <= int(ms[:9]) <= 600_000:
            raise MasonsError(f"the engine {name} has no time like {quoted(time)}: ms=2000")
        player = MeiPlayer(name, self.commands[name], int(ms[:9]))
        self._made.append(player)
        return player

    def goodbye(self, played: PlayedGame) -> Callable[[], None]:
        """Return a function that tells the engines how a game ended."""
        result, hands, steps = played.game.result, hand_names(played.game), played.steps()
        players = tuple(self._made)

        def tell() -> None:
            for player in players:
                if result is not None:
                    player.game_over(result, hands, steps)

        return tell

    def close(self) -> None:
        """End the processes of all engines."""
        while self._made:
            self._made.pop().close()
