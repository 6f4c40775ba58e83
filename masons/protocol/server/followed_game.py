"""The game as the engine knows it from positions and events, with answers to queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from masons.ai.beliefs.hand_estimates import belief
from masons.engine.board.components import CARDS, MAX_PLAYERS, MIN_PLAYERS
from masons.engine.board.geometry import Board, builtin_boards, load_board
from masons.engine.errors import MasonsError, MoveError
from masons.engine.files import refuse_special
from masons.engine.formats.move_text import Move, format_move
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.game.move_lists import Swaps
from masons.engine.game.observation import Observation
from masons.engine.game.observer import Observer
from masons.engine.game.table import Table
from masons.engine.plain_text import joined
from masons.engine.state.packed_move import DECISIONS, NO_DECISION
from masons.engine.state.position import Position
from masons.protocol.messages.error_codes import Refused
from masons.protocol.messages.seat_events import Moved, Rolled, parse_event, result_words
from masons.protocol.server.parsed_commands import parse_moves

MAX_LISTED: Final = 10_000
QUERIES: Final = ("legal", "tomove", "phase", "scores", "result", "view", "svg")


@dataclass(frozen=True)
class AnnouncedGame:
    """The content of a `newgame` line."""

    players: int
    seat: int
    board: Board
    early_roll: bool
    board_file: str | None  # None for a built-in board


def parse_new_game(text: str) -> AnnouncedGame:
    """Parse the words after `newgame`. Raises Refused."""
    words = text.split()
    values = dict(zip(words[::2], words[1::2], strict=False))
    needed = {"players", "seat", "board"}
    if len(words) != 2 * len(values) or not needed <= set(values) <= needed | {"options"}:
        raise Refused("syntax", "write newgame players N seat S board B [options early_roll]")
    players = _small(values["players"], "players", MIN_PLAYERS, MAX_PLAYERS)
    seat = _small(values["seat"], "seat", 0, players - 1)
    if values.get("options", "early_roll") != "early_roll":
        raise Refused("illegal", "options: early_roll is the only one")
    name = values["board"]
    try:
        if name not in builtin_boards():
            refuse_special(name)
        board = load_board(name)
    except MasonsError as error:
        raise Refused("illegal", str(error)) from None
    file = None if board.name == name else name
    return AnnouncedGame(players, seat, board, "options" in values, file)


def _small(text: str, what: str, low: int, high: int) -> int:
    if text not in map(str, range(low, high + 1)):
        raise Refused("illegal", f"{what} must be a number from {low} to {high}")
    return int(text)


def _check_agreement(position: Position, announced: AnnouncedGame) -> None:
    """Raise MoveError if a position differs from the announced game."""
    if position.players != announced.players:
        said = announced.players
        raise MoveError(f"the position has {position.players} players, newgame said {said}")
    if position.early_roll != announced.early_roll:
        raise MoveError("the position and newgame differ in the option early_roll")


class FollowedGame:
    """A game as the engine's seat knows it."""

    def __init__(self, new_game: AnnouncedGame | None = None) -> None:
        self.new_game = new_game
        self._game: Observer | None = None
        self._whole: str | None = None  # the text of a position that shows every hand

    @property
    def game(self) -> Observer:
        """The game. Raises Refused if no position has been sent."""
        if self._game is None:
            raise Refused("state", "there is no position: send one first")
        return self._game

    @property
    def players(self) -> int | None:
        """The number of seats, or None if it is not known yet."""
        if self.new_game is not None:
            return self.new_game.players
        return None if self._game is None else self._game.players

    @property
    def table(self) -> Table:
        """The table of the game's board."""
        return self.game.table

    @property
    def view(self) -> Observation:
        """The position as the seat sees it."""
        return self.game.observation

    # --- positions and events

    def place(self, text: str) -> None:
        """Set the position. If this raises Refused, the earlier position stays."""
        if self._game is not None and text == self._text():
            # Keep the observer, because it also knows the choices that led to this position.
            self._whole = text if self.view.position.is_complete else None
            return
        announced, board = self.new_game, None
        if announced is not None:
            board = announced.board
        elif self._game is not None and f"board={self._game.board.name}" in text.split():
            board = self._game.board  # saves loading the same board again
        try:
            board, position = parse_position(text, board)
            if announced is not None:
                _check_agreement(position, announced)
            own_seat = position.seat if announced is None else announced.seat
            game = Observer.of(board, position, own_seat)
        except MasonsError as error:
            raise Refused("illegal", str(error)) from None
        self._game = game
        self._whole = format_position(position, board) if position.is_complete else None

    def take_event(self, text: str) -> None:
        """Carry out an event. If this raises Refused, the game is unchanged."""
        game = self.game
        try:
            step = parse_event(text)
        except MoveError as error:
            raise Refused("syntax", str(error)) from None
        try:
            if isinstance(step, Moved):
                game.follow_move(step.seat, step.move)
            elif isinstance(step, Rolled):
                game.give_roll(step.tower, step.first, step.second)
            else:
                game.follow_draw(step.seat, step.card)
        except MoveError as error:
            raise Refused("illegal", str(error)) from None
        self._whole = None

    # --- queries

    def ask(self, what: str) -> str:
        """Return the answer to a `query`. Raises Refused."""
        word, *named = what.split() or [""]
        if word not in QUERIES or (named and word != "legal"):
            raise Refused("unknown", f"no query {what[:40]!r}: there are {', '.join(QUERIES)}")
        game = self.game
        answer = ""
        if named:
            moves = parse_moves(word, named)
            listed = listed_names(self.table, self.view, self._legal(), moves)
            answer = " ".join(map(format_move, listed))
        elif what == "legal":
            answer = " ".join(map(format_move, self.legal()))
        elif what == "tomove":
            answer = str(game.seat) if game.phase in DECISIONS else "none"
        elif what == "phase":
            answer = game.phase
        elif what == "scores":
            answer = joined(game.scores)
        elif what == "result":
            answer = "none" if game.result is None else result_words(game.result)
        elif what == "view":
            answer = self._text()
        elif what == "svg":
            from masons.engine.board.board_svg import board_svg
            from masons.engine.state.position import picture_of

            answer = board_svg(game.board, picture_of(self.view.position))
        return f"{word} {answer}".rstrip()

    def legal(self) -> list[Move]:
        """Return the legal moves. Raises Refused if they are unknown or too many to list."""
        moves = self._legal()
        if len(moves) > MAX_LISTED:
            raise Refused("state", f"there are {len(moves)} moves: too many to list")
        return list(moves)

    def _legal(self) -> Sequence[Move]:
        """Return the legal moves, however many. Raises Refused if they are unknown."""
        game = self.game
        if not game.is_known and game.phase in DECISIONS:
            raise Refused("state", f"the hand of seat {game.seat}, which decides, is hidden")
        return game.legal_moves()

    def check_decides(self) -> None:
        """Raise Refused if the engine's seat has no decision to make."""
        game = self.game
        if game.phase in NO_DECISION:
            raise Refused("state", f"there is nothing to decide: {NO_DECISION[game.phase]}")
        if game.seat != game.own_seat:
            raise Refused(
                "state", f"seat {game.seat} decides ({game.phase}), not seat {game.own_seat}"
            )

    def whole(self) -> tuple[str, str | None]:
        """Return the text of the position with all hands, and the file of its board.

        The file is None for a built-in board. Raises Refused if there is no position or a hand is
        hidden.
        """
        _ = self.game  # raises Refused if there is no position
        if self._whole is None:
            raise Refused("state", "perft needs a position that shows every hand")
        return self._whole, None if self.new_game is None else self.new_game.board_file

    def cards(self) -> list[tuple[str, int, int]]:
        """Return (name, copies, points) for each kind of card in the seat's hand.

        `points` is the number of points that one copy would score now.
        """
        position = self.view.position
        points = self.table.card_points(self.view.state, position.city)
        hand = position.hands[self.game.own_seat]
        assert not isinstance(hand, int)
        return [(CARDS[kind], hand.count(kind), points[kind]) for kind in sorted(set(hand))]

    def _text(self) -> str:
        return format_position(self.view.position, self.game.board)


def listed_names(
    table: Table, view: Observation, legal: Sequence[Move], moves: Sequence[Move]
) -> list[Move]:
    """Return moves by the names that they have in `legal`, the list of legal moves.

    Raises Refused if one of them is not legal.
    """
    state = view.state
    known = legal if isinstance(legal, Swaps) else frozenset(legal)
    for move in moves:
        if not table.is_legal(state, move, known):
            raise Refused("illegal", table.refusal(state, move))
    return [table.listed_as(state, move) for move in moves]


def belief_lines(view: Observation, own_seat: int, seat: str) -> Iterator[str]:
    """Yield the lines that answer `belief` for a seat.

    If `seat` is an empty string, yield a line for every seat but `own_seat`. Raises Refused if
    there is no such seat.
    """
    seats = [number for number in range(view.players) if number != own_seat]
    if seat:
        if seat not in map(str, range(view.players)):
            raise Refused("illegal", f"belief needs a seat from 0 to {view.players - 1}")
        seats = [int(seat)]
    for number in seats:
        kinds = [
            f" {CARDS[held.kind]}={held.expected:.4f}/{held.probability:.4f}"
            for held in belief(view, number)
            if held.probability > 0
        ]
        size = view.position.hand_sizes[number]
        yield f"response belief {number} cards {size}{''.join(kinds)}"
