"""A game of Masons as a Python object: it takes moves, rolls and cards, and logs the events.

>>> game = Game(players=2, seed=7)
>>> game.phase, game.seat, len(game.legal_moves())
('wall', 0, 170)
>>> game.apply("wall:57")
>>> game.phase
'towers'
>>> game.apply(game.legal_moves()[0])
>>> game.undo()
>>> game.phase
'towers'
>>> game.view(1).hands[0]
6
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from masons.engine.board.components import (
    CARDS,
    HAND,
    HOUSE_DIE,
    MAX_PLAYERS,
    MIN_PLAYERS,
    TOWER_DIE,
)
from masons.engine.board.geometry import Board, load_board, sound_board
from masons.engine.checks import check_any_whole, check_flag, check_whole, shown, whole
from masons.engine.errors import MasonsError, MoveError, PositionError
from masons.engine.formats.move_text import (
    Move,
    card_number,
    move_given,
)
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.formats.record_events import Deck, Event, Log, move_events, roll_event
from masons.engine.game.chance import ALL_KINDS, Chance, chance_given
from masons.engine.game.observation import Observation, view_of
from masons.engine.game.table import KeptHistory, Moment, Table
from masons.engine.rules.transitions import apply_move, give_card, give_roll
from masons.engine.rules.turns import winners_of
from masons.engine.state import layout
from masons.engine.state.derive import deal_hands, empty_state
from masons.engine.state.packed_move import NO_DECISION
from masons.engine.state.position import (
    Position,
    Roll,
    byte_in,
    kinds,
    phase_of,
    scores_in,
    standing_towers,
    unpack_state,
)
from masons.engine.state.position_checks import settle_position
from masons.engine.state.position_counts import check_counts


@dataclass(frozen=True)
class Result:
    """The result of a finished game."""

    scores: tuple[int, ...]
    hand_sizes: tuple[int, ...]
    winners: tuple[int, ...]  # several seats if they share the victory
    end: str  # the reason: walls, towers, houses, palaces or no-line


def check_seat(name: str, seat: object, players: int, what: str = "from") -> int:
    """Return the number of a seat; raise MasonsError if there is no such seat.

    In the error message, the range of valid numbers (such as "0 to 3") follows `what`.
    """
    return check_whole(name, seat, 0, players - 1, f"{what} 0 to {players - 1}")


def seed_given(seed: object, chance: object) -> int | None:
    """Return the seed as an int.

    If `seed` is None, returns a random seed, or None if `chance` is given. Raises MasonsError if
    the seed is not a whole number.
    """
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0]) if chance is None else None
    return check_any_whole("seed", seed, "a whole number or None")


def _hands_given(hands: Sequence[Sequence[str]], players: int) -> tuple[list[list[int]], list[int]]:
    """Return the kinds dealt to each seat, and the kinds left in the deck in ascending order.

    Raises MasonsError if the hands cannot have been dealt.
    """
    try:
        dealt = [[card_number(name) for name in hand] for hand in hands]
    except TypeError:
        raise MasonsError(
            f"hands is {shown(hands)}: it must be a hand of card names for each seat"
        ) from None
    except MoveError as error:
        raise MasonsError(f"hands: {error}") from None
    if (
        any(isinstance(hand, str) for hand in hands)
        or [len(hand) for hand in dealt] != [HAND] * players
    ):
        raise MasonsError(f"hands must be {players} hands of {HAND} cards")
    left = list(ALL_KINDS)
    for kind in (kind for hand in dealt for kind in hand):
        if kind not in left:
            raise MasonsError(f"{CARDS[kind]} is dealt three times: there are two of each")
        left.remove(kind)
    return dealt, left


class Game:
    """A game that begins with the deal or from a position.

    Equal values of `seed` (modulo 2^64) give the same dice and cards; None stands for a random
    seed. `chance` replaces the seed: with `Outside()`, the game waits for `give_roll` and
    `give_card`. Raises MasonsError or a subclass of it for impossible arguments.

    The attributes `players`, `seed`, `first` and `early_roll` are the arguments, and `table` is the
    board prepared for players and searches. `print(game)` draws the board and the scores, without
    hands. `copy` makes an independent game, and `masons.replay_to` a game from a point of a record;
    both can be played on.
    """

    def __init__(
        self,
        players: int = 2,
        *,
        board: str | Path | Board = "classic",
        seed: int | None = None,
        first: int = 0,
        early_roll: bool = False,
        chance: Chance | None = None,
        hands: Sequence[Sequence[str]] | None = None,
    ) -> None:
        self.players = check_whole("players", players, MIN_PLAYERS, MAX_PLAYERS, "2, 3 or 4")
        self.first = check_seat("first", first, self.players, "a seat from")
        self.seed = seed_given(seed, chance)
        self._chance = chance_given(chance, self.seed)
        self.table = Table(sound_board(board))
        self.early_roll = check_flag("early_roll", early_roll)
        self._state = empty_state(
            self.table.packed, self.players, first=self.first, early_roll=self.early_roll
        )
        self._deal(hands)

    def _deal(self, hands: Sequence[Sequence[str]] | None) -> None:
        """Deal the given hands, or six cards to each seat from the top of a shuffled deck."""
        if hands is None:
            order = self._chance.shuffle(ALL_KINDS)
            if order is None:
                raise MasonsError("chance from outside needs hands: the cards that were dealt")
            dealt = [order[HAND * seat : HAND * (seat + 1)] for seat in range(self.players)]
            left = order[HAND * self.players :]
            deck = Deck(left, left)
        else:
            dealt, left = _hands_given(hands, self.players)
            deck = Deck(left, self._chance.shuffle(left))
        deal_hands(self._state, dealt)
        self._begin(deck, dealt, is_new=True)

    def _begin(self, deck: Deck, hands: Sequence[Sequence[int]], *, is_new: bool) -> None:
        """Set up the log and the action history.

        `is_new` is true if no seat has decided anything yet.
        """
        self._hands = hands
        self._log = Log(deck)
        self._past: list[Moment] = []
        self._history = KeptHistory(self.table, is_new=is_new)

    @classmethod
    def from_position(
        cls,
        text: str | Position,
        *,
        board: str | Path | Board | None = None,
        seed: int | None = None,
        chance: Chance | None = None,
    ) -> Game:
        """Return a game that continues from a complete position; such a game has no record.

        From a view, `from_position(position.dealt())` continues with hidden hands dealt at random.
        `board` is needed for a Position on another board than `classic`, and for a text if the
        board is not built in. Raises PositionError if `text` is not a valid position, and
        MasonsError if a hand is hidden.
        """
        known = None if board is None else sound_board(board)
        if isinstance(text, str):
            known, position = parse_position(text, known)
        elif isinstance(text, Position):
            known = known or load_board("classic")
            check_counts(known, position := settle_position(known, text))
        else:
            raise PositionError(f"{shown(text)} is not a position: give its text or a Position")
        if not position.is_complete:
            raise MasonsError(
                "a game needs every hand, and this position hides some: deal them at random with "
                "position.dealt(), or for a view of it use masons.Observation.from_text(text)"
            )
        return cls._of_settled(position, known, seed, chance)

    @classmethod
    def _of_settled(cls, position: Position, board: Board, seed: Any, chance: Any) -> Game:
        """Return a game that continues from a settled position, even one that no game can reach."""
        game = cls.__new__(cls)
        game.table = Table(board)
        game.players = position.players
        game.first = (position.active - position.turn) % position.players
        game.early_roll = position.early_roll
        game.seed = seed_given(seed, chance)
        game._chance = chance_given(chance, game.seed)
        game._state = game.table.state_of_settled(position)
        left = kinds(int(game._state[int(layout.DECK)]))
        is_new = position.phase == "wall" and not position.walls
        game._begin(Deck(left, game._chance.shuffle(left)), (), is_new=is_new)
        game._settle()
        return game

    # --- properties and views

    @property
    def board(self) -> Board:
        """The board of the game."""
        return self.table.board

    @property
    def phase(self) -> str:
        """The phase: wall, towers, houses, merge, score, swap, final, roll, draw or over."""
        return phase_of(self._state)

    @property
    def seat(self) -> int:
        """The seat that decides or draws."""
        return byte_in(self._state, layout.SEAT)

    @property
    def active(self) -> int:
        """The seat whose turn it is."""
        return byte_in(self._state, layout.ACTIVE)

    @property
    def rolls_tower(self) -> bool:
        """True if a roll is due and includes the tower die."""
        return self.phase == "roll" and self._rolls_tower()

    @property
    def scores(self) -> tuple[int, ...]:
        """The points of each seat."""
        return scores_in(self._state, self.players)

    @property
    def decisions(self) -> int:
        """The number of decisions made so far."""
        return len(self._past)

    @property
    def is_over(self) -> bool:
        """True once the game has ended and the final scoring is complete."""
        return self.phase == "over"

    @property
    def position(self) -> Position:
        """The complete position, with all hands."""
        return unpack_state(self._state)

    @property
    def text(self) -> str:
        """The complete position as one line of text."""
        return format_position(self.position, self.board)

    @property
    def state(self) -> layout.State:
        """A copy of the packed state, for kernels."""
        return self._state.copy()

    def view(self, seat: int) -> Position:
        """Return the position as a seat sees it."""
        return self.observe(seat).position

    def observe(self, seat: int) -> Observation:
        """Return a seat's view, ready for a search or a player.

        Call this method from the thread that plays the game, because it updates the action history.
        """
        number = check_seat("seat", seat, self.players)
        return view_of(self._state, number, self._history.after(self._past), self.board)

    def hand(self, seat: int) -> tuple[str, ...]:
        """Return the names of a seat's cards, such as `land-red`."""
        number = check_seat("seat", seat, self.players)
        return tuple(CARDS[kind] for kind in kinds(int(self._state[int(layout.HANDS) + number])))

    def legal_moves(self) -> Sequence[Move]:
        """Return the legal moves, or none if the game waits for chance or is over."""
        return self.table.moves_of_sound(self._state)

    def is_legal(self, move: Move | str) -> bool:
        """Return whether a move is legal now; no number but that of a Move is.

        In the final scoring, a move may name any city (see `Table.is_legal`). Raises MoveError for
        a text that is not a move.
        """
        return self.table.is_legal(self._state, move, self.legal_moves())

    @property
    def result(self) -> Result | None:
        """The result of a finished game, or None while the game goes on."""
        if not self.is_over:
            return None
        position = self.position
        winners = winners_of(position.scores, position.hand_sizes)
        return Result(position.scores, position.hand_sizes, winners, position.end)

    @property
    def events(self) -> list[Event]:
        """The events so far, in the format of a record."""
        return self._log.events()

    @property
    def log(self) -> Log:
        """The log of the game's events and decks."""
        return self._log

    @property
    def hands_dealt(self) -> tuple[tuple[int, ...], ...]:
        """The cards dealt to each seat, as indices in `masons.CARDS`.

        The tuple is empty for a game from a position.
        """
        return tuple(tuple(hand) for hand in self._hands)

    @property
    def moves(self) -> list[Move]:
        """The decisions made so far."""
        return [moment.move for moment in self._past]

    def _repr_svg_(self) -> str:
        """Return a picture for notebooks, with the board and the scores but no hands."""
        from masons.engine.board.board_svg import board_svg
        from masons.engine.formats.text_board import position_title
        from masons.engine.state.position import picture_of

        position = self.position
        return board_svg(self.board, picture_of(position), title=position_title(position))

    def __str__(self) -> str:
        """Return a drawing of the board as text, with the scores but no hands."""
        from masons.engine.formats.text_board import draw_position

        return draw_position(self.board, self.position.observed_by(None))

    def __repr__(self) -> str:
        """Return the number of players, the board, the turn, the decision and the scores."""
        from masons.engine.formats.text_board import position_title

        about = f"{self.players} players on {shown(self.board.name)}"
        return f"<Game: {about}, {position_title(self.position)}>"

    # --- moving on

    def apply(self, move: Move | str) -> None:
        """Make a move, then continue with dice, cards and forced placings up to the next decision.

        Raises MoveError for a text that is not a move, and for a move that is not legal now.
        """
        self.apply_legal(self.legal_move(move))

    def legal_move(self, move: Move | str) -> Move:
        """Return a move that may be given as text, after checking that it is legal now.

        Raises MoveError, which says why, if it is not, and for a text that is not a move.
        """
        chosen = move_given(move, self.board)
        if not self.is_legal(chosen):
            raise MoveError(self.table.refusal(self._state, chosen))
        return chosen

    def apply_legal(self, move: Move) -> None:
        """Make a move that is known to be legal, and continue like `apply`.

        Nothing checks that the move is legal. Raises MoveError for anything but a Move.
        """
        if not isinstance(move, Move):
            raise MoveError(f"{shown(move)} is not a Move: give one of legal_moves(), or use apply")
        self._past.append(Moment(move, self._state.copy(), self._log.copy(), self._chance.mark()))
        self._make(move)
        self._settle()

    def give_roll(self, tower: str | None, first: str, second: str) -> None:
        """Report a roll if chance comes from outside.

        `tower` is a tower color, or None if the tower die is not rolled. `first` and `second` are
        faces of the house dice. Raises MoveError if no such roll is due.
        """
        if self.phase != "roll":
            raise MoveError(f"no roll is due: {self._wanted()}")
        house_faces = f"one of {', '.join(HOUSE_DIE)}"
        for name, face, faces, what in (
            ("tower", tower, (*TOWER_DIE, None), f"one of {', '.join(TOWER_DIE)}, or None"),
            ("first", first, HOUSE_DIE, house_faces),
            ("second", second, HOUSE_DIE, house_faces),
        ):
            if not isinstance(face, str | None) or face not in faces:
                raise MoveError(f"{name} is {shown(face)}: it must be {what}")
        if (tower is not None) != self._rolls_tower():
            needed = "is not" if tower is not None else "is"
            raise MoveError(f"the tower die {needed} rolled for this wall")
        die = None if tower is None else TOWER_DIE.index(tower)
        self._roll((die, HOUSE_DIE.index(first), HOUSE_DIE.index(second)))
        self._settle()

    def give_card(self, name: str) -> None:
        """Report the card that `seat` drew, if chance comes from outside.

        Raises MoveError if no card is due, or if the deck does not contain the card.
        """
        if self.phase != "draw":
            raise MoveError(f"no card is due: {self._wanted()}")
        kind = card_number(name)
        if kind not in kinds(int(self._state[int(layout.DECK)])):
            raise MoveError(f"{name} is not in the deck")
        self._draw(kind)
        self._settle()

    def undo(self, count: int = 1) -> None:
        """Take back decisions, together with the dice and cards that followed them.

        If the same decisions are made again, the same dice and cards follow; those from outside
        must be given again. Raises MoveError if fewer than `count` decisions were made.
        """
        number = whole(count)
        if number is None or not 0 <= number <= len(self._past):
            made = len(self._past)
            right = f"from 0 to {made}, the number of decisions made so far"
            raise MoveError(f"count is {shown(count)}: it must be {right}")
        if number:
            moment = self._past[-number]
            del self._past[-number:]
            self._state, self._log = moment.state.copy(), moment.log.copy()
            self._history.forget(len(self._past))
            self._chance.back(moment.rng)

    def copy(self) -> Self:
        """Return an independent game at the same point, with the same dice and cards to come.

        For other dice and cards, use `from_position(game.text, seed=...)`. `copy.copy` does the
        same as this method, and games can be deep-copied and pickled.
        """
        other = type(self).__new__(type(self))
        vars(other).update(vars(self))
        other.table = Table(self.board)
        other._state, other._log = self._state.copy(), self._log.copy()
        other._past = list(self._past)
        other._history = self._history.copy(other.table)
        other._chance = deepcopy(self._chance)
        return other

    __copy__ = copy

    def _wanted(self) -> str:
        phase = self.phase
        return NO_DECISION.get(phase, f"seat {self.seat} has a {phase} decision")

    def _make(self, move: Move) -> None:
        """Apply one move or forced placing and log its events."""
        before = self._state.copy()
        apply_move(self._state, self.table.packed, np.uint64(move))
        self._log.add(move_events(before, self._state, move))
        if before[int(layout.DECK)] == 0 and self._state[int(layout.DECK)] != 0:
            self._reshuffle()
        if self.phase != "draw":
            self._log.draws_done()

    def _reshuffle(self) -> None:
        cards = kinds(int(self._state[int(layout.DECK)]))
        self._log.shuffled(Deck(cards, self._chance.shuffle(cards)))

    def _draw(self, kind: int) -> None:
        last = len(kinds(int(self._state[int(layout.DECK)]))) == 1
        give_card(self._state, kind)
        self._log.drew(kind)
        if self.phase != "draw":
            self._log.draws_done()
        if last and self._state[int(layout.DECK)] != 0:
            self._reshuffle()

    def _rolls_tower(self) -> bool:
        ends = self.board.line_towers[byte_in(self._state, layout.LINE)]
        return not standing_towers(self._state).issuperset(ends)

    def _roll(self, roll: Roll) -> None:
        die = int(layout.NONE) if roll[0] is None else roll[0]
        give_roll(self._state, self.table.packed, die, roll[1], roll[2])
        self._log.add([roll_event(roll)])

    def _settle(self) -> None:
        """Roll, draw and make forced placings until a decision or an outside report is due."""
        while True:
            phase = self.phase
            if phase == "roll":
                roll = self._chance.roll(self._rolls_tower())
                if roll is None:
                    return
                self._roll(roll)
            elif phase == "draw":
                card = self._log.decks[-1].top
                if card is None:
                    return
                self._draw(card)
            elif phase in ("towers", "houses") and len(moves := self.legal_moves()) == 1:
                self._make(moves[0])
            else:
                return
