"""Our engine's options, and parsers of `setoption`, `go` and `gameover`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from masons.ai.search.limits import GO_DEFAULT, MAX_MS, MAX_SIMS, NO_LIMITS, Limits
from masons.ai.search.search_options import (
    MAX_MEMORY_MB,
    MAX_THREADS,
    METHODS,
    TOP_LEVEL,
    SearchOptions,
)
from masons.engine.board.components import ENDS, MIN_PLAYERS
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import CARD_NUMBER, Move, parse_move
from masons.engine.plain_text import quoted
from masons.engine.playouts.policies import POLICIES
from masons.protocol.messages.error_codes import Refused
from masons.protocol.messages.replies import Option, allows

_WHOLE: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_REAL: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)
MAX_SEED: Final = 10**18 - 1

Value = int | float | str


@dataclass(frozen=True)
class EngineOption(Option):
    """An option of our engine, which is a spin, a combo or a string.

    The value of a string option is a number from 0 to `high`.
    """

    def parse(self, text: str) -> Value:
        """Parse a value. Raises Refused, which names the allowed values."""
        if self.type == "string":
            if _REAL.fullmatch(text) and float(text) <= (self.high or 0):
                return float(text)
            right = f"a number from 0 to {self.high}"
        elif allows(self, text):
            return int(text) if self.type == "spin" else text
        elif self.type == "spin":
            right = f"a whole number from {self.low} to {self.high}"
        else:
            right = f"one of {', '.join(self.choices)}"
        raise Refused("illegal", f"{self.name} is {quoted(text, 40)}: it must be {right}")


def _spin(name: str, default: int, low: int, high: int) -> EngineOption:
    return EngineOption(name, "spin", str(default), low, high)


_TREE: Final = SearchOptions("ismcts")
SEED: Final = _spin("Seed", 0, 0, MAX_SEED)
SEARCH: Final = (
    EngineOption("Method", "combo", "halving", choices=METHODS),
    _spin("Level", TOP_LEVEL, 1, TOP_LEVEL),
    EngineOption("Policy", "combo", str(_TREE.policy), choices=POLICIES),
    EngineOption("Exploration", "string", str(float(_TREE.exploration or 0)), high=100),
    _spin("Memory", _TREE.memory_mb, 1, MAX_MEMORY_MB),
    _spin("Threads", _TREE.threads, 1, MAX_THREADS),
    _spin("MoveTime", int(GO_DEFAULT.movetime_ms or 0), 1, MAX_MS),
    _spin("MoveOverhead", 5, 0, 60_000),
    SEED,
)
SIMPLE: Final = (SEED,)
# When only these options change, nothing has to be prepared again.
_ANY_TIME: Final = ("MoveTime", "MoveOverhead", "Seed")


class EngineSettings:
    """The engine's options and their values."""

    def __init__(self, options: tuple[EngineOption, ...]) -> None:
        self.options = options
        self._values = {option.name: option.parse(option.default) for option in options}

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    @property
    def of_search(self) -> tuple[tuple[str, Value], ...]:
        """The options that determine which kernels a search needs, as (name, value)."""
        return tuple(item for item in self._values.items() if item[0] not in _ANY_TIME)

    def has(self, name: str) -> bool:
        """Return whether the engine has an option of this name."""
        return name in self._values

    def number(self, name: str) -> int:
        """Return the value of a spin option."""
        return int(self._values[name])

    def set(self, name: str, text: str) -> None:
        """Set an option. Raises Refused for an unknown name or a wrong value."""
        option = next((o for o in self.options if o.name.lower() == name.lower()), None)
        if option is None:
            names = ", ".join(option.name for option in self.options)
            raise Refused("unknown", f"no option {name[:40]!r}: there are {names}")
        values = self._values | {option.name: option.parse(text)}
        if "Memory" in values and int(values["Memory"]) < int(values["Threads"]):
            raise Refused("illegal", "Memory must be 1 MiB or more for each of the Threads")
        self._values = values


# --- the words of `go`

MAX_GO_MS: Final = 7 * 86_400_000
MAX_ID: Final = 64


@dataclass(frozen=True)
class Request:
    """A parsed `go` command."""

    id: str | None = None
    limits: Limits = NO_LIMITS
    multipv: int = 1
    moves: tuple[Move, ...] | None = None
    avoid: tuple[Move, ...] = ()
    received: float = 0.0  # when the line was read (`time.monotonic`)


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
    if not 0 < len(text) <= MAX_ID or not text.isprintable():
        raise Refused("syntax", f"{word} needs a word of at most {MAX_ID} printable characters")
    return text


def parse_moves(word: str, texts: list[str]) -> tuple[Move, ...]:
    """Parse the moves that follow a word of a command. Raises Refused."""
    if not texts:
        raise Refused("syntax", f"{word} needs moves")
    try:
        return tuple(map(parse_move, texts))
    except MoveError as error:
        raise Refused("syntax", f"{word}: {error}") from None


_VALUES: Final[dict[str, Callable[[str, str], Any]]] = {
    "id": _ident,
    "movetime": _whole(1, MAX_GO_MS),
    "sims": _whole(1, MAX_SIMS),
    "clock": _times,
    "inc": _times,
    "multipv": _whole(1, 10_000),
    "seed": _whole(0, MAX_SEED),
}
# The words of `go` that set fields of Limits, with the names of the fields.
_LIMITS: Final = {
    "movetime": "movetime_ms",
    **{word: word for word in ("sims", "infinite", "clock", "inc", "seed")},
}
_ENDS: Final = frozenset(("movetime_ms", "sims", "clock"))  # fields of Limits that end a search
_WORDS: Final = (*_VALUES, "moves", "avoid", "infinite")


def parse_go(text: str, received: float = 0.0) -> Request:
    """Parse the words after `go`.

    `received` is the time at which the line was read (`time.monotonic`), or 0 for now. Raises
    Refused, which carries the id of the `go` if it has one.
    """
    words = text.split()
    try:
        fields = _go_fields(words)
    except Refused as refused:
        for word, value in pairwise(words):
            if word == "id" and len(value) <= MAX_ID and value.isprintable():
                refused.id = value
                break
        raise
    limits = {name: fields.pop(word) for word, name in _LIMITS.items() if word in fields}
    if not _ENDS.isdisjoint(limits):
        limits.pop("infinite", None)  # the first limit ends the search
    return Request(limits=Limits(**limits), received=received or time.monotonic(), **fields)


def _go_fields(words: list[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    while words:
        word, words = words[0], words[1:]
        if word not in _WORDS:
            known = ", ".join(_WORDS)
            raise Refused("syntax", f"go does not know {quoted(word, 40)}: it knows {known}")
        if word in fields:
            raise Refused("syntax", f"{word} occurs twice")
        if word == "infinite":
            fields[word] = True
        elif word in _VALUES:
            fields[word] = _VALUES[word](word, words[0] if words else "")
            words = words[1:]
        else:
            end = next((at for at, other in enumerate(words) if other in _WORDS), len(words))
            fields[word] = parse_moves(word, words[:end])
            words = words[end:]
    return fields


# --- the words of `gameover`

_NUMBERS: Final = re.compile(r"[0-9]{1,9}(,[0-9]{1,9}){0,3}", re.ASCII)
_FORM: Final = "write gameover scores S,S winners S,S end E [hands HAND/HAND]"


def check_game_over(text: str, players: int | None) -> None:
    """Raise Refused if the words after `gameover` are wrong.

    `players` is the number of seats, or None if it is not known.
    """
    words = text.split()
    names = ["scores", "winners", "end", "hands"]
    if len(words) not in (6, 8) or words[::2] != names[: len(words) // 2]:
        raise Refused("syntax", _FORM)
    scores, winners, end, *hands = words[1::2]
    if not (_NUMBERS.fullmatch(scores) and _NUMBERS.fullmatch(winners)):
        raise Refused("syntax", _FORM)
    if end not in ENDS:
        raise Refused("syntax", f"end must be one of {', '.join(ENDS)}")
    points, seats_won = scores.split(","), [int(word) for word in winners.split(",")]
    seats = players or max(len(points), MIN_PLAYERS)
    if len(points) != seats:
        raise Refused("syntax", f"scores needs a number for each of the {seats} seats")
    if max(seats_won) >= seats or len(set(seats_won)) < len(seats_won):
        which = f"0 to {seats - 1}, each once"
        raise Refused("syntax", f"winners must be of the {seats} seats, {which}")
    shown_hands = hands[0].split("/") if hands else []
    if shown_hands and len(shown_hands) != seats:
        raise Refused("syntax", f"hands needs a hand, or -, for each of the {seats} seats")
    for hand in shown_hands:
        if hand != "-" and not set(hand.split("+")) <= set(CARD_NUMBER):
            raise Refused("syntax", f"{hand[:40]!r} is not a hand: write CARD+CARD, or -")
