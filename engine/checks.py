"""Check what callers from Python pass, each with an error that says what would be right.

Plain Python. Numbers may be numpy's; a bool is no number, and a number is no bool.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from operator import index
from reprlib import Repr
from typing import Any, Final, NoReturn, TypeVar

from masons.engine.errors import MasonsError

T = TypeVar("T")

_REPR: Final = Repr()
_MOST_ITEMS: Final = 1 << 24


def shown(value: object) -> str:
    """Return any value on one short line, for messages."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(int(value)) >= 1 << 128:
        return "a huge number"
    try:
        text = _REPR.repr(value)
    except Exception:  # of an object's own repr, or of a huge number inside it
        return f"a {type(value).__name__}"
    return " ".join(text.split())


def file_shown(path: object) -> str:
    """Return a file's name for messages: as it is, unless it is long or unprintable."""
    text = str(path)
    return text if len(text) <= 500 and text.isprintable() else shown(text)


def whole(value: object) -> int | None:
    """Return a whole number, also one of numpy's, as an int; None for anything else."""
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return None
    try:
        return int(index(value))  # type: ignore[arg-type]
    except TypeError:
        return None


def real(value: object) -> float | None:
    """Return a finite number, also one of numpy's, as a float; None for anything else."""
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
    """Raise MasonsError: a value is not what it must be."""
    raise MasonsError(f"{name} is {shown(value)}: it must be {what}")


def check_whole(name: str, value: object, least: int, most: int, what: str = "") -> int:
    """Return a whole number from `least` to `most`. Raises MasonsError."""
    number = whole(value)
    if number is None or not least <= number <= most:
        refuse(name, value, what or f"a whole number from {least} to {most}")
    return number


def check_any_whole(name: str, value: object, what: str = "a whole number") -> int:
    """Return a whole number of any size. Raises MasonsError."""
    number = whole(value)
    if number is None:
        refuse(name, value, what)
    return number


def check_flag(name: str, value: object) -> bool:
    """Return a bool. Raises MasonsError."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
        refuse(name, value, "True or False")
    return bool(value)


def check_text(name: str, value: object, what: str = "a text") -> str:
    """Return a str. Raises MasonsError."""
    if not isinstance(value, str):
        refuse(name, value, what)
    return value


def is_utf8(text: str) -> bool:
    """Return whether a text can be written as UTF-8: JSON may hold half a character."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def check_type(name: str, value: object, kind: type[T], what: str) -> T:
    """Return a value that is of a class. Raises MasonsError."""
    if not isinstance(value, kind):
        refuse(name, value, what)
    return value


def check_list(name: str, value: object, kind: type[T], what: str) -> list[T]:
    """Return a list of values of a class, from any collection but a str or a mapping.

    Raises MasonsError.
    """
    items: list[Any] | None = None
    if isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping):
        try:
            items = list(value) if len(value) <= _MOST_ITEMS else None
        except (TypeError, OverflowError):  # numpy's array of no dimension, a huge range
            items = None
    if items is None or not all(isinstance(item, kind) for item in items):
        refuse(name, value, what)
    return items


def check_wholes(name: str, value: object, most: int, what: str, least: int = 0) -> tuple[int, ...]:
    """Return whole numbers as a tuple. Raises MasonsError."""
    items: Sequence[Any] = check_list(name, value, object, what)
    converted = [whole(item) for item in items]
    if any(number is None or not least <= number <= most for number in converted):
        refuse(name, value, what)
    return tuple(number for number in converted if number is not None)
