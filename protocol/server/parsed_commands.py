"""The options of our engine: their names, types and limits, as `mei` lists them."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from masons.ai.search.levels import TOP_LEVEL
from masons.ai.search.limits import GO_DEFAULT, MAX_MS, MAX_SIMS, NO_LIMITS, Limits
from masons.ai.search.search_options import (
    MAX_MEMORY_MB,
    MAX_THREADS,
    METHODS,
    SearchOptions,
    method_name,
)
from masons.engine.board.components import ENDS, MIN_PLAYERS
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import CARD_NUMBER, Move, parse_move
from masons.engine.plain_text import quoted
from masons.engine.playouts.policies import POLICIES, policy_name
from masons.protocol.messages.error_codes import Refused

_WHOLE: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_REAL: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)
MAX_SEED: Final = 10**18 - 1

Value = int | float | bool | str


@dataclass(frozen=True)
class EngineOption:
    """An option: what `option` says of it, and how its values are read."""

    name: str
    kind: str  # spin, check, combo or string
    default: Value
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    present: Callable[[str], str] = str  # the present name of a choice that had another

    def line(self) -> str:
        """Return the line that declares it."""
        default = str(self.default).lower() if self.kind == "check" else str(self.default)
        text = f"option name {self.name} type {self.kind} default {default}"
        if self.kind == "spin":
            text += f" min {self.low} max {self.high}"
        return text + "".join(f" var {choice}" for choice in self.choices)

    def parse(self, text: str) -> Value:
        """Return a value. Raises Refused saying what it must be."""
        if self.kind == "spin":
            if _WHOLE.fullmatch(text) and self.low <= int(text) <= self.high:
                return int(text)
            raise self._wrong(text, f"a whole number from {self.low} to {self.high}")
        if self.kind == "check":
            if text.lower() in ("true", "false"):
                return text.lower() == "true"
            raise self._wrong(text, "true or false")
        if self.kind == "combo":
            if self.present(text) in self.choices:
                return self.present(text)
            raise self._wrong(text, f"one of {', '.join(self.choices)}")
        if _REAL.fullmatch(text) and math.isfinite(float(text)) and float(text) <= self.high:
            return float(text)
        raise self._wrong(text, f"a number from 0 to {self.high}")

    def _wrong(self, text: str, must: str) -> Refused:
        return Refused("illegal", f"{self.name} is {quoted(text, 40)}: it must be {must}")


_TREE: Final = SearchOptions("ismcts")
SEED: Final = EngineOption("Seed", "spin", 0, 0, MAX_SEED)
SEARCH: Final = (
    EngineOption("Method", "combo", "halving", choices=METHODS, present=method_name),
    EngineOption("Level", "spin", TOP_LEVEL, 1, TOP_LEVEL),
    EngineOption("Policy", "combo", str(_TREE.policy), choices=POLICIES, present=policy_name),
    EngineOption("Exploration", "string", float(_TREE.exploration or 0), high=100),
    EngineOption("Memory", "spin", _TREE.memory_mb, 1, MAX_MEMORY_MB),
    EngineOption("Threads", "spin", _TREE.threads, 1, MAX_THREADS),
    EngineOption("MoveTime", "spin", int(GO_DEFAULT.movetime_ms or 0), 1, MAX_MS),
    EngineOption("MoveOverhead", "spin", 5, 0, 60_000),
    SEED,
)
SIMPLE: Final = (SEED,)
# Options of which nothing depends that takes time to get ready.
_ANY_TIME: Final = ("MoveTime", "MoveOverhead", "Seed")


class EngineSettings:
    """The options of one process and their values."""

    def __init__(self, options: tuple[EngineOption, ...]) -> None:
        self.options = options
        self._by_name = {option.name.lower(): option for option in options}
        self._values: dict[str, Value] = {option.name: option.default for option in options}

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    @property
    def of_search(self) -> tuple[tuple[str, Value], ...]:
        """The options on which the kernels of a search depend, with their values."""
        return tuple(item for item in self._values.items() if item[0] not in _ANY_TIME)

    def has(self, name: str) -> bool:
        """Return whether the player has an option."""
        return name in self._values

    def number(self, name: str) -> int:
        """Return the value of a spin."""
        return int(self._values[name])

    def set(self, name: str, text: str) -> None:
        """Set an option. Raises Refused for an unknown name or a wrong value."""
        option = self._by_name.get(name.lower())
        if option is None:
            names = ", ".join(option.name for option in self.options)
            raise Refused("unknown", f"no option {name[:40]!r}: there are {names}")
        value = option.parse(text)
        self._check(option.name, value)
        self._values[option.name] = value

    def _check(self, name: str, value: Value) -> None:
        """Threads share the memory: each needs a MiB of it."""
        both = {key: self._values.get(key) for key in ("Memory", "Threads")} | {name: value}
        if None not in both.values() and int(both["Memory"] or 0) < int(both["Threads"] or 0):
            raise Refused("illegal", "Memory must be 1 MiB or more for each of the Threads")


# --- what a `go` asks for

MAX_GO_MS: Final = 7 * 86_400_000
MAX_ID: Final = 64


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
    number = _whole(0, MAX_GO_MS)
    return tuple(number(word, part) for part in text.split(","))


def _ident(word: str, text: str) -> str:
    if not _is_ident(text):
        raise Refused("syntax", f"{word} needs a word of at most {MAX_ID} printable characters")
    return text


def _is_ident(text: str) -> bool:
    """Return whether an answer may have this word in it."""
    return 0 < len(text) <= MAX_ID and text.isprintable()


_VALUES: Final[dict[str, Callable[[str, str], Any]]] = {
    "id": _ident,
    "movetime": _whole(1, MAX_GO_MS),
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
    """Return the request in the words after `go`; `received` by `time.monotonic` (0: now).

    Raises Refused, with the request's id where it has one.
    """
    words = text.split()
    arguments: dict[str, Any] = {"received": received or time.monotonic()}
    try:
        for word, values in _grouped(words):
            if word in arguments:
                raise Refused("syntax", f"{word} occurs twice")
            arguments[word] = _value(word, values)
    except Refused as refused:
        raise Refused(refused.code, refused.text, _id_in(words)) from None
    limits = Limits(
        **{name: arguments.pop(word) for word, name in _LIMITS.items() if word in arguments}
    )
    return Request(limits=limits, **arguments)


def _grouped(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each word of `go` with what belongs to it."""
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
    """Return the id of a `go` that is wrong elsewhere."""
    for word, value in pairwise(words):
        if word == "id" and _is_ident(value):
            return value
    return None


# --- what a referee says when a game is over

_NUMBERS: Final = re.compile(r"[0-9]{1,9}(,[0-9]{1,9}){0,3}", re.ASCII)
_FORM: Final = "write gameover scores S,S winners S,S end E [hands HAND/HAND]"


def check_game_over(text: str, players: int | None) -> None:
    """Raises Refused where the words after `gameover` are not as they must be.

    `players`: those of the game; None where none is known.
    """
    words = text.split()
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or list(pairs) not in (
        ["scores", "winners", "end"],
        ["scores", "winners", "end", "hands"],
    ):
        raise Refused("syntax", _FORM)
    if not all(_NUMBERS.fullmatch(pairs[key]) for key in ("scores", "winners")):
        raise Refused("syntax", _FORM)
    if pairs["end"] not in ENDS:
        raise Refused("syntax", f"end must be one of {', '.join(ENDS)}")
    scores = pairs["scores"].split(",")
    seats = players or max(len(scores), MIN_PLAYERS)
    if len(scores) != seats:
        raise Refused("syntax", f"scores needs a number for each of the {seats} seats")
    winners = [int(word) for word in pairs["winners"].split(",")]
    if max(winners) >= seats or len(set(winners)) < len(winners):
        which = f"0 to {seats - 1}, each once"
        raise Refused("syntax", f"winners must be of the {seats} seats, {which}")
    hands = pairs["hands"].split("/") if "hands" in pairs else []
    if hands and len(hands) != seats:
        raise Refused("syntax", f"hands needs a hand, or -, for each of the {seats} seats")
    for hand in hands:
        if hand != "-" and not set(hand.split("+")) <= set(CARD_NUMBER):
            raise Refused("syntax", f"{hand[:40]!r} is not a hand: write CARD+CARD, or -")
