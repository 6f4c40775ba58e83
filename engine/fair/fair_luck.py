"""A fair game: the program commits, the seats give nonces, and all chance comes from both.

>>> offer = FairOffer(players=2)
>>> len(offer.commitment)  # to be shown before anybody gives a nonce
64
>>> offer.give(1, "Ben's word")
>>> offer.missing
(0,)
>>> fair = offer.close()
>>> game = fair.new_game()
>>> game.seat == fair.first
True
>>> sorted(fair.public())
['commitment', 'draws_first', 'nonces', 'version']

In the end `fair.revealed(game_record(game))` is the record that anybody can verify.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from masons.engine.board.components import CARDS, MAX_PLAYERS, MIN_PLAYERS
from masons.engine.board.geometry import Board
from masons.engine.errors import MasonsError
from masons.engine.fair.fair_scheme import (
    VERSION,
    Draws,
    commitment_of,
    game_key,
    new_secret,
)
from masons.engine.fair.fair_terms import KEY, FairTerms, nonce_given, nonces_given, secret_given
from masons.engine.formats.move_text import CARD_NUMBER
from masons.engine.game.game import Game
from masons.engine.given import flag_given, one_given, whole_given
from masons.engine.state.position import Roll


class FairChance:
    """Chance of a fair game, for one `Game`: a deal, then rolls and reshuffles by their number."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._shuffles = 0  # the deal is one
        self._rolls = 0

    def shuffle(self, cards: Sequence[int]) -> list[int]:
        """The cards (kinds) in the order of the deal or of the next reshuffle."""
        purpose = "reshuffle" if self._shuffles else "deal"
        names = [CARDS[kind] for kind in cards]
        order = Draws(self._key, purpose, self._shuffles).shuffled(names)
        self._shuffles += 1
        return [CARD_NUMBER[name] for name in order]

    def roll(self, with_tower: bool) -> Roll:
        """The dice of the next roll; the house dice do not hang on whether the tower die counts."""
        self._rolls += 1
        tower, first, second = Draws(self._key, "roll", self._rolls).roll()
        return (tower if with_tower else None), first, second

    def mark(self) -> tuple[int, int]:
        """How often was shuffled and rolled."""
        return self._shuffles, self._rolls

    def back(self, mark: tuple[int, int]) -> None:
        """Let the later shuffles and rolls come again."""
        self._shuffles, self._rolls = mark


@dataclass(frozen=True)
class Fair:
    """What all chance of a fair game comes from. Raises MasonsError for impossible values.

    `secret` (32 bytes) is for nobody to see before the game is over, and is not shown by `repr`.
    `nonces` are texts of up to 200 characters in seat order, empty where a seat gives none.
    `draws_first`: who begins is drawn, too; else that was agreed before.
    """

    secret: bytes = field(repr=False)
    nonces: tuple[str, ...]
    draws_first: bool = True

    def __post_init__(self) -> None:
        secret_given(self.secret)
        object.__setattr__(self, "nonces", nonces_given(self.nonces))
        flag_given("draws_first", self.draws_first)
        if not MIN_PLAYERS <= len(self.nonces) <= MAX_PLAYERS:
            raise MasonsError(f"nonces are {len(self.nonces)}: give one for each of 2 to 4 seats")

    @property
    def terms(self) -> FairTerms:
        """All but the secret."""
        return FairTerms(VERSION, commitment_of(self.secret), self.nonces, self.draws_first)

    @property
    def first(self) -> int | None:
        """The seat that begins, where it is drawn."""
        if not self.draws_first:
            return None
        return Draws(self._key, "first").below(len(self.nonces))

    @property
    def _key(self) -> bytes:
        return game_key(self.secret, self.nonces)

    def chance(self) -> FairChance:
        """Dice and cards, from the deal on."""
        return FairChance(self._key)

    def new_game(
        self, *, board: str | Path | Board = "classic", first: int = 0, early_roll: bool = False
    ) -> Game:
        """A game that was dealt. `first` begins where that is not drawn. Raises MasonsError."""
        begins = self.first if self.draws_first else first
        return Game(
            len(self.nonces),
            board=board,
            first=0 if begins is None else begins,
            early_roll=early_roll,
            chance=self.chance(),
        )

    def public(self) -> dict[str, Any]:
        """What everybody may know while the game goes on, fit for JSON."""
        return self.terms.to_data()

    def revealed(self, record: dict[str, Any]) -> dict[str, Any]:
        """The record of the game that is over, with the secret: anybody can verify it now."""
        return self._added(record, self.secret.hex())

    def sealed(self, record: dict[str, Any]) -> dict[str, Any]:
        """The record of a game that goes on another day, without the secret."""
        return self._added(record, None)

    def _added(self, record: dict[str, Any], secret: str | None) -> dict[str, Any]:
        one_given("record", record, dict, "a dict, like game_record gives")
        return {**record, KEY: {**self.public(), "secret": secret}}


class FairOffer:
    """A fair game before it begins: its commitment stands, and seats give their nonces.

    The order is the point. `commitment` is shown to everybody first; then each seat gives a nonce,
    once, and nobody is told another's before `close`.
    """

    def __init__(self, players: int = 2) -> None:
        self.players = whole_given("players", players, MIN_PLAYERS, MAX_PLAYERS)
        self._secret = new_secret()
        self._nonces: dict[int, str] = {}

    @property
    def commitment(self) -> str:
        """The SHA-256 of the secret, 64 hexadecimal digits."""
        return commitment_of(self._secret)

    @property
    def missing(self) -> tuple[int, ...]:
        """The seats that have given no nonce yet."""
        return tuple(seat for seat in range(self.players) if seat not in self._nonces)

    def give(self, seat: int, nonce: str) -> None:
        """The nonce of a seat. Raises MasonsError, also where the seat has given one already."""
        who = whole_given("seat", seat, 0, self.players - 1)
        if who in self._nonces:
            raise MasonsError(f"seat {who} has given its nonce: it cannot be changed")
        self._nonces[who] = nonce_given(nonce)

    def close(self, *, draws_first: bool = True) -> Fair:
        """The game's chance; a seat that gave no nonce has an empty one."""
        nonces = tuple(self._nonces.get(seat, "") for seat in range(self.players))
        return Fair(self._secret, nonces, draws_first)
