"""Engines in seats, and hints for a person.

A search knows the view of its seat only, and has a table of its own, as it runs in another thread
than the game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from masons.ai.explain.explanation import explained
from masons.ai.players.named_players import make_player
from masons.ai.players.player import choice_given
from masons.ai.search.limits import HINT_DEFAULT, Limits
from masons.ai.session import Session
from masons.engine.errors import MasonsError, MoveError
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import format_position
from masons.engine.game.table import Table
from masons.engine.plain_text import quoted
from masons.gui.position_messages import ranked_moves
from masons.match.playing.game_words import advice
from masons.match.playing.scored_view import ScoredView
from masons.protocol.client.client_arguments import named_board
from masons.protocol.client.engine_client import Engine
from masons.protocol.messages.error_codes import EngineError
from masons.protocol.messages.seat_events import format_event, hand_names

if TYPE_CHECKING:
    from masons.ai.players.player import Player
    from masons.ai.search.threads import Stop
    from masons.engine.board.geometry import Board
    from masons.engine.formats.move_text import Move
    from masons.engine.game.game import Result
    from masons.engine.game.observation import Observation
    from masons.match.playing.played_game import PlayedGame
    from masons.protocol.messages.seat_events import SeatEvent

# The names of players that are engines of the command line begin with it.
_MEI: Final = "mei:"
# The default time of such an engine.
_MS: Final = 2000


def engine_spec(name: str, level: int | None, seconds: float | None) -> str:
    """Return the name of a seat's player in a game's file; "" is the game's own engine."""
    time = "" if seconds is None else f"ms={max(round(1000 * seconds), 1)}"
    if name:
        return f"{_MEI}{name}:{time or f'ms={_MS}'}"
    options = [f"level={level}"] if level is not None else []
    options += [time] if time else []
    return f"default:{','.join(options)}" if options else ""


class GameEnd(NamedTuple):
    """The end of a game."""

    result: Result
    hands: list[list[str]]  # of each seat, names of cards
    steps: Sequence[SeatEvent]  # of the whole game


def game_end(played: PlayedGame) -> GameEnd | None:
    """Return the end of a game; None where it was not played to its end."""
    result = played.game.result
    return GameEnd(result, hand_names(played.game), played.steps()) if result else None


class MeiPlayer:
    """An engine in a process of its own, started for its first decision.

    The events of its game are sent right before it decides. After a failure the next decision
    starts a new process, and after a decision was taken back it begins the game anew.
    """

    takes_limit = True

    def __init__(self, name: str, command: str, ms: int) -> None:
        self.name = name
        self._engine = Engine(command, name=name)
        self._limits = Limits(movetime_ms=ms)
        self._seat = 0
        self._start: Observation | None = None
        self._events: list[str] = []  # of the game so far
        self._told: list[str] | None = None  # those sent to it; None: it plays no game yet

    def follow(self, seat: int, start: Observation, steps: Sequence[SeatEvent]) -> None:
        """Note how its game began and went on; only what its seat sees of the steps is kept."""
        self._seat, self._start = seat, start
        self._events = [format_event(step, seat) for step in steps]

    def choose(
        self,
        table: Table,
        view: Observation,
        moves: Sequence[Move],
        limits: Limits | None = None,  # noqa: ARG002 - it has a time of its own
    ) -> Move:
        """Return its move. Raises EngineError where it fails, MoveError for an illegal move."""
        view, moves = choice_given(table, view, moves)
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
        """Send what it does not know of the game yet."""
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

    def game_over(self, end: GameEnd) -> None:
        """Tell it how its game ended, if it plays one; where that fails its process ends."""
        if self._start is None or self._told is None:
            return
        result, told = end.result, self._told
        self.follow(self._seat, self._start, end.steps)
        try:
            self._tell_since(told)
            self._engine.game_over(result.scores, result.winners, result.end, end.hands)
        except EngineError:
            self._engine.close()
        self._told = None

    def close(self) -> None:
        """End its process."""
        self._told = None
        self._engine.close()


class SeatEngines:
    """Makes the players of a game's seats; `commands` are those of engines by name."""

    def __init__(self, commands: Mapping[str, str]) -> None:
        self.commands = commands
        self._made: list[MeiPlayer] = []

    def player_of(self, spec: str, seed: int) -> Player:
        """Return the player of a name. Raises MasonsError for an unknown one."""
        if not spec.startswith(_MEI):
            return make_player(spec, seed)
        name, _, time = spec.removeprefix(_MEI).partition(":")
        ms = time.removeprefix("ms=")
        if name not in self.commands:
            raise MasonsError(
                f"this game needs the engine {quoted(name)}: start with --engine NAME=COMMAND"
            )
        if not ms.isascii() or not ms.isdigit() or not 1 <= int(ms[:9]) <= 600_000:
            raise MasonsError(f"the engine {name} has no time like {quoted(time)}: ms=2000")
        player = MeiPlayer(name, self.commands[name], int(ms[:9]))
        self._made.append(player)
        return player

    def game_over(self, end: GameEnd) -> None:
        """Tell them how their game ended."""
        for player in tuple(self._made):
            player.game_over(end)

    def close(self) -> None:
        """End their processes."""
        while self._made:
            self._made.pop().close()


def hint_search(
    board: Board, view: Observation, names: Sequence[str], sims: int | None, stop: Stop
) -> dict[str, Any]:
    """Return a hint for the seat of a view: full strength, seed 0, as at the terminal."""
    table = Table(board)
    session = Session(table)
    limits = Limits(sims=sims) if sims else HINT_DEFAULT
    analysis = session.analyze(view, limits=limits, stop=stop)
    explanation = explained(analysis, session.rollout)
    scored = ScoredView(table, view.position)
    return {
        "type": "bestmove",
        "move": str(analysis.best),
        "words": advice(scored, analysis, explanation, names),
        **ranked_moves(analysis, scored.words),
    }
