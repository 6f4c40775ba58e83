"""The scheme `masons-fair`, version 1, as docs/fair.md specifies it. Plain Python.

>>> secret = bytes(range(32))
>>> commitment_of(secret)[:16]
'b67822e5000fa7e6'
>>> key = game_key(secret, ["left", "right"])
>>> Draws(key, "roll", 1).roll()
(2, 1, 0)
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final

from masons.engine.board.components import HOUSE_DIE, TOWER_DIE

VERSION: Final = 1
SECRET_BYTES: Final = 32
_NAME: Final = f"masons-fair {VERSION}"
_BYTE: Final = 256


def new_secret() -> bytes:
    """A secret: 32 bytes from the operating system."""
    return secrets.token_bytes(SECRET_BYTES)


def commitment_of(secret: bytes) -> str:
    """The SHA-256 that is shown before the nonces are given, as 64 hexadecimal digits."""
    return sha256(f"{_NAME} secret {secret.hex()}".encode("ascii")).hexdigest()


def game_key(secret: bytes, nonces: Sequence[str]) -> bytes:
    """The key (32 bytes) of all chance of a game: the nonces in seat order, under the secret."""
    hashes = "".join(f" {sha256(nonce.encode('utf-8')).hexdigest()}" for nonce in nonces)
    return hmac.digest(secret, f"{_NAME} nonces{hashes}".encode("ascii"), "sha256")


class Draws:
    """Endless uniform numbers for one purpose: `first`, `deal`, `roll` or `reshuffle`.

    `number` counts the rolls and the reshuffles of a game, each from 1; it is 0 for the others.
    """

    def __init__(self, key: bytes, purpose: str, number: int = 0) -> None:
        self._bytes = _stream(key, f"{_NAME} {purpose} {number}")

    def below(self, n: int) -> int:
        """A number from 0 to n - 1 (n from 1 to 256), all equally likely.

        A byte that would make the low numbers likelier is left out.
        """
        limit = _BYTE - _BYTE % n
        while (byte := next(self._bytes)) >= limit:
            pass
        return byte % n

    def shuffled(self, names: Sequence[str]) -> list[str]:
        """Cards in an order by chance: taken one by one from what is left, by the alphabet."""
        left = sorted(names)
        return [left.pop(self.below(number)) for number in range(len(left), 0, -1)]

    def roll(self) -> tuple[int, int, int]:
        """The tower die (0 to 2) and both house dice (0 to 5)."""
        tower = self.below(len(TOWER_DIE))
        first = self.below(len(HOUSE_DIE))
        return tower, first, self.below(len(HOUSE_DIE))


def _stream(key: bytes, name: str) -> Iterator[int]:
    block = 0
    while True:
        yield from hmac.digest(key, f"{name} {block}".encode("ascii"), "sha256")
        block += 1
