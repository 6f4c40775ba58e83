"""The fit of the level: it finds the weights by which results were made."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.ruler import level_fit
from masons.ai.rollout.level import KNOTS


def made_lines(players: int) -> list[dict[str, Any]]:
    """Return games whose results follow from search and rollout, at random by known weights."""
    rng = np.random.default_rng(players)
    fair, lines = -np.log(players - 1), []
    for game in range(3000):
        decisions = []
        for left in (0.2, 0.5, 0.8):
            search, rollout = (fair + rng.normal(0, 1.5, 2)).tolist()
            odds = fair + 0.7 * (search - fair) + 0.2 * (rollout - fair) - 0.4 * left
            won = float(rng.random() < 1 / (1 + np.exp(-odds)))
            said = [1 / (1 + np.exp(-each)) for each in (search, rollout)]
            decisions.append(
                {
                    "left": left,
                    "third": round(2 - left / 0.4),
                    "search": [said[0], 60.0, 50.0],
                    "rollout": [said[1], 50.0, 50.0],
                    "result": [won, 58.0, 50.0 - 4 * left],
                }
            )
        lines.append({"players": players, "game": game, "decisions": decisions})
    return lines


@pytest.mark.parametrize("players", [2, 4])
def test_the_fit_finds_the_weights_that_made_the_results(players: int) -> None:
    rows = level_fit.Rows(made_lines(players), players)
    weights = level_fit.weights_of(rows)
    assert weights[:4] == pytest.approx((0.7, 0.2, -0.4, 0.0), abs=0.15)
    assert weights.own == (3.0, 3.0, 3.0)
    assert weights.others == tuple(round(-4 * left, 1) for left in KNOTS[1:])
    chances = level_fit.held_out(rows)
    squares, *others = (
        float(np.square(each - rows.result[:, 0]).mean())
        for each in (chances, rows.search[:, 0], rows.rollout[:, 0])
    )
    assert squares < min(others)
    assert f"squared error {squares:.4f}" in level_fit.squares_text([rows], [chances])


def test_the_command_prints_a_line_for_each_number_of_players(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "truth.jsonl"
    lines = [json.dumps(line) for players in (2, 3) for line in made_lines(players)[:200]]
    file.write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(sys, "argv", ["level_fit", str(file)])
    level_fit.main()
    printed = capsys.readouterr().out
    assert printed.count("LevelWeights(searched=") == 2
    assert printed.count("bias in the last third") == 2
    assert "all: 1200 decisions" in printed
