"""The ladder of named players and the floors of the default player."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import ladder
from masons.ai.search.limits import Limits
from masons.match.running.match_file import read_outcomes
from masons.match.statistics.estimates import Estimate


@pytest.mark.parametrize(
    ("mean", "low", "word"), [(0.98, 0.97, "bound"), (0.97, 0.9, "mean"), (0.96, 0.9, "no")]
)
def test_how_a_floor_is_reached(mean: float, low: float, word: str) -> None:
    assert ladder.reached(Estimate(mean, low, 1.0), 0.97) == word


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", "--floors"])
def test_a_ladder_goes_on_from_its_file(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.jsonl"
    words = f"ladder {kind} --games 1 --sims 8 --out {path}"
    monkeypatch.setattr("sys.argv", words.split())
    ladder.main()
    table = capsys.readouterr().out
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:6]) + lines[6][:300])
    ladder.main()
    assert capsys.readouterr().out == table
    assert len(list(read_outcomes(path))) == len(lines)
    if kind:
        names = [floor for floor, _ in ladder.floor_matches(Limits(sims=8), 0)]
        assert len(names) == len(ladder.FLOORS) - 1  # without the timed floor
        assert table.count("| default:") == len(names) + 1  # one has a margin, too
    else:
        assert len(lines) == 42
        assert "placed before, %" in table
