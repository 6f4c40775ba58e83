"""Checks of arguments from Python callers, with messages that say what would be right.

The module is plain Python. Numbers may be numpy scalars. A bool does not pass as a number, and a
number does not pass as a bool.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from operator import index
from reprlib import Repr
from typing import Any, Final, NoReturn, TypeVar

from masons.engine.errors import MasonsError
from masons.engine.plain_text import shortened

T = TypeVar("T")

_REPR: Final = Repr()
_MOST_SHOWN: Final = 120  # characters of a value in a message
_MOST_ITEMS: Final = 1 << 24


def shown(value: object) -> str:
    """Return any value as one short line of text for messages."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(int(value)) >= 1 << 128:
        return "a huge number"
    try:
        text = _REPR.repr(value)
    except Exception:  # a faulty __repr__, or a huge number inside a container
        return f"a {type(value).__name__}"
    return shortened(" ".join(text.split()), _MOST_SHOWN)


def file_shown(path: object) -> str:
    """Return a file name for messages: unchanged, or shortened if it is long or unprintable."""
    text = str(path)
    return text if len(text) <= 500 and text.isprintable() else shown(text)


def whole(value: object) -> int | None:
    """Return a whole number (including a numpy scalar) as an int, and None for anything else."""
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return None
    try:
        return int(index(value))  # type: ignore[arg-type]
    except TypeError:
        return None


def real(value: object) -> float | None:
    """Return a finite number (including a numpy scalar) as a float, and None for anything else."""
    if (number := whole(value)) is None:
        if not isinstance(value, float) and not hasattr(value, "dtype"):
            return None
        try:
            converted = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return None
    else:
        try:
            converted = float(number)
        except OverflowError:
            return None
    is_flag = getattr(getattr(value, "dtype", None), "kind", "f") not in "fiu"
    return converted if math.isfinite(converted) and not is_flag else None


def refuse(name: str, value: object, what: str) -> NoReturn:
    """Raise MasonsError with the message "{name} is {value}: it must be {what}"."""
    raise MasonsError(f"{name} is {shown(value)}: it must be {what}")


def check_whole(name: str, value: object, least: int, most: int, what: str = "") -> int:
    """Return a whole number from `least` to `most` as an int.

    Raises MasonsError for anything else.
    """
    number = whole(value)
    if number is None or not least <= number <= most:
        refuse(name, value, what or f"a whole number from {least} to {most}")
    return number


def check_any_whole(name: str, value: object, what: str = "a whole number") -> int:
    """Return a whole number of any size as an int. Raises MasonsError for anything else."""
    number = whole(value)
    if number is None:
        refuse(name, value, what)
    return number


def check_flag(name: str, value: object) -> bool:
    """Return a bool (including a numpy bool) as a bool. Raises MasonsError for anything else."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
        refuse(name, value, "True or False")
    return bool(value)


def check_text(name: str, value: object, what: str = "a text") -> str:
    """Return a str unchanged. Raises MasonsError for anything else."""
    if not isinstance(value, str):
        refuse(name, value, what)
    return value


def is_utf8(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8 (text from JSON may hold a lone surrogate)."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def check_type(name: str, value: object, kind: type[T], what: str) -> T:
    """Return a value unchanged if it is an instance of a class; raise MasonsError otherwise."""
    if not isinstance(value, kind):
        refuse(name, value, what)
    return value


def check_function(name: str, value: object) -> None:
    """Raise MasonsError for anything but a function or None."""
    if value is not None and not callable(value):
        refuse(name, value, "a function or None")


def check_list(name: str, value: object, kind: type[T], what: str) -> list[T]:
    """Return a collection as a list, in which every item must be an instance of `kind`.

    Raises MasonsError for a str, bytes or mapping, for more than 2**24 items, and for an item of
    another class.
    """
    items: list[Any] | None = None
    if isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping):
        try:
            items = list(value) if len(value) <= _MOST_ITEMS else None
        except (TypeError, OverflowError):  # a numpy array without dimensions, or a huge range
            items = None
    if items is None or not all(isinstance(item, kind) for item in items):
        refuse(name, value, what)
    return items


def check_wholes(name: str, value: object, most: int, what: str, least: int = 0) -> tuple[int, ...]:
    """Return whole numbers from `least` to `most` as a tuple.

    Raises MasonsError for any other value.
    """
    items: Sequence[Any] = check_list(name, value, object, what)
    converted = [whole(item) for item in items]
    if any(number is None or not least <= number <= most for number in converted):
        refuse(name, value, what)
    return tuple(number for number in converted if number is not None)
