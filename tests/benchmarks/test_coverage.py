"""The command that tells how often intervals hold."""

from __future__ import annotations

import pytest

from benchmarks.ruler.coverage import Checked, check, table_of


def checked(found: float, half: float, played: float, error: float = 0.0) -> Checked:
    return Checked("values", "wall", 2, 0.5, found, half, played, error)


def test_what_lies_inside_is_covered_and_the_games_own_error_counts() -> None:
    assert checked(0.5, 0.1, 0.59).is_covered
    assert not checked(0.5, 0.1, 0.61).is_covered
    assert checked(0.5, 0.1, 0.61, 0.05).is_covered


def test_a_row_for_each_group() -> None:
    text = str(table_of([checked(0.5, 0.1, 0.5), checked(0.5, 0.1, 0.9)]))
    assert "50 %" in text
    assert "values, wall" in text
    assert "losses" not in text


@pytest.mark.slow
@pytest.mark.parametrize("method", ["halving", "ismcts"])
def test_a_decision_of_the_ruler_is_checked(method: str) -> None:
    rows = check(method, 1000, 16, 5)
    assert rows[0].what == "values"
    assert all(0 < row.half < 1 for row in rows)
    assert rows == check(method, 1000, 16, 5)
