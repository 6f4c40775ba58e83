"""An engine's answers as plain data, as specified in `docs/protocol.md`.

The `parse_` functions raise ProtocolFault for a line that breaks the protocol.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from masons.engine.plain_text import quoted
from masons.protocol.messages.error_codes import CODES, ProtocolFault

MAX_RANK: Final = 10_000  # the largest `multipv`
OPTION_TYPES: Final = ("spin", "check", "combo", "string", "button")


@dataclass(frozen=True)
class Option:
    """An engine's option. Spins have `low` and `high`, and combos have `choices`."""

    name: str
    type: str
    default: str = ""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Info:
    """An `info` line. A field is None or empty if the line does not contain it.

    `win` has the win probability (0 to 1) of each seat, and `score` has the expected final points
    of each seat. `expect` has the probability (0 to 1) of each step of `pv` after the first step.
    """

    time_ms: int | None = None
    sims: int | None = None
    sps: int | None = None
    worlds: int | None = None
    multipv: int = 1
    move: str = ""
    visits: int | None = None
    win: tuple[float, ...] = ()
    score: tuple[float, ...] = ()
    se: float | None = None
    ci: float | None = None
    loss: float | None = None
    lossci: float | None = None
    games: int | None = None
    prior: float | None = None
    expect: tuple[float, ...] = ()
    pv: tuple[str, ...] = ()
    string: str = ""


@dataclass(frozen=True)
class Answer:
    """The answer to a `go`.

    `infos` has the last info of each rank. `seconds` is the time from `go` to the answer.
    """

    move: str
    infos: tuple[Info, ...]
    seconds: float


@dataclass(frozen=True)
class Evaluation:
    """The answer to `eval`.

    `win` has the win probability (0 to 1) of each seat, and `score` has the expected final points
    of each seat. `cards` maps the name of each card in the seat's hand to the number of copies and
    the points that one copy would score now.
    """

    win: tuple[float, ...]
    score: tuple[float, ...]
    cards: dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Belief:
    """The estimate of a seat's hand.

    `cards` is the number of cards in the hand. `kinds` maps the name of each card to the expected
    number of copies and the probability that the seat holds at least one copy.
    """

    cards: int
    kinds: dict[str, tuple[float, float]]


def shown(text: str) -> str:
    """Return a text quoted for a message, cut to 80 characters."""
    return quoted(text, 80)


def fault(line: str, why: str) -> NoReturn:
    """Raise ProtocolFault for a line, with the reason `why`."""
    raise ProtocolFault(f"{shown(line)}: {why}", text=line)


def whole_number(word: str) -> int:
    """Parse a whole number. Raises ValueError."""
    if not word.isascii() or not word.removeprefix("-").isdigit() or len(word) > 19:
        raise ValueError(word)
    return int(word)


def number(word: str) -> float:
    """Parse a finite number. Raises ValueError."""
    if not word.isascii() or "_" in word:
        raise ValueError(word)
    value = float(word)
    if not math.isfinite(value):
        raise ValueError(word)
    return value


def numbers(word: str) -> tuple[float, ...]:
    """Parse numbers joined by commas. Raises ValueError."""
    return tuple(number(part) for part in word.split(","))


def _rank(word: str) -> int:
    value = whole_number(word)
    if not 1 <= value <= MAX_RANK:
        raise ValueError(word)
    return value


# For each word of an `info` line, the matching field of Info and the parser of its value.
_FIELDS: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    "time": ("time_ms", whole_number),
    "sims": ("sims", whole_number),
    "sps": ("sps", whole_number),
    "worlds": ("worlds", whole_number),
    "multipv": ("multipv", _rank),
    "move": ("move", str),
    "visits": ("visits", whole_number),
    "win": ("win", numbers),
    "score": ("score", numbers),
    "se": ("se", number),
    "ci": ("ci", number),
    "loss": ("loss", number),
    "lossci": ("lossci", number),
    "games": ("games", whole_number),
    "prior": ("prior", number),
    "expect": ("expect", numbers),
}


def parse_info(line: str) -> Info:
    """Parse an `info` line."""
    words = line.split()[1:]
    if words[:1] == ["string"]:
        return Info(string=line.split(None, 2)[2] if words[1:] else "")
    values: dict[str, Any] = {}
    for at in range(0, len(words), 2):
        key, value = words[at], words[at + 1 : at + 2]
        if key == "pv":
            values["pv"] = tuple(words[at + 1 :])
            break
        if not value:
            strange = next((word for word in words[:at:2] if word not in _FIELDS), "")
            skipped = strange and f"{strange} is unknown, so the next word counts as its value: "
            fault(line, f"{skipped}{key} needs a value")
        if key in _FIELDS:
            name, read = _FIELDS[key]
            try:
                values[name] = read(value[0])
            except ValueError:
                fault(line, f"{shown(value[0])} is not a value of {key}")
    return Info(**values)


def parse_bestmove(line: str) -> tuple[str, str]:
    """Return the move and the id in a `bestmove` line; the id is "" if it is missing."""
    words = line.split()
    if len(words) not in (2, 4) or words[2:3] not in ([], ["id"]):
        fault(line, "write bestmove MOVE, or bestmove MOVE id T")
    return words[1], words[3] if words[2:] else ""


def parse_error(line: str) -> tuple[str, str, str]:
    """Return the code, the id and the text of an `error` line; a missing id is ""."""
    words = line.split()
    if len(words) < 2 or words[1] not in CODES:
        fault(line, f"an error has one of the codes {', '.join(CODES)}")
    has_id = words[2:3] == ["id"] and len(words) > 3
    return words[1], words[3] if has_id else "", " ".join(words[4 if has_id else 2 :])


def parse_option(line: str) -> Option:
    """Parse an `option` line."""
    parts: dict[str, list[str]] = {}
    key = ""
    for word in line.split()[1:]:
        free = key == "default" and parts.get("type") == ["string"]
        if word in ("name", "type", "default", "min", "max", "var") and not free:
            key = word
            if key in parts and key != "var":
                fault(line, f"{key} stands twice")
            parts.setdefault(key, [])
        elif not key:
            fault(line, "an option begins with its name")
        else:
            parts[key].append(word)
    name, kind = (" ".join(parts.get(word, [])) for word in ("name", "type"))
    if not name or " " in name or kind not in OPTION_TYPES:
        fault(line, f"an option needs a name of one word and a type of {', '.join(OPTION_TYPES)}")
    try:
        low, high = (whole_number(parts[w][0]) if w in parts else None for w in ("min", "max"))
    except (ValueError, IndexError):
        fault(line, "min and max are whole numbers")
    option = Option(
        name, kind, " ".join(parts.get("default", [])), low, high, tuple(parts.get("var", []))
    )
    if not allows(option, option.default):
        fault(line, f"the default {shown(option.default)} is not a value of the option")
    return option


def format_option(option: Option) -> str:
    """Return the `option` line that describes an option."""
    limits = f" min {option.low} max {option.high}" if option.type == "spin" else ""
    choices = "".join(f" var {choice}" for choice in option.choices)
    return f"option name {option.name} type {option.type} default {option.default}{limits}{choices}"


def allows(option: Option, value: str) -> bool:
    """Return whether `value` is allowed for an option."""
    if option.type == "spin":
        try:
            chosen = whole_number(value)
        except ValueError:
            return False
        low, high = option.low, option.high
        return (low is None or low <= chosen) and (high is None or chosen <= high)
    if option.type == "check":
        return value in ("true", "false")
    return option.type != "combo" or value in option.choices


def parse_evaluation(lines: Sequence[str]) -> Evaluation:
    """Parse the `response eval` line and the `response card` lines that follow."""
    first, *rest = lines
    words = first.split()[2:]
    if len(words) != 4 or words[::2] != ["win", "score"]:
        fault(first, "write response eval win W,W score S,S")
    cards: dict[str, tuple[int, int]] = {}
    for line in (first, *rest):
        try:
            if line is first:
                win, score = numbers(words[1]), numbers(words[3])
                continue
            _, what, name, count, copies, points, each = line.split()
            if (what, count, points) != ("card", "count", "points"):
                raise ValueError(line)
            cards[name] = whole_number(copies), whole_number(each)
        except ValueError:
            fault(line, "write response card NAME count C points P")
    return Evaluation(win, score, cards)


def parse_belief(lines: Sequence[str]) -> dict[int, Belief]:
    """Parse `response belief` lines and return the estimates by seat."""
    beliefs: dict[int, Belief] = {}
    for line in lines:
        try:
            _, _, seat, cards, count, *words = line.split()
            if cards != "cards":
                raise ValueError(line)
            kinds = {}
            for word in words:
                name, _, values = word.partition("=")
                expected, chance = values.split("/")
                kinds[name] = number(expected), number(chance)
            beliefs[whole_number(seat)] = Belief(whole_number(count), kinds)
        except ValueError:
            fault(line, "write response belief SEAT cards N CARD=E/P ...")
    return beliefs
