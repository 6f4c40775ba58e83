"""What is known of a fair game: its commitment and nonces, and in the end its secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from masons.engine.errors import MasonsError, RecordError
from masons.engine.fair.fair_scheme import SECRET_BYTES, VERSION
from masons.engine.given import is_utf8, list_given, shown

KEY: Final = "fair"  # of a record, and of the file of a game that goes on
MOST_NONCE: Final = 200  # characters
_HEX: Final = re.compile(rf"[0-9a-f]{{{2 * SECRET_BYTES}}}")
_FIELDS: Final = {"version", "commitment", "nonces", "draws_first"}


@dataclass(frozen=True)
class FairTerms:
    """The public part of a fair game.

    `commitment` is the SHA-256 of the secret as 64 hexadecimal digits. `nonces` are in seat order,
    an empty text for a seat that gave none. `draws_first`: who begins comes from the scheme, too.
    """

    version: int
    commitment: str
    nonces: tuple[str, ...]
    draws_first: bool

    def to_data(self) -> dict[str, Any]:
        """As the file of a game that goes on has it."""
        return {**asdict(self), "nonces": list(self.nonces)}


def nonce_given(nonce: object, what: str = "nonce") -> str:
    """A text that a seat may give. Raises MasonsError."""
    if not isinstance(nonce, str) or len(nonce) > MOST_NONCE or not is_utf8(nonce):
        raise MasonsError(
            f"{what} is {shown(nonce)}: it must be a text of up to {MOST_NONCE} characters"
        )
    return nonce


def nonces_given(nonces: object, players: int | None = None) -> tuple[str, ...]:
    """A nonce for each seat. Raises MasonsError."""
    what = "a text for each seat, empty where it gives none"
    given = tuple(nonce_given(nonce) for nonce in list_given("nonces", nonces, object, what))
    if players is not None and len(given) != players:
        raise MasonsError(f"nonces are {len(given)}: give one for each of the {players} seats")
    return given


def secret_given(secret: object) -> bytes:
    """A secret. Raises MasonsError, which does not show it."""
    if not isinstance(secret, bytes) or len(secret) != SECRET_BYTES:
        raise MasonsError(f"the secret must be {SECRET_BYTES} bytes")
    return secret


def terms_of(data: object, players: int | None = None) -> FairTerms:
    """The terms in a record or a game's file (other keys are ignored). Raises RecordError."""
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


def secret_in(data: Mapping[str, Any]) -> bytes | None:
    """The secret in a record; None where it is not revealed. Raises RecordError."""
    text = data.get("secret")
    if text is None:
        return None
    if not is_hash(text):
        raise RecordError("fair: secret must be 64 digits, 0 to 9, a to f, or null")
    return bytes.fromhex(text)


def fair_in(record: Mapping[str, Any]) -> tuple[FairTerms, bytes | None]:
    """The terms of a record and its secret, if that is revealed. Raises RecordError."""
    return terms_of(record[KEY], record["players"]), secret_in(record[KEY])


def is_hash(value: object) -> bool:
    """Whether a value is 64 hexadecimal digits in small letters."""
    return isinstance(value, str) and _HEX.fullmatch(value) is not None
