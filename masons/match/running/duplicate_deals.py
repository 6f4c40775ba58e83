"""Duplicate deals, which give the same dice and cards to each game of a block, as in bridge.

The dice and cards of a game follow from its seed. A roll depends only on the seed, the seat and the
number of the seat's turn. Each seat has a separate order of all 60 cards, which depends only on the
seed, the seat and the number of reshuffles so far. A seat draws the first card of its order that is
still in the deck, so its draws depend little on the draws of other seats. Every card of the deck is
equally likely to be drawn, because the orders are independent of each other and of the play.

Random words come from SHA-256 in counter mode, so they are the same on every machine and in every
version. For BLOCK 0, 1 and so on, `sha256("masons-luck 1 LABEL NUMBER NUMBER... BLOCK")` gives four
64-bit big-endian words. A random number below n is the upper half of the 128-bit product of a word
and n.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Final

from masons.engine.board.components import CARD_COPIES, CARDS, DECK, HAND, HOUSE_DIE, TOWER_DIE
from masons.engine.board.geometry import Board
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.state import layout

_WORD_BYTES: Final = 8


def words(label: str, *key: int) -> Iterator[int]:
    """Yield random 64-bit words without end. Each `label` and `key` has its own series."""
    name = " ".join(("masons-luck 1", label, *map(str, key)))
    block = 0
    while True:
        digest = sha256(f"{name} {block}".encode("ascii")).digest()
        for start in range(0, len(digest), _WORD_BYTES):
            yield int.from_bytes(digest[start : start + _WORD_BYTES], "big")
        block += 1


def derived_seed(label: str, *key: int) -> int:
    """Return a random 64-bit seed. Each `label` and `key` has its own seed."""
    return next(words(label, *key))


def _below(source: Iterator[int], n: int) -> int:
    return next(source) * n >> 64


def shuffled(cards: Sequence[int], label: str, *key: int) -> list[int]:
    """Return the cards in random order (Fisher and Yates)."""
    source = words(label, *key)
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        other = _below(source, last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def dealt_hands(seed: int, players: int) -> list[list[int]]:
    """Return the cards dealt to each seat, numbered 0 to 59. A card's kind is card // 2."""
    order = shuffled(range(DECK), "deal", seed)
    return [order[HAND * seat : HAND * (seat + 1)] for seat in range(players)]


def dice_of(seed: int, seat: int, turn: int) -> tuple[str, str, str]:
    """Return the tower die and the two house dice of a seat's turn. Turns count from 0."""
    source = words("dice", seed, seat, turn)
    tower = TOWER_DIE[_below(source, len(TOWER_DIE))]
    first, second = (HOUSE_DIE[_below(source, len(HOUSE_DIE))] for _ in range(2))
    return tower, first, second


class DealtDeck:
    """A shuffled deck, from which each seat draws in a separate order."""

    def __init__(self, seed: int, reshuffles: int, cards: Iterable[int]) -> None:
        self._key = (seed, reshuffles)
        self._left = set(cards)
        self._orders: dict[int, list[int]] = {}  # each seat's order, with the last card first

    def draw(self, seat: int) -> int:
        """Draw the first card of the seat's order that is still in the deck."""
        if seat not in self._orders:
            seed, reshuffles = self._key
            self._orders[seat] = shuffled(range(DECK), "draw", seed, seat, reshuffles)[::-1]
        order = self._orders[seat]
        # Drop drawn cards from the order, because they never return to this deck.
        while (card := order.pop()) not in self._left:
            pass
        self._left.remove(card)
        return card


class DuplicateDeal:
    """The dice and cards of one game, with the methods that deal, roll and draw."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._deck = DealtDeck(seed, 0, ())
        self._decks = 1  # the number of decks shuffled so far

    def new_game(
        self, players: int, *, board: Board, first: int = 0, early_roll: bool = False
    ) -> Game:
        """Deal the hands and return a new game. Call `settle` to roll and draw in it."""
        hands = dealt_hands(self.seed, players)
        self._deck = DealtDeck(self.seed, 0, set(range(DECK)).difference(*hands))
        self._decks = 1
        return Game(
            players,
            board=board,
            first=first,
            early_roll=early_roll,
            chance=Outside(),
            hands=[[CARDS[card // CARD_COPIES] for card in hand] for hand in hands],
        )

    def settle(self, game: Game) -> None:
        """Roll and draw until the next decision or the end of the game.

        `game` is modified in place.
        """
        while game.phase in ("roll", "draw"):
            if game.phase == "roll":
                turn = int(game.state[int(layout.TURN)]) // game.players
                tower, first, second = dice_of(self.seed, game.active, turn)
                game.give_roll(tower if game.rolls_tower else None, first, second)
            else:
                self._draw(game)

    def _draw(self, game: Game) -> None:
        if len(game.log.decks) != self._decks:
            self._decks = len(game.log.decks)
            # All hands are known, so the unseen cards are the deck. Copies are interchangeable.
            kinds = game.position.unseen
            cards = (CARD_COPIES * kind + kinds[:i].count(kind) for i, kind in enumerate(kinds))
            self._deck = DealtDeck(self.seed, self._decks - 1, cards)
        game.give_card(CARDS[self._deck.draw(game.seat) // CARD_COPIES])
