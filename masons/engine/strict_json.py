"""Strict reading of JSON, which refuses NaN, infinite numbers (such as 1e999) and repeated keys."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn


class RepeatedKeyError(ValueError):
    """Raised for a JSON text in which an object has the key `key` twice."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} occurs twice in one object")
        self.key = key


class NotANumberError(ValueError):
    """Raised for a value `name` that is not a finite JSON number, such as NaN or 1e999."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not a JSON number")
        self.name = name


def strict_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises RepeatedKeyError and NotANumberError, and also the errors of `json.loads`:
    JSONDecodeError, RecursionError, and ValueError for whole numbers with thousands of digits.
    A reader that gives all of them the same message catches READ_ERRORS.
    """
    return json.loads(
        text, object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_finite
    )


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if key in fields:
            raise RepeatedKeyError(key)
        fields[key] = value
    return fields


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise NotANumberError(digits[:20])
    return number


def _no_constant(name: str) -> NoReturn:
    raise NotANumberError(name)
