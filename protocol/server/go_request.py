"""What a `go` asks for."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from masons.ai.search.limits import MAX_SIMS, NO_LIMITS, Limits
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.plain_words import quoted
from masons.protocol.messages.error_codes import Refused
from masons.protocol.server.engine_options import MAX_SEED

MAX_MS: Final = 7 * 86_400_000
MAX_ID: Final = 64
_WHOLE: Final = re.compile(r"[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True)
class Request:
    """A `go`: what ends it, and which moves to look at."""

    id: str | None = None
    limits: Limits = NO_LIMITS
    multipv: int = 1
    moves: tuple[Move, ...] | None = None
    avoid: tuple[Move, ...] = ()
    received: float = 0.0  # when, by time.monotonic


def _whole(low: int, high: int) -> Callable[[str, str], int]:
    def parse(word: str, text: str) -> int:
        if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
            raise Refused("syntax", f"{word} needs a whole number from {low} to {high}")
        return int(text)

    return parse


def _times(word: str, text: str) -> tuple[int, ...]:
    number = _whole(0, MAX_MS)
    return tuple(number(word, part) for part in text.split(","))


def _ident(word: str, text: str) -> str:
    if not _is_ident(text):
        raise Refused("syntax", f"{word} needs a word of at most {MAX_ID} printable characters")
    return text


def _is_ident(text: str) -> bool:
    """Whether an answer may have this word in it."""
    return 0 < len(text) <= MAX_ID and text.isprintable()


_VALUES: Final[dict[str, Callable[[str, str], Any]]] = {
    "id": _ident,
    "movetime": _whole(1, MAX_MS),
    "sims": _whole(1, MAX_SIMS),
    "clock": _times,
    "inc": _times,
    "multipv": _whole(1, 10_000),
    "seed": _whole(0, MAX_SEED),
}
# Those that are fields of Limits, by their names there.
_LIMITS: Final = {
    "movetime": "movetime_ms",
    **{word: word for word in ("sims", "infinite", "clock", "inc", "seed")},
}
_LISTS: Final = ("moves", "avoid")
_WORDS: Final = (*_VALUES, *_LISTS, "infinite")


def parse_go(text: str, received: float = 0.0) -> Request:
    """What the words after `go` ask for; `received`: when, by `time.monotonic` (0: now).

    Raises Refused, with the request's id where it has one.
    """
    words = text.split()
    found: dict[str, Any] = {"received": received or time.monotonic()}
    try:
        for word, values in _grouped(words):
            if word in found:
                raise Refused("syntax", f"{word} occurs twice")
            found[word] = _value(word, values)
    except Refused as refused:
        raise Refused(refused.code, refused.text, _id_in(words)) from None
    limits = Limits(**{name: found.pop(word) for word, name in _LIMITS.items() if word in found})
    return Request(limits=limits, **found)


def _grouped(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Each word of `go` with what belongs to it."""
    at = 0
    while at < len(words):
        word = words[at]
        if word not in _WORDS:
            known = ", ".join(_WORDS)
            raise Refused("syntax", f"go does not know {quoted(word, 40)}: it knows {known}")
        end = at + 1
        if word in _VALUES:
            end += 1
        elif word in _LISTS:
            while end < len(words) and words[end] not in _WORDS:
                end += 1
        yield word, words[at + 1 : end]
        at = end


def _value(word: str, values: list[str]) -> Any:
    if word == "infinite":
        return True
    if word in _VALUES:
        return _VALUES[word](word, values[0] if values else "")
    if not values:
        raise Refused("syntax", f"{word} needs moves")
    try:
        return tuple(parse_move(value) for value in values)
    except MoveError as error:
        raise Refused("syntax", f"{word}: {error}") from None


def _id_in(words: list[str]) -> str | None:
    """The id of a `go` that is wrong elsewhere."""
    for word, value in pairwise(words):
        if word == "id" and _is_ident(value):
            return value
    return None
