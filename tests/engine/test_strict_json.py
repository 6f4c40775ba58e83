"""JSON that means something else than it says is refused."""

from __future__ import annotations

import pytest

from masons.engine.strict_json import NotANumberError, RepeatedKeyError, strict_json


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", "-1e400", "[1, 2e308]"])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(NotANumberError):
        strict_json(f'{{"undo": {text}}}')


def test_a_key_twice() -> None:
    with pytest.raises(RepeatedKeyError, match="'a'"):
        strict_json('{"a": 1, "a": 2}')


def test_what_is_right() -> None:
    assert strict_json('{"a": [1, 2.5, 1e308, null, true], "b": "NaN"}') == {
        "a": [1, 2.5, 1e308, None, True],
        "b": "NaN",
    }
