"""A game as one seat can follow it, from the seat's view and from public events.

An `Observer` holds a complete game in which the hidden cards are placed arbitrarily. When a seat
shows a card that the game had placed elsewhere, the game exchanges that card with another hidden
card. The rules, the moment of each reshuffle and everything that the observing seat sees are
therefore exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from masons.engine.board.components import CARDS
from masons.engine.board.geometry import Board
from masons.engine.errors import MoveError, PositionError
from masons.engine.formats.move_text import Move
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.state import layout
from masons.engine.state.packed_move import DECISIONS, PLAY
from masons.engine.state.position import Position, kinds, one_of

_HANDS: Final = int(layout.HANDS)
_DECK: Final = int(layout.DECK)
_OPEN_PHASES: Final = ("wall", "towers", "houses", "merge")


class Observer(Game):
    """A game as the seat `own_seat` sees it: the hand of this seat and public information."""

    own_seat: int

    @classmethod
    def of(cls, board: Board, position: Position, own_seat: int) -> Observer:
        """Return an observer that follows a game on `board` from `position` on, as seat `own_seat`.

        The other hands in `position` are ignored. Raises PositionError if the position is not
        valid, if the seat does not exist or if the hand of the seat is hidden.
        """
        if not 0 <= own_seat < position.players:
            raise PositionError(
                f"seat {own_seat} does not play: there are {position.players} seats"
            )
        if isinstance(position.hands[own_seat], int):
            raise PositionError(f"the hand of seat {own_seat} is hidden: it must be known")
        whole = _dealt(position.observed_by(own_seat))
        game = cls.from_position(whole, board=board, chance=Outside())
        assert isinstance(game, Observer)
        game.own_seat = own_seat
        return game

    @property
    def observation(self) -> Observation:
        """The view of `own_seat`."""
        return self.observe(self.own_seat)

    @property
    def is_known(self) -> bool:
        """True if `own_seat` can know the legal moves of the decision that is due."""
        return self.seat == self.own_seat or self.phase in _OPEN_PHASES

    def follow_move(self, seat: int, move: Move) -> None:
        """Follow a decision of a seat.

        Raises MoveError, and changes nothing, if the decision is illegal.
        """
        if seat != self.seat or self.phase not in DECISIONS:
            raise MoveError(f"seat {seat} decides nothing now: {self._wanted()}")
        before = self._state.copy()
        try:
            if seat != self.own_seat and move.kind >= PLAY:
                self._let_hold(seat, move.cards)
            self.apply(move)
        except MoveError:
            self._state = before
            raise

    def follow_draw(self, seat: int, card: str | None) -> None:
        """Follow a seat's draw of a card; `card` is None if `own_seat` does not see the card.

        Raises MoveError if the seat does not draw now, or if it cannot draw that card.
        """
        if seat != self.seat or self.phase != "draw":
            raise MoveError(f"seat {seat} draws nothing now: {self._wanted()}")
        if card is None and seat == self.own_seat:
            raise MoveError(f"the card that seat {seat} drew must be named: the seat sees it")
        deck = kinds(int(self._state[_DECK]))
        if not deck:
            raise MoveError("there is no card to draw")
        if card is None:
            self.give_card(CARDS[deck[0]])
            return
        if CARDS.index(card) not in deck:
            self._exchange(_DECK, CARDS.index(card), keep=())
        self.give_card(card)

    def _let_hold(self, seat: int, cards: Sequence[int]) -> None:
        """Rearrange hidden cards so that the hidden hand of a seat contains given cards (kinds).

        Raises MoveError if that is impossible.
        """
        hand = _HANDS + seat
        for kind in set(cards):
            while kinds(int(self._state[hand])).count(kind) < cards.count(kind):
                self._exchange(hand, kind, keep=cards)

    def _exchange(self, place: int, kind: int, keep: Sequence[int]) -> None:
        """Exchange two hidden cards so that a card of `kind` comes to `place`.

        `place` is a word of the state (a hand or the deck). `keep` lists the kinds of card that
        must not leave `place`. Raises MoveError if no hidden card fits.
        """
        others = [_HANDS + s for s in range(self.players) if s != self.own_seat]
        for source in (_DECK, *others):
            if source != place and (hidden_card := one_of(int(self._state[source]), kind)):
                spare = _spare(int(self._state[place]), keep)
                if spare:
                    self._move(hidden_card, source, place)
                    self._move(spare, place, source)
                    return
        raise MoveError(f"{CARDS[kind]} cannot be there: seat {self.own_seat} sees both elsewhere")

    def _move(self, card: int, source: int, place: int) -> None:
        """Move a card (one bit) between two words of the state."""
        self._state[source] = np.uint64(int(self._state[source]) & ~card)
        self._state[place] = np.uint64(int(self._state[place]) | card)


def _spare(cards: int, keep: Sequence[int]) -> int:
    """Return a card (one bit) that a set can spare, or 0 if the set can spare none.

    `keep` lists the kinds of the cards that must stay in the set.
    """
    for kind in kinds(cards):
        if kinds(cards).count(kind) > list(keep).count(kind):
            return one_of(cards, kind)
    return 0


def _dealt(view: Position) -> Position:
    """Return a complete position in which hidden cards fill the hidden hands."""
    left = list(view.unseen)
    hands = []
    for hand in view.hands:
        if isinstance(hand, int):
            if hand > len(left):
                raise PositionError("the hands hold more cards than are left")
            left, hand = left[hand:], tuple(left[:hand])
        hands.append(hand)
    return replace(view, hands=tuple(hands))
