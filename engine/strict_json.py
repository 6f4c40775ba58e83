"""Strict reading of JSON: no NaN, no Infinity (not even as 1e999), no repeated keys."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn


class RepeatedKeyError(ValueError):
    """An object in a JSON text that has the key `key` twice."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} occurs twice in one object")
        self.key = key


class NotANumberError(ValueError):
    """A value `name` that is no JSON number: NaN, Infinity, -Infinity, or too large for a float."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not a JSON number")
        self.name = name


def strict_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises RepeatedKeyError or NotANumberError, and the errors of `json.loads`: JSONDecodeError,
    RecursionError, and ValueError for whole numbers of thousands of digits.
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
