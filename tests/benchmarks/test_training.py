"""Fitting the models anew, in miniature: stages, shards, the policy, the calibration."""

from __future__ import annotations

import json
import multiprocessing
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from benchmarks.training import bias_fit, calibration, evolution, self_play_data, train
from benchmarks.training.evolution import NetChanges, Players, spread_of, value_against
from benchmarks.training.run_folder import Arrays, TrainingFolder, joined_shards, make_shards
from benchmarks.training.self_play_data import hands_of
from masons.ai.models.calibration import CALIBRATION
from masons.ai.models.choice_biases import BIASES
from masons.ai.models.features import BOARD, INPUTS, SEAT_INPUTS
from masons.ai.models.hand_model import HANDS_NUMBERS, PAGE_AT, PRIOR_NUMBERS
from masons.ai.models.model_data import learned
from masons.ai.models.value_net import HIDDEN, WEIGHTS
from masons.ai.policies.heuristic_moves import PARAMETERS
from masons.ai.self_play.seat_choices import Seat
from masons.ai.self_play.self_play import play_games
from masons.engine.errors import MasonsError
from masons.engine.extras import install_command
from masons.engine.game.table import Table
from tests.support.plain_models import predict as plain_prediction

SMALL = {
    train: {
        "GENERATIONS": 2, "ROUNDS": 2, "MORE_ROUNDS": 1, "EPOCHS": 2, "SHARD_GAMES": 4,
        "VERDICT_GAMES": 1, "BIAS_GAMES": 3, "POLICY_ROUNDS": 2, "POLICY_STEPS": 8,
        "SHARD_STEPS": 4,
    },
    self_play_data: {"GAMES": 2, "HELD_OUT": 2, "SIMULATIONS": (20,)},
    calibration: {"SIMS": 150},
    bias_fit: {"SIMS": 30, "ROUNDS": 2, "COURSE_ROUNDS": 1, "COURSE_GAMES": 10},
    evolution: {
        "PAIRS": 2, "TRIED": 4, "MEASURED": 4, "HEURISTIC_GAMES": 30, "CANDIDATES": 8,
    },
}  # fmt: skip


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, values in SMALL.items():
        for name, value in values.items():
            monkeypatch.setattr(module, name, value)


@pytest.fixture
def _without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "benchmarks.training.torch_fits", raising=False)


@pytest.mark.slow
def test_shares_of_the_heuristics_are_fair() -> None:
    ours, closer = learned()["heuristic"], evolution.CLOSER
    assert evolution.heuristic_share(ours, ours, 3) == pytest.approx(0.5)
    won = evolution.heuristic_share(ours, closer, 3)
    assert won > 0.9
    assert won + evolution.heuristic_share(closer, ours, 3) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.usefixtures("_small")
def test_heuristics_go_on_from_a_generation(tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint.npz"
    evolution.train_heuristic(1, 5, checkpoint)
    fitted = evolution.train_heuristic(2, 5, checkpoint)
    assert (fitted == evolution.train_heuristic(2, 5)).all()


@pytest.mark.slow
def test_the_calibration_makes_shares_right_on_average() -> None:
    rng = np.random.default_rng(2)
    verdicts = []
    for _ in range(4000):
        said = rng.uniform(0.2, 0.95)
        won = rng.random() < said**2  # the deciding seat is flattered
        wins, came = np.array([said, 1 - said]), np.array([won, 1 - won], dtype=float)
        verdicts.append((0.5, 0, wins, 50 * wins, 0.0, came, 40 * wins))
    before = calibration.expected_error(calibration.PLAIN, verdicts)
    after = calibration.expected_error(calibration.fit_calibration(verdicts), verdicts)
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


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run the command in miniature, into a folder and a file beside it."""

    def call(folder: Path, *words: str) -> None:
        small = ["--games", "8", "--processes", "1", "--threads", "1", "--folder", str(folder)]
        out = ["--out", str(folder.with_suffix(".json"))]
        monkeypatch.setattr(sys, "argv", ["train", *small, *out, *words])
        train.main()

    return call


def results(folder: Path) -> dict[str, bytes]:
    """Return the files of a run, by name."""
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*")}
    files["numbers"] = folder.with_suffix(".json")
    return {
        name: path.read_bytes()
        for name, path in files.items()
        if path.is_file() and path.name != ".lock"
    }


@pytest.mark.slow
@pytest.mark.usefixtures("_small")
@pytest.mark.skipif(sys.platform == "win32", reason="a process that goes on as this one by fork")
def test_the_whole_command(tmp_path: Path, run: Callable[..., None]) -> None:
    """Killed at any moment and gone on with, it comes to the same."""
    pytest.importorskip("torch")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    begun = time.monotonic()
    run(whole)
    took = time.monotonic() - begun
    numbers_by_key = json.loads(whole.with_suffix(".json").read_text())
    assert {key: len(numbers) for key, numbers in numbers_by_key.items()} == {
        "heuristic": PARAMETERS, "net": WEIGHTS, "policy": WEIGHTS, "hands": HANDS_NUMBERS,
        "prior": PRIOR_NUMBERS, "biases": BIASES, "calibration": CALIBRATION,
    }  # fmt: skip
    assert all(np.isfinite(numbers).all() for numbers in map(np.array, numbers_by_key.values()))
    context, chance, kills = multiprocessing.get_context("fork"), random.Random(1), 0
    for number in range(6):
        process = context.Process(target=run, args=(killed,))
        process.start()
        process.join(chance.uniform(0, 0.5 * took) if number < 5 else None)
        kills += process.is_alive()
        process.kill()
        process.join()
    assert process.exitcode == 0
    assert kills > 1
    assert results(killed) == results(whole)
    with pytest.raises(SystemExit, match="holds a run with seed 1, not 2: choose another --folder"):
        run(whole, "--seed", "2")


@pytest.mark.slow
@pytest.mark.usefixtures("_small", "_without_torch")
@pytest.mark.parametrize("part", ["policy", "biases", "calibration"])
def test_a_part_alone(tmp_path: Path, run: Callable[..., None], part: str) -> None:
    """All else stays as it is shipped, to the digit; PyTorch is not needed."""
    folder = tmp_path / "run"
    run(folder, f"--{part}")
    numbers_by_key = json.loads(folder.with_suffix(".json").read_text())
    shipped = json.loads(train.LEARNED.read_text())
    assert {key for key in shipped if numbers_by_key[key] != shipped[key]} <= {part}
    assert len(numbers_by_key[part]) == len(shipped[part])
    if part == "policy":
        steps = np.load(folder / "policy-1" / "00000.npz")
        assert steps["steps"].shape[0] == len(steps["values"]) == 4
    else:
        assert np.isfinite(numbers_by_key[part]).all()
        assert numbers_by_key[part] != shipped[part]
    with pytest.raises(SystemExit):
        run(folder)


@pytest.mark.usefixtures("_without_torch")
def test_without_torch_it_says_what_to_install(tmp_path: Path, run: Callable[..., None]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(tmp_path / "run")
    said = f"error: training needs the extra train: {install_command('train')}"
    assert ended.value.code == said
    assert not (tmp_path / "run").exists()


NET = learned()["net"]
PLAYERS = Players(learned()["heuristic"], learned()["hands"])


def logits(net: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Return the logit of the first of two seats less that of the second."""
    (wins,), _ = plain_prediction(net, inputs[None], 2)
    return np.log(wins[0] / wins[1])


@pytest.fixture(scope="module")
def changes() -> NetChanges:
    return NetChanges(np.linspace(0, 1, SEAT_INPUTS))  # the first differs between no seats


def test_no_step_changes_nothing(changes: NetChanges) -> None:
    assert changes.count == 3 * (SEAT_INPUTS - 1) + 2 * (HIDDEN - 4) + 2
    assert (changes.changed(NET, np.zeros(changes.count)) == NET).all()
    for number in range(changes.count):
        step = np.zeros(changes.count)
        step[number] = 1
        assert (changes.changed(NET, step) != NET).any(), number


def test_an_input_adds_to_the_logit_of_its_seat(changes: NetChanges) -> None:
    step = np.zeros(changes.count)
    step[9] = 2  # of input 10
    inputs = np.zeros(INPUTS)
    inputs[10], inputs[SEAT_INPUTS + 10], inputs[BOARD + 13] = 0.9, 0.2, 1
    more = logits(changes.changed(NET, step), inputs) - logits(NET, inputs)
    assert more == pytest.approx(2 * 0.03 * 0.7 / (10 / (SEAT_INPUTS - 1)), rel=1e-3)


def test_logits_and_scores_are_stretched(changes: NetChanges) -> None:
    inputs = np.random.default_rng(1).random(INPUTS)
    step = np.zeros(changes.count)
    step[-2:] = 1, -1
    changed = changes.changed(NET, step)
    assert logits(changed, inputs) == pytest.approx(np.exp(0.1) * logits(NET, inputs), rel=1e-3)
    (_, scores), (_, before) = (plain_prediction(net, inputs[None], 2) for net in (changed, NET))
    assert np.diff(scores) == pytest.approx(np.exp(-0.2) * np.diff(before), rel=1e-3)


def test_the_direction_is_that_of_the_winners() -> None:
    rng = np.random.default_rng(3)
    slope = np.array([0.02, -0.01, 0.0])
    steps = evolution.SIZE * rng.standard_normal((4000, 3))
    values = 2 * steps @ slope + 0.1 * rng.standard_normal(4000)  # against the mirror image
    halves = [{"steps": part, "values": value} for part, value in
              zip(np.split(steps, 2), np.split(values, 2), strict=True)]  # fmt: skip
    assert evolution.direction_of(halves, np.zeros(3)) == pytest.approx(slope, abs=0.004)
    before = np.array([1.0, 0.0, 0.0])
    assert evolution.direction_of(halves, before) == pytest.approx(
        slope + evolution.KEPT * before, abs=0.004
    )


@pytest.mark.slow
def test_what_a_net_gets_another_loses(table: Table) -> None:
    spread = spread_of(NET)
    changes = NetChanges(spread)
    other = changes.changed(NET, np.random.default_rng(2).standard_normal(changes.count))
    seeds = range(5, 25)
    assert not value_against(table, NET, NET, PLAYERS, seeds).any()
    ours = value_against(table, NET, other, PLAYERS, seeds)
    theirs = value_against(table, other, NET, PLAYERS, seeds)
    assert ours.any()
    assert ours == pytest.approx(-theirs)


@pytest.mark.slow
def test_a_direction_that_loses_is_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    spread = spread_of(NET)
    direction = np.zeros(NetChanges(spread).count)
    direction[-2] = -1  # all logits towards 0: the score alone counts
    monkeypatch.setattr(evolution, "LENGTHS", (200.0,))
    monkeypatch.setattr(evolution, "TRIED", 60)
    assert evolution.gone_on(NET, spread, direction, PLAYERS, 1) is NET


def shard(seed: int) -> Arrays:
    """Return some rows of three games."""
    rng = np.random.default_rng(seed)
    return {
        "inputs": rng.random((6, 5)).astype(np.float16), "game": np.array([0, 0, 1, 1, 1, 2]),
        "held_out": np.array([False] * 5 + [True]), "players": rng.integers(2, 5, 6),
    }  # fmt: skip


def test_only_shards_that_are_missing_are_made(tmp_path: Path) -> None:
    made: list[int] = []

    def work(seed: int) -> Arrays:
        made.append(seed)
        return shard(seed)

    paths = make_shards(tmp_path, work, 4, 7, 1)
    before = [path.read_bytes() for path in paths]
    assert len(set(made)) == len(set(before)) == 4
    paths[2].unlink()
    assert make_shards(tmp_path, work, 4, 7, 1) == paths
    assert made[4:] == made[2:3]
    assert [path.read_bytes() for path in paths] == before


@pytest.mark.slow
def test_several_processes_make_the_same_shards(tmp_path: Path) -> None:
    files = []
    for processes in (1, 2):
        folder = tmp_path / str(processes)
        folder.mkdir()
        files.append([p.read_bytes() for p in make_shards(folder, shard, 3, 7, processes)])
    assert files[0] == files[1]


def test_shards_are_joined_in_a_file(tmp_path: Path) -> None:
    paths = make_shards(tmp_path, shard, 3, 7, 1)
    parts = [np.load(path) for path in paths]
    columns = joined_shards(paths, tmp_path)
    assert isinstance(columns["inputs"], np.memmap)
    for name in ("inputs", "players", "held_out"):
        assert (columns[name] == np.concatenate([part[name] for part in parts])).all()
    assert columns["game"].tolist() == [0, 0, 1, 1, 1, 2, 3, 3, 4, 4, 4, 5, 6, 6, 7, 7, 7, 8]
    assert columns["game"].dtype == np.int64


def test_a_stage_that_is_done_is_not_done_again(tmp_path: Path) -> None:
    calls: list[str] = []

    def work(stage: Path) -> np.ndarray:
        calls.append(stage.name)
        joined_shards(make_shards(stage, shard, 1, 7, 1), stage)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return np.arange(3) + len(calls)

    with TrainingFolder(tmp_path / "a" / "b", {"seed": 1}).held():
        pass
    folder = TrainingFolder(tmp_path / "a" / "b", {"seed": 1})
    with folder.held():
        assert folder.stage("one", work).tolist() == [1, 2, 3]
        with pytest.raises(KeyboardInterrupt):
            folder.stage("two", work)
    (folder.path / "two" / ".00000.npz.half").touch()
    folder = TrainingFolder(tmp_path / "a" / "b", {"seed": 1})
    with folder.held():
        assert folder.stage("one", work).tolist() == [1, 2, 3]
        assert folder.stage("two", work).tolist() == [3, 4, 5]
    assert calls == ["one", "two", "two"]
    assert {path.name for path in (folder.path / "two").iterdir()} == {"00000.npz", "result.npy"}


def test_other_options_another_process_and_damage_are_refused(tmp_path: Path) -> None:
    with TrainingFolder(tmp_path, {"seed": 1, "games": 5}).held():
        pass
    other = TrainingFolder(tmp_path, {"seed": 2, "games": 5})
    with pytest.raises(MasonsError, match="a run with seed 1, not 2"), other.held():
        pass
    (tmp_path / "progress.json").write_text("[]")
    with pytest.raises(MasonsError, match="is not the progress of a training run"), other.held():
        pass
    said = "is being written by another process"
    with FileLock(tmp_path / ".lock"), pytest.raises(MasonsError, match=said), other.held():
        pass
