"""A line of positions to study, from a position text or a record, with a variation.

A record contains every choice, so a search at a step of a record estimates the other hands from the
earlier choices. In a variation a search uses the position alone. A variation of a record keeps the
order of the deck, takes its dice from a fixed seed, and has its own record. The hidden hands of a
position are dealt from that seed as soon as a move is tried. A search never sees these hands.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from masons.engine.errors import MasonsError, RecordError
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import is_position, parse_position
from masons.engine.formats.record_endings import Stopped
from masons.engine.game.chance import Seeded
from masons.engine.game.game import Game
from masons.engine.game.record import game_record, parse_record
from masons.engine.game.replay import Replay
from masons.engine.plain_text import distinct_names, plain_name
from masons.gui.background import Declined, declined_as
from masons.gui.position_messages import names_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.engine.board.geometry import Board
    from masons.engine.formats.record_endings import Forfeit
    from masons.engine.formats.record_events import Event
    from masons.engine.game.observation import Observation
    from masons.engine.game.table import Table
    from masons.engine.state.position import Position

_MOST_GAMES: Final = 10_000
_SEED: Final = 0


@dataclass(frozen=True)
class StudyStep:
    """A position, the events that led to it, and the move that was made in it."""

    position: Position
    events: tuple[Event, ...] = ()  # the events that led to the position
    played: str | None = None


class StudyLine:
    """The main line, and the variation that leaves it, if any."""

    def __init__(self, text: str, board: Board, game: int = 1) -> None:
        """Read a text; `game` is the number of the record to study, from 1.

        Raises MasonsError if the text is neither a position nor records.
        """
        self.board = board
        self.names: list[str] = []
        self.record: dict[str, Any] | None = None
        self.games = 0
        self.branch_at: int | None = None
        self.branch: list[StudyStep] = []
        self._varied: Game | None = None  # the game of the variation, at its end
        self._forfeits: Sequence[Forfeit] = ()  # those of the record
        self._earlier_forfeits: list[Forfeit] = []  # those before the variation
        lines = text.strip().removeprefix("\ufeff").splitlines()
        text = "\n".join(line for line in lines if line.strip() and line.lstrip()[0] != "#")
        if is_position(text):
            of_text, position = parse_position(text, None if "board=classic" in text else board)
            if of_text.name != board.name:
                raise MasonsError(f"the position is on the board {of_text.name}, not {board.name}")
            self.main = [StudyStep(position)]
        elif text.startswith("{"):
            self._read(text, game)
        else:
            raise MasonsError(
                "this is neither a position (masons1 board=...) nor a record, one game a line"
            )
        if not self.names:
            self.names = _names(self.main[0].position)

    def _read(self, text: str, game: int) -> None:
        lines = [line for line in text.splitlines() if line.strip()][:_MOST_GAMES]
        self.games = len(lines)
        if not 1 <= game <= len(lines):
            raise RecordError(f"there is no game {game}: they are 1 to {len(lines)}")
        self.record = parse_record(lines[game - 1])
        board = None if self.record.get("board") != self.board.name else self.board
        replay = Replay(self.record, board)
        if replay.game.board.name != self.board.name:
            raise RecordError(f"the record is on another board than {self.board.name}")
        self.names = distinct_names([plain_name(str(name)) for name in self.record["names"]])
        self._forfeits = replay.forfeits
        self.main = [StudyStep(replay.game.position)]
        logged = len(replay.game.log)
        while not replay.is_done:
            replay.step()
            made = replay.game
            events = tuple(made.log.events(logged))
            logged = len(made.log)
            self.main[-1] = replace(self.main[-1], played=str(made.moves[-1]))
            self.main.append(StudyStep(made.position, events))

    @property
    def is_over(self) -> bool:
        """True if the main line is a game that nobody will go on with, so no hand is secret."""
        if self.record is None:
            return False
        stopped = self.record.get("stopped") or {}
        return self.record["result"] is not None or stopped.get("why") in ("resigned", "forfeit")

    @property
    def steps(self) -> list[StudyStep]:
        """The main line, or its beginning (up to `branch_at`) followed by the variation."""
        if self.branch_at is None:
            return self.main
        return [*self.main[: self.branch_at + 1], *self.branch]

    @property
    def moves(self) -> list[str]:
        """The moves of the variation."""
        made = [] if self._varied is None else self._varied.moves
        return [str(move) for move in made[len(made) - len(self.branch) :]]

    @property
    def forfeited(self) -> list[int]:
        """The seats that have forfeited by the end of the line."""
        forfeits = self._forfeits if self.branch_at is None else self._earlier_forfeits
        return [forfeit.seat for forfeit in forfeits]

    def view(self, at: int, table: Table) -> Observation:
        """Return the deciding seat's view at a step. Raises MasonsError if no seat decides."""
        position = self.steps[at].position
        if position.phase in ("roll", "draw", "over"):
            raise Declined("illegal", "there is nothing to decide here", "nothing")
        is_main = self.branch_at is None or at <= self.branch_at
        if self.record is not None and is_main:
            replay = Replay(self.record, self.board)
            replay.go_to(at + 1)
            return replay.game.observe(replay.game.seat)
        with declined_as("hidden"):
            return table.view(position.observed_by(position.seat))

    def play(self, at: int, move: str) -> int:
        """Make a move at a step; return the number of the next step. Raises MasonsError."""
        chosen = str(parse_move(move))
        steps = self.steps
        if at < len(steps) - 1 and steps[at].played == chosen:
            return at + 1
        branch_at = at if self.branch_at is None else min(at, self.branch_at)
        game = self._left_at(branch_at)
        branch: list[StudyStep] = []
        for each in (*self.moves[: at - branch_at], chosen):  # the dice are the same again
            if branch:
                branch[-1] = replace(branch[-1], played=each)
            logged = len(game.log)
            with declined_as("move"):
                game.apply(each)
            branch.append(StudyStep(game.position, tuple(game.log.events(logged))))
        self.branch_at, self.branch, self._varied = branch_at, branch, game
        return at + 1

    def _left_at(self, at: int) -> Game:
        """Return a game at a step of the main line, from which a variation can begin."""
        chance = Seeded(_SEED + at)
        if self.record is None:
            return Game.from_position(
                _complete(self.main[at].position), board=self.board, chance=chance
            )
        replay = Replay(self.record, self.board)
        replay.go_to(at + 1)
        self._earlier_forfeits = [each for each in replay.forfeits if each.event <= replay.index]
        return replay.played_on(chance, keeps_deck=True)

    def saved(self) -> dict[str, Any]:
        """Return the record of the game, which ends with the variation if there is one.

        Raises RecordError if the deal is unknown.
        """
        if self.record is None:
            raise RecordError(
                "a position that was set up has no record, as its deal is unknown: "
                "copy the position instead"
            )
        if self._varied is None:
            return self.record
        stopped = None if self._varied.is_over else Stopped("adjourned")
        return game_record(
            self._varied, self.names, stopped=stopped, forfeits=self._earlier_forfeits
        )

    def end_variation(self) -> int:
        """Return to the main line, and return the step at which the variation began."""
        at, self.branch_at, self.branch = self.branch_at or 0, None, []
        self._varied = None
        return at


def _names(position: Position) -> list[str]:
    """Return the seats' names; whoever holds the only hand that is known is "You"."""
    seats = range(position.players)
    known = [seat for seat in seats if not isinstance(position.hands[seat], int)]
    if len(known) == 1:
        return names_for(position.players, known[0])
    return [f"seat {seat}" for seat in seats]


def _complete(position: Position) -> Position:
    """Return the position with a dealt hand in place of each hidden hand."""
    if position.is_complete:
        return position
    cards = list(position.unseen)
    random.Random(_SEED).shuffle(cards)

    def deal(count: int) -> tuple[int, ...]:
        return tuple(sorted(cards.pop() for _ in range(count)))

    hands = tuple(deal(hand) if isinstance(hand, int) else hand for hand in position.hands)
    return replace(position, hands=hands)
