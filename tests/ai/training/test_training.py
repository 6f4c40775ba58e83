"""Fitting the numbers of the search anew, in miniature."""

from __future__ import annotations

import json
import multiprocessing
import random
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from masons.ai.models.calibration import CALIBRATION
from masons.ai.models.hand_model import HANDS_NUMBERS, PAGE_AT
from masons.ai.models.model_data import learned
from masons.ai.models.net_shapes import WEIGHTS
from masons.ai.policies.heuristic_moves import PARAMETERS
from masons.ai.self_play.seat_choices import Seat
from masons.ai.self_play.self_play import play_games
from masons.ai.training import (
    train,
    train_calibration,
    train_heuristic,
    train_policy,
    training_games,
)
from masons.ai.training.training_hands import hands_of
from masons.engine.game.table import Table


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "GENERATIONS", 2)
    monkeypatch.setattr(train, "ROUNDS", 2)
    monkeypatch.setattr(train, "MORE_ROUNDS", 1)
    monkeypatch.setattr(train, "EPOCHS", 2)
    monkeypatch.setattr(train, "SHARD_GAMES", 4)
    monkeypatch.setattr(train, "VERDICT_GAMES", 1)
    monkeypatch.setattr(training_games, "GAMES", 2)
    monkeypatch.setattr(training_games, "HELD_OUT", 2)
    monkeypatch.setattr(training_games, "SIMULATIONS", (20,))
    monkeypatch.setattr(train_calibration, "SIMS", 150)
    monkeypatch.setattr(train, "POLICY_ROUNDS", 2)
    monkeypatch.setattr(train, "POLICY_STEPS", 8)
    monkeypatch.setattr(train, "SHARD_STEPS", 4)
    monkeypatch.setattr(train_policy, "PAIRS", 2)
    monkeypatch.setattr(train_policy, "TRIED", 4)
    monkeypatch.setattr(train_policy, "MEASURED", 4)
    monkeypatch.setattr(train_heuristic, "GAMES", 30)
    monkeypatch.setattr(train_heuristic, "CANDIDATES", 8)


@pytest.fixture
def _without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "masons.ai.training.gradient_descent", raising=False)


@pytest.mark.slow
def test_shares_of_the_heuristics_are_fair() -> None:
    ours, closer = learned()["heuristic"], train_heuristic.CLOSER
    assert train_heuristic.heuristic_share(ours, ours, 3) == pytest.approx(0.5)
    won = train_heuristic.heuristic_share(ours, closer, 3)
    assert won > 0.9
    assert won + train_heuristic.heuristic_share(closer, ours, 3) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.usefixtures("_small")
def test_heuristics_go_on_from_a_generation(tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint.npz"
    train_heuristic.train_heuristic(1, 5, checkpoint)
    found = train_heuristic.train_heuristic(2, 5, checkpoint)
    assert (found == train_heuristic.train_heuristic(2, 5)).all()


@pytest.mark.slow
def test_the_calibration_makes_shares_right_on_average() -> None:
    rng = np.random.default_rng(2)
    verdicts = []
    for _ in range(4000):
        said = rng.uniform(0.2, 0.95)
        won = rng.random() < said**2  # the deciding seat is flattered
        wins, came = np.array([said, 1 - said]), np.array([won, 1 - won], dtype=float)
        verdicts.append((0.5, 0, wins, 50 * wins, 0.0, came, 40 * wins))
    before = train_calibration.expected_error(train_calibration.PLAIN, verdicts)
    after = train_calibration.expected_error(train_calibration.fit_calibration(verdicts), verdicts)
    assert after < 0.05 < 0.1 < before


@pytest.mark.slow
def test_hands_of_games(table: Table) -> None:
    seats = [Seat(0, learned()["heuristic"], learned()["net"])] * 2
    games = play_games(table, seats, [1, 2, 3])
    hands = hands_of(games, table, np.random.default_rng(1))
    assert len(hands.held) == len(games.starts)
    assert (hands.unseen >= hands.held).all()
    assert (hands.held.sum(axis=1) <= 8).all()
    first = np.flatnonzero(np.diff(games.of_game, prepend=-1))
    assert not hands.inputs[first, PAGE_AT:].any()
    assert hands.inputs[first + 5, PAGE_AT:].any(axis=1).all()


@pytest.mark.usefixtures("_without_torch")
def test_without_torch_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["train", "--folder", str(tmp_path / "run")])
    with pytest.raises(SystemExit) as ended:
        train.main()
    said = "error: training needs the extra train: pip install 'masons-engine[train]'"
    assert ended.value.code == said
    assert not (tmp_path / "run").exists()


def arguments(folder: Path) -> list[str]:
    """Of the smallest run, into a folder and a file beside it."""
    out = str(folder.with_suffix(".json"))
    return [
        "--games", "8", "--processes", "1", "--threads", "1", "--folder", str(folder), "--out", out,
    ]  # fmt: skip


def results(folder: Path) -> dict[str, bytes]:
    """What a run leaves."""
    files = [*folder.rglob("*"), folder.with_suffix(".json")]
    return {path.name if path.parent == folder.parent else str(path.relative_to(folder)):
            path.read_bytes() for path in files
            if path.is_file() and path.name != ".lock"}  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("_small")
@pytest.mark.skipif(sys.platform == "win32", reason="a process that goes on as this one by fork")
def test_the_whole_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed at any moment and gone on with, it comes to the same."""
    pytest.importorskip("torch")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    monkeypatch.setattr(sys, "argv", ["train", *arguments(whole)])
    begun = time.monotonic()
    train.main()
    took = time.monotonic() - begun
    found = json.loads(whole.with_suffix(".json").read_text())
    assert {key: len(numbers) for key, numbers in found.items()} == {
        "heuristic": PARAMETERS, "net": WEIGHTS, "policy": WEIGHTS, "hands": HANDS_NUMBERS,
        "calibration": CALIBRATION,
    }  # fmt: skip
    assert all(np.isfinite(numbers).all() for numbers in map(np.array, found.values()))
    monkeypatch.setattr(sys, "argv", ["train", *arguments(killed)])
    context, chance, kills = multiprocessing.get_context("fork"), random.Random(1), 0
    for number in range(6):
        process = context.Process(target=train.main)
        process.start()
        process.join(chance.uniform(0, 0.5 * took) if number < 5 else None)
        kills += process.is_alive()
        process.kill()
        process.join()
    assert process.exitcode == 0
    assert kills > 1
    again, expected = results(killed), results(whole)
    assert again.keys() == {name.replace("whole", "killed") for name in expected}
    for name, data in expected.items():
        assert again[name.replace("whole", "killed")] == data, name
    monkeypatch.setattr(sys, "argv", ["train", *arguments(whole), "--seed", "2"])
    with pytest.raises(SystemExit, match="holds a run with seed 1, not 2: choose another --folder"):
        train.main()


@pytest.mark.slow
@pytest.mark.usefixtures("_small", "_without_torch")
def test_the_policy_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All else stays as it is shipped, to the digit; PyTorch is not asked for."""
    folder = tmp_path / "run"
    monkeypatch.setattr(sys, "argv", ["train", "--policy", *arguments(folder)])
    train.main()
    found = json.loads(folder.with_suffix(".json").read_text())
    shipped = json.loads(train.LEARNED.read_text())
    assert {key for key in shipped if found[key] != shipped[key]} <= {"policy"}
    assert len(found["policy"]) == len(shipped["policy"])
    steps = np.load(folder / "policy-1" / "00000.npz")
    assert steps["steps"].shape[0] == len(steps["values"]) == 4
    monkeypatch.setattr(sys, "argv", ["train", *arguments(folder)])
    with pytest.raises(SystemExit):
        train.main()
