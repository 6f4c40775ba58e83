"""What a page may say: JSON objects with a `type`, each read into one of these.

docs/gui.md is their specification. A field that is missing, of another type or unknown is refused
with a line that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, TypeVar

from masons.ai.search.levels import TOP_LEVEL
from masons.engine.board.components import HAND
from masons.engine.checks import shown
from masons.engine.strict_json import strict_json
from masons.protocol.messages.error_codes import Refused

MAX_BYTES: Final = 1 << 22
_MAX_TEXT: Final = 4000
_LONG: Final = ("study.text",)
_MAX_NUMBER: Final = 10**18
_MAX_SECONDS: Final = 600

T = TypeVar("T")


@dataclass(frozen=True)
class SeatWish:
    """One seat of a new game."""

    kind: str  # person or engine
    name: str = ""
    level: int | None = None
    seconds: float | None = None
    engine: str = ""  # the name of an engine that the program was started with


@dataclass(frozen=True)
class NewGame:
    """Begin a game."""

    seats: tuple[SeatWish, ...]
    seed: int | None = None
    dice: str = "engine"
    hands: tuple[tuple[str, ...], ...] | None = None
    first: int = 0
    practice: bool = False
    early_roll: bool = False
    # Of a fair game, after `commit`: what each seat adds to chance, "" for the engine's.
    nonces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Commit:
    """Ask the program to commit to a secret, for a fair game of so many seats."""

    players: int


@dataclass(frozen=True)
class Resume:
    """Go on with a game of the list."""

    file: str


@dataclass(frozen=True)
class Leave:
    """Put the game away; its file stays."""


@dataclass(frozen=True)
class Games:
    """Ask for the list of games."""


@dataclass(frozen=True)
class Sit:
    """Lift the curtain for a seat, or let it fall."""

    seat: int | None


@dataclass(frozen=True)
class Invite:
    """Give a seat to another device, or take it back."""

    seat: int
    back: bool = False


@dataclass(frozen=True)
class MakeMove:
    """The decision that is due; `at` is the number of the position that the page shows."""

    move: str
    at: int


@dataclass(frozen=True)
class GiveRoll:
    """How the dice fell on the table."""

    tower: str | None
    houses: tuple[str, ...]
    at: int


@dataclass(frozen=True)
class GiveCard:
    """Which card was drawn at the table."""

    card: str
    at: int


@dataclass(frozen=True)
class Undo:
    """Take back the last decision."""

    at: int


@dataclass(frozen=True)
class Resign:
    """Give up the seat that decides."""

    at: int


@dataclass(frozen=True)
class Retry:
    """Ask the engine once more that has failed to decide."""


@dataclass(frozen=True)
class Go:
    """Ask for a hint, or (`infinite`) for the moves of the position that is studied."""

    sims: int | None = None
    infinite: bool = False


@dataclass(frozen=True)
class Stop:
    """End the search."""


@dataclass(frozen=True)
class Record:
    """Ask for the record of a game that is over."""


@dataclass(frozen=True)
class Study:
    """Study a position or records; without a text, the record of the game that is over.

    `file`: that of a game of the list that is over.
    """

    text: str = ""
    game: int = 1
    step: int | None = None
    file: str = ""


@dataclass(frozen=True)
class Step:
    """Go to a step of what is studied; `back`: leave the variation."""

    to: int
    back: bool = False


@dataclass(frozen=True)
class Try:
    """Make a move in what is studied: a variation begins where it is not the one played."""

    move: str


@dataclass(frozen=True)
class Evaluate:
    """Ask for the win probability at each step."""


@dataclass(frozen=True)
class Compare:
    """Ask why one move is better than another."""

    first: str
    second: str


@dataclass(frozen=True)
class Belief:
    """Ask what the others may hold."""


@dataclass(frozen=True)
class Review:
    """Ask for a review of the game that is studied."""


@dataclass(frozen=True)
class Practice:
    """Ask for the next puzzle; `begin`: for the first one, `own`: of the game reviewed."""

    begin: bool = False
    own: bool = False


@dataclass(frozen=True)
class Answer:
    """The move that answers a puzzle."""

    move: str


@dataclass(frozen=True)
class Watch:
    """Show each new game of the file that the program was started with, or stop doing so."""

    on: bool


@dataclass(frozen=True)
class Picture:
    """Ask for a picture of the position that is studied."""

    kind: str


@dataclass(frozen=True)
class SaveLine:
    """Ask for the record of what is studied, with the variation that is shown."""


@dataclass(frozen=True)
class Close:
    """Put away what is studied."""


Message = (
    NewGame | Commit | Resume | Leave | Games | Sit | Invite | MakeMove | GiveRoll | GiveCard
    | Undo | Resign | Retry | Go | Stop | Record | Study | Step | Try | Evaluate | Compare | Belief
    | Review | Practice | Answer | Watch | Picture | SaveLine
    | Close
)  # fmt: skip
_TYPES: Final[dict[str, Callable[..., Message]]] = {
    "newgame": NewGame,
    "commit": Commit,
    "resume": Resume,
    "leave": Leave,
    "games": Games,
    "sit": Sit,
    "invite": Invite,
    "move": MakeMove,
    "roll": GiveRoll,
    "card": GiveCard,
    "undo": Undo,
    "resign": Resign,
    "retry": Retry,
    "go": Go,
    "stop": Stop,
    "record": Record,
    "study": Study,
    "step": Step,
    "try": Try,
    "evaluate": Evaluate,
    "compare": Compare,
    "belief": Belief,
    "review": Review,
    "practice": Practice,
    "answer": Answer,
    "watch": Watch,
    "picture": Picture,
    "save": SaveLine,
    "close": Close,
}
MESSAGES: Final = tuple(_TYPES)


def parse_message(text: str) -> Message:
    """The message that a text is. Raises Refused saying what is wrong with it."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise Refused("syntax", f"a message has at most {MAX_BYTES} bytes")
    try:
        given = strict_json(text)
    except (ValueError, RecursionError):
        raise Refused("syntax", "a message is one JSON object") from None
    if not isinstance(given, dict):
        raise Refused("syntax", "a message is one JSON object")
    name = given.pop("type", None)
    if not isinstance(name, str) or name not in _TYPES:
        known = ", ".join(_TYPES)
        raise Refused("unknown", f"type is {shown(name)}: it is one of {known}")
    return _made(name, _TYPES[name], given)


def _made(name: str, kind: Callable[..., T], given: Mapping[str, Any]) -> T:
    """An object of a dataclass from the fields given. Raises Refused."""
    values = {}
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    for key in given:
        if key not in known:
            raise Refused("syntax", f"{name} has no field {shown(key)}")
    for key, field in known.items():
        if key in given:
            values[key] = _READERS[str(field.type)](f"{name}.{key}", given[key])
        elif field.default is MISSING:
            raise Refused("syntax", f"{name} needs the field {key}")
    return kind(**values)


def _wrong(name: str, value: object, what: str) -> Refused:
    return Refused("syntax", f"{name} is {shown(value)}: it must be {what}")


def _text(name: str, value: object) -> str:
    most = MAX_BYTES if name in _LONG else _MAX_TEXT
    if not isinstance(value, str) or len(value) > most:
        raise _wrong(name, value, f"a text of at most {most} letters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _wrong(name, value, "a text without half characters") from None
    return value


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, value, "true or false")
    return value


def _number(name: str, value: object) -> int:
    if type(value) is not int or not 0 <= value <= _MAX_NUMBER:
        raise _wrong(name, value, f"a whole number from 0 to {_MAX_NUMBER}")
    return value


def _seconds(name: str, value: object) -> float:
    if type(value) not in (int, float) or not 0.05 <= value <= _MAX_SECONDS:  # type: ignore[operator]
        raise _wrong(name, value, f"seconds from 0.05 to {_MAX_SECONDS}")
    return float(value)  # type: ignore[arg-type]


def _texts(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > HAND:
        raise _wrong(name, value, f"a list of at most {HAND} texts")
    return tuple(_text(name, one) for one in value)


def _hands(name: str, value: object) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list) or len(value) > 4:
        raise _wrong(name, value, "a list of hands, one for each seat")
    return tuple(_texts(name, hand) for hand in value)


def _seats(name: str, value: object) -> tuple[SeatWish, ...]:
    if not isinstance(value, list) or not 2 <= len(value) <= 4:
        raise _wrong(name, value, "a list of 2 to 4 seats")
    return tuple(_seat(name, one) for one in value)


def _seat(name: str, value: object) -> SeatWish:
    if not isinstance(value, dict):
        raise _wrong(name, value, 'a list of seats like {"kind": "person"}')
    seat = _made(name, SeatWish, value)
    if seat.kind not in ("person", "engine"):
        raise _wrong(f"{name}.kind", seat.kind, "person or engine")
    if seat.level is not None and not 1 <= seat.level <= TOP_LEVEL:
        raise _wrong(f"{name}.level", seat.level, f"from 1 to {TOP_LEVEL}")
    return seat


def _or_none(reader: Callable[[str, object], T]) -> Callable[[str, object], T | None]:
    return lambda name, value: None if value is None else reader(name, value)


# By the annotations of the fields.
_READERS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "str": _text,
    "str | None": _or_none(_text),
    "bool": _flag,
    "int": _number,
    "int | None": _or_none(_number),
    "float | None": _or_none(_seconds),
    "tuple[str, ...]": _texts,
    "tuple[tuple[str, ...], ...] | None": _or_none(_hands),
    "tuple[SeatWish, ...]": _seats,
}
