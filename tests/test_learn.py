"""Learning the numbers of the search anew, in miniature."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import learn
from masons.ai.calibration import CALIBRATION
from masons.ai.leaf import LEAF_WEIGHTS
from masons.ai.learned import learned
from masons.ai.thumb import PARAMETERS


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "SIMS", 60)
    monkeypatch.setattr(learn, "CALIBRATION_SIMS", 200)
    monkeypatch.setattr(learn, "GAMES", 60)
    monkeypatch.setattr(learn, "CANDIDATES", 8)


def test_shares_of_the_rules_of_thumb_are_fair() -> None:
    ours, closer = learned()["thumb"], learn.CLOSER
    assert learn.thumb_share(ours, ours, 3) == pytest.approx(0.5)
    won = learn.thumb_share(ours, closer, 3)
    assert won > 0.9
    assert won + learn.thumb_share(closer, ours, 3) == pytest.approx(1.0)


def test_the_leaf_finds_what_made_the_scores() -> None:
    luck = np.random.default_rng(1)
    samples = []
    for _ in range(3000):
        seats, left = luck.integers(0, 9, (3, learn.FEATURES)).astype(float), luck.random()
        final = 2.0 * seats[:, 0] + (1.0 - left) * seats[:, 3] + luck.normal(0, 0.1, 3)
        samples.append((seats, left, final))
    weights = learn.fit_leaf(samples)[:-2].reshape(-1, 2)
    assert weights[0] == pytest.approx([2.0, 0.0], abs=0.05)
    assert weights[3] == pytest.approx([1.0, -1.0], abs=0.05)


def test_the_calibration_makes_shares_right_on_average() -> None:
    luck = np.random.default_rng(2)
    verdicts = []
    for _ in range(4000):
        said = luck.uniform(0.2, 0.95)
        won = luck.random() < said**2  # the deciding seat is flattered
        wins, came = np.array([said, 1 - said]), np.array([won, 1 - won], dtype=float)
        verdicts.append((0.5, 0, wins, 50 * wins, 0.0, came, 40 * wins))
    before = learn.expected_error(learn.PLAIN, verdicts)
    after = learn.expected_error(learn.fit_calibration(verdicts), verdicts)
    assert after < 0.05 < 0.1 < before


def test_the_whole_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "learned.json"
    monkeypatch.setattr(sys, "argv", ["learn.py", "--minutes", "0.03", "--out", str(out)])
    learn.main()
    found = json.loads(out.read_text())
    assert {key: len(numbers) for key, numbers in found.items()} == {
        "thumb": PARAMETERS, "leaf": LEAF_WEIGHTS, "calibration": CALIBRATION,
    }  # fmt: skip
    assert all(np.isfinite(numbers).all() for numbers in map(np.array, found.values()))
