"""The command that tells how often intervals hold."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.ruler import coverage


def row(win: float, half: float, reference: float, error: float = 0.0, move: int = 1) -> dict:  # type: ignore[type-arg]
    figures = {"win": win, "interval": half, "ref_win": reference, "ref_error": error}
    loss = {"loss": 0.0, "loss_interval": 0.1, "ref_loss": 0.0, "ref_loss_error": 0.0}
    return {**figures, **loss, "move": move, "equal": False}


def line(*analyses: list, kind: str = "wall") -> dict:  # type: ignore[type-arg]
    return {"kind": kind, "players": 2, "analyses": list(analyses), "widths": []}


def test_what_lies_inside_is_covered_and_the_references_own_error_counts() -> None:
    assert coverage.holds(row(0.5, 0.1, 0.59), is_loss=False)
    assert not coverage.holds(row(0.5, 0.1, 0.61), is_loss=False)
    assert coverage.holds(row(0.5, 0.1, 0.61, 0.05), is_loss=False)


def test_a_row_for_each_group() -> None:
    rows = [row(0.5, 0.1, 0.5)], [row(0.5, 0.1, 0.9)]
    table = coverage.coverage_table([line(*rows)])
    found = {cells[0]: cells[1:3] for cells in table.rows}
    assert found["win, all"] == found["win, wall"] == ("2", "50.0 ± 0.0")
    assert found["win, swap"] == found["loss, all"] == ("0", "-")


def test_seeds_agree_by_the_same_move_or_where_each_calls_the_others_equal() -> None:
    one, two = row(0.5, 0.1, 0.5, move=1), row(0.5, 0.1, 0.5, move=2)
    assert list(coverage.agreements([line([one, two], [one])])) == [True]
    assert list(coverage.agreements([line([one, two], [two, one])])) == [False]
    equal = [{**one, "equal": True}, {**two, "equal": True}]
    assert list(coverage.agreements([line(equal, equal[::-1])])) == [True]
    assert list(coverage.agreements([line(equal, [two, one])])) == [False]


def test_the_exponent_of_what_falls_with_the_root_of_the_time() -> None:
    widths = [{"cpu": cpu, "half": 0.3 * cpu**-0.5} for cpu in (2.0, 6.0, 20.0)]
    slope, error = coverage.exponent([{"widths": widths}, {"widths": widths[:2]}])
    assert slope == pytest.approx(-0.5)
    assert error == pytest.approx(0, abs=1e-6)


def test_half_a_line_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    coverage.append_line(path, {"settings": [1], "n": 1})
    path.write_text(path.read_text(encoding="utf-8") + '{"settings": [1], "n"', encoding="utf-8")
    coverage.append_line(path, {"settings": [1], "n": 2})
    coverage.append_line(path, {"settings": [2], "n": 3})
    assert [found["n"] for found in coverage.read_lines(path, [1])] == [1, 2]


@pytest.mark.slow
def test_a_run_goes_on_where_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lines.jsonl"
    monkeypatch.setattr(coverage, "KINDS", {"wall": ("wall",), "swap": ("swap",)})
    small = [
        "--decisions",
        "1",
        "--analyses",
        "2",
        "--seconds",
        "0.3",
        "--reference",
        "0.1",
        "--times",
        "0.3",
        "0.4",
    ]
    monkeypatch.setattr(sys, "argv", ["coverage", str(path), *small])
    coverage.main()
    lines = path.read_text(encoding="utf-8")
    assert lines.count("\n") == 6
    first = capsys.readouterr().out
    assert "two seeds agree" in first
    assert "to the power of" in first
    coverage.main()
    assert path.read_text(encoding="utf-8") == lines
    assert capsys.readouterr().out == first
