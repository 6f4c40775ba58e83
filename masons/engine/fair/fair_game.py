"""The scheme `masons-fair`, version 1, as specified in docs/fair.md. Plain Python.

>>> secret = bytes(range(32))
>>> commitment_of(secret)[:16]
'b67822e5000fa7e6'
>>> key = game_key(secret, ["left", "right"])
>>> Draws(key, "roll", 1).roll()
(2, 1, 0)
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from platformdirs import user_data_path

from masons.engine.board.components import CARDS, HOUSE_DIE, MAX_PLAYERS, MIN_PLAYERS, TOWER_DIE
from masons.engine.board.geometry import Board
from masons.engine.checks import check_flag, check_list, check_type, check_whole, is_utf8, shown
from masons.engine.errors import MasonsError, RecordError
from masons.engine.formats.move_text import CARD_NUMBER
from masons.engine.game.game import Game
from masons.engine.state.position import Roll

VERSION: Final = 1
SECRET_BYTES: Final = 32
_NAME: Final = f"masons-fair {VERSION}"
_BYTE: Final = 256


def new_secret() -> bytes:
    """Return a new secret, which is 32 random bytes from the operating system."""
    return secrets.token_bytes(SECRET_BYTES)


def commitment_of(secret: bytes) -> str:
    """Return the commitment to a secret, which is a SHA-256 as 64 hexadecimal digits.

    The commitment is published before the seats give their nonces.
    """
    return sha256(f"{_NAME} secret {secret.hex()}".encode("ascii")).hexdigest()


def game_key(secret: bytes, nonces: Sequence[str]) -> bytes:
    """Return the key (32 bytes) from which the dice and cards of a game are derived.

    The nonces are in the order of the seats.
    """
    hashes = "".join(f" {sha256(nonce.encode('utf-8')).hexdigest()}" for nonce in nonces)
    return hmac.digest(secret, f"{_NAME} nonces{hashes}".encode("ascii"), "sha256")


class Draws:
    """An endless stream of uniform numbers for one purpose: `first`, `deal`, `roll` or `reshuffle`.

    `number` is the number of the roll or reshuffle within the game, counted from 1. For the other
    purposes, `number` is 0.
    """

    def __init__(self, key: bytes, purpose: str, number: int = 0) -> None:
        self._bytes = _stream(key, f"{_NAME} {purpose} {number}")

    def below(self, n: int) -> int:
        """Return a uniform number from 0 to n - 1, where n is from 1 to 256.

        Bytes that would favor low numbers are skipped.
        """
        limit = _BYTE - _BYTE % n
        while (byte := next(self._bytes)) >= limit:
            pass
        return byte % n

    def shuffled(self, names: Sequence[str]) -> list[str]:
        """Return cards in random order.

        The cards are sorted by name. Then random cards are taken out of this list, one by one.
        """
        left = sorted(names)
        return [left.pop(self.below(number)) for number in range(len(left), 0, -1)]

    def roll(self) -> tuple[int, int, int]:
        """Return the tower die (0 to 2) and the two house dice (0 to 5)."""
        tower, *dice = (self.below(len(die)) for die in (TOWER_DIE, HOUSE_DIE, HOUSE_DIE))
        return tower, dice[0], dice[1]


def _stream(key: bytes, name: str) -> Iterator[int]:
    block = 0
    while True:
        yield from hmac.digest(key, f"{name} {block}".encode("ascii"), "sha256")
        block += 1


KEY: Final = "fair"  # the key in a record and in the file of an unfinished game
MOST_NONCE: Final = 200  # longest nonce, in characters
_HEX: Final = re.compile(rf"[0-9a-f]{{{2 * SECRET_BYTES}}}")
_FIELDS: Final = {"version", "commitment", "nonces", "draws_first"}


@dataclass(frozen=True)
class FairTerms:
    """The public part of a fair game.

    `commitment` is the SHA-256 of the secret as 64 hexadecimal digits. `nonces` are in the order of
    the seats, with "" for a seat that gave no nonce. If `draws_first` is true, the scheme also
    draws the first seat.
    """

    version: int
    commitment: str
    nonces: tuple[str, ...]
    draws_first: bool

    def to_data(self) -> dict[str, Any]:
        """Return these terms as a dict for the file of an unfinished game."""
        return {**asdict(self), "nonces": list(self.nonces)}


def nonce_given(nonce: object) -> str:
    """Return a nonce after checking that it is an acceptable text.

    Raises MasonsError if it is not.
    """
    if not isinstance(nonce, str) or len(nonce) > MOST_NONCE or not is_utf8(nonce):
        raise MasonsError(
            f"nonce is {shown(nonce)}: it must be a text of up to {MOST_NONCE} characters"
        )
    return nonce


def nonces_given(nonces: object, players: int | None = None) -> tuple[str, ...]:
    """Return a checked nonce for each seat.

    Raises MasonsError if a nonce is invalid or the number of nonces is wrong.
    """
    what = "a text for each seat, empty for none"
    texts = tuple(nonce_given(nonce) for nonce in check_list("nonces", nonces, object, what))
    if players is not None and len(texts) != players:
        raise MasonsError(f"nonces are {len(texts)}: give one for each of the {players} seats")
    return texts


def terms_of(data: object, players: int | None = None) -> FairTerms:
    """Return the terms in a record or in a game's file. Raises RecordError if they are invalid.

    `data` is the value of the key `fair`. Keys that are not terms are ignored.
    """
    if not isinstance(data, Mapping) or not set(data) >= _FIELDS:
        raise RecordError(f"fair must be an object with {', '.join(sorted(_FIELDS))}")
    if type(data["version"]) is not int or data["version"] != VERSION:
        raise RecordError(f"fair: version {shown(data['version'])}: only {VERSION} is known")
    if not is_hash(data["commitment"]):
        raise RecordError(
            f"fair: commitment is {shown(data['commitment'])}: it must be 64 digits, 0 to 9, a to f"
        )
    if not isinstance(data["draws_first"], bool):
        raise RecordError("fair: draws_first must be true or false")
    try:
        nonces = nonces_given(data["nonces"], players)
    except MasonsError as error:
        raise RecordError(f"fair: {error}") from None
    return FairTerms(VERSION, data["commitment"], nonces, data["draws_first"])


def fair_in(record: Mapping[str, Any]) -> tuple[FairTerms, bytes | None]:
    """Return the terms of a record, and its secret (32 bytes, or None if not revealed).

    Raises RecordError if the terms or the secret are invalid.
    """
    terms, text = terms_of(record[KEY], record["players"]), record[KEY].get("secret")
    if text is not None and not is_hash(text):
        raise RecordError("fair: secret must be 64 digits, 0 to 9, a to f, or null")
    return terms, None if text is None else bytes.fromhex(text)


def is_hash(value: object) -> bool:
    """Return whether a value is a text of 64 lower-case hexadecimal digits."""
    return isinstance(value, str) and _HEX.fullmatch(value) is not None


class FairChance:
    """The source of the deal, the rolls and the reshuffles of one fair `Game`."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._shuffles = 0  # number of shuffles, including the deal
        self._rolls = 0

    def shuffle(self, cards: Sequence[int]) -> list[int]:
        """Return cards (kinds) in shuffled order: the first call deals, later calls reshuffle."""
        purpose = "reshuffle" if self._shuffles else "deal"
        names = [CARDS[kind] for kind in cards]
        order = Draws(self._key, purpose, self._shuffles).shuffled(names)
        self._shuffles += 1
        return [CARD_NUMBER[name] for name in order]

    def roll(self, with_tower: bool) -> Roll:
        """Return the next roll; the house dice do not depend on `with_tower`."""
        self._rolls += 1
        tower, first, second = Draws(self._key, "roll", self._rolls).roll()
        return (tower if with_tower else None), first, second

    def mark(self) -> tuple[int, int]:
        """Return the numbers of shuffles and rolls so far, as a mark for `back`."""
        return self._shuffles, self._rolls

    def back(self, mark: tuple[int, int]) -> None:
        """Go back to a mark, so that the shuffles and rolls after the mark are repeated."""
        self._shuffles, self._rolls = mark


@dataclass(frozen=True)
class Fair:
    """The source of all chance in a fair game. Raises MasonsError for invalid values.

    `secret` (32 bytes) must stay hidden until the game is over, and `repr` does not show it.
    `nonces` are texts of up to 200 characters in the order of the seats, with "" for a seat that
    gives no nonce. If `draws_first` is true, the scheme also draws the first seat; otherwise the
    players have agreed on the first seat.
    """

    secret: bytes = field(repr=False)
    nonces: tuple[str, ...]
    draws_first: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.secret, bytes) or len(self.secret) != SECRET_BYTES:
            raise MasonsError(f"the secret must be {SECRET_BYTES} bytes")  # never shows the secret
        object.__setattr__(self, "nonces", nonces_given(self.nonces))
        check_flag("draws_first", self.draws_first)
        if not MIN_PLAYERS <= len(self.nonces) <= MAX_PLAYERS:
            raise MasonsError(f"nonces are {len(self.nonces)}: give one for each of 2 to 4 seats")

    @property
    def terms(self) -> FairTerms:
        """The public part of the game, which is everything but the secret."""
        return FairTerms(VERSION, commitment_of(self.secret), self.nonces, self.draws_first)

    @property
    def first(self) -> int | None:
        """The seat that begins if the scheme draws it, else None."""
        draws = Draws(game_key(self.secret, self.nonces), "first")
        return draws.below(len(self.nonces)) if self.draws_first else None

    def chance(self) -> FairChance:
        """Return a source of dice and cards that begins with the deal."""
        return FairChance(game_key(self.secret, self.nonces))

    def new_game(
        self, *, board: str | Path | Board = "classic", first: int = 0, early_roll: bool = False
    ) -> Game:
        """Deal a game, in which seat `first` begins unless the scheme draws the first seat.

        Raises MasonsError for invalid arguments.
        """
        begins = first if self.first is None else self.first
        seats, chance = len(self.nonces), self.chance()
        return Game(seats, board=board, first=begins, early_roll=early_roll, chance=chance)

    def public(self) -> dict[str, Any]:
        """Return the public part as a JSON object, which everybody may see during the game."""
        return self.terms.to_data()

    def revealed(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return the record of a finished game with the secret, so that anybody can verify it."""
        return self._added(record, self.secret.hex())

    def sealed(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return the record of an adjourned game without the secret."""
        return self._added(record, None)

    def _added(self, record: dict[str, Any], secret: str | None) -> dict[str, Any]:
        check_type("record", record, dict, "a dict, like game_record gives")
        return {**record, KEY: {**self.public(), "secret": secret}}


class FairOffer:
    """A fair game before it begins: the secret is fixed, and the seats give their nonces.

    The order matters. First `commitment` is shown to everybody. Then each seat gives one nonce, and
    no seat learns another seat's nonce before `close`.
    """

    def __init__(self, players: int = 2) -> None:
        self.players = check_whole("players", players, MIN_PLAYERS, MAX_PLAYERS)
        self._secret = new_secret()
        self._nonces: dict[int, str] = {}

    @property
    def commitment(self) -> str:
        """The SHA-256 of the secret as 64 hexadecimal digits."""
        return commitment_of(self._secret)

    @property
    def missing(self) -> tuple[int, ...]:
        """The seats that have not given a nonce yet."""
        return tuple(seat for seat in range(self.players) if seat not in self._nonces)

    def give(self, seat: int, nonce: str) -> None:
        """Store the nonce of a seat.

        Raises MasonsError if the nonce is invalid, or if the seat has already given a nonce.
        """
        who = check_whole("seat", seat, 0, self.players - 1)
        if who in self._nonces:
            raise MasonsError(f"seat {who} has given its nonce: it cannot be changed")
        self._nonces[who] = nonce_given(nonce)

    def close(self, *, draws_first: bool = True) -> Fair:
        """Return the source of dice and cards; a seat without a nonce gets an empty nonce."""
        nonces = tuple(self._nonces.get(seat, "") for seat in range(self.players))
        return Fair(self._secret, nonces, draws_first)


def _path_of(commitment: str) -> Path:
    return user_data_path("masons-engine", appauthor=False) / "secrets" / f"{commitment}.secret"


def keep_secret(fair: Fair) -> None:
    """Save a game's secret in a file and flush it to the disk; raise OSError if that fails."""
    path = _path_of(fair.terms.commitment)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.parent.chmod(0o700)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(f"{fair.secret.hex()}\n".encode("ascii"))
        file.flush()
        os.fsync(file.fileno())


def kept_fair(terms: FairTerms, first: int) -> Fair:
    """Return the source of dice and cards of an unfinished game, from its saved secret.

    `first` is the seat that began. Raises MasonsError if the secret is missing or wrong, or if
    another seat was drawn to begin.
    """
    path = _path_of(terms.commitment)
    try:
        secret = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        raise MasonsError(
            f"the secret of this fair game is not in {path.parent}: the game continues only "
            "where it began, for the same user, until its record reveals the secret"
        ) from None
    except OSError as error:
        raise MasonsError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        secret = b""
    if commitment_of(secret) != terms.commitment:
        raise MasonsError(f"{path} does not hold the secret that this fair game committed to")
    fair = Fair(secret, terms.nonces, terms.draws_first)
    if fair.first not in (None, first):
        raise MasonsError(f"seat {first} begins this fair game, but seat {fair.first} was drawn")
    return fair


def forget_secret(commitment: str) -> None:
    """Remove the file of a revealed secret, ignoring errors, because it is no longer a secret."""
    with suppress(OSError):
        _path_of(commitment).unlink(missing_ok=True)
