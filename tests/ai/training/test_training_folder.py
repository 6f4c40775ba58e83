"""The folder of a training run: nothing is done twice, and nothing by halves."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from masons.ai.training.training_folder import (
    Arrays,
    TrainingFolder,
    joined_shards,
    make_shards,
    read_arrays,
)
from masons.engine.errors import MasonsError


def shard(seed: int) -> Arrays:
    """Some rows of three games."""
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
    found = []
    for processes in (1, 2):
        folder = tmp_path / str(processes)
        folder.mkdir()
        found.append([p.read_bytes() for p in make_shards(folder, shard, 3, 7, processes)])
    assert found[0] == found[1]


def _fail_on(path: Path, seed: int) -> Arrays:
    """The second shard of all takes an error."""
    if path.exists():
        raise OSError("no more")
    path.touch()
    return shard(seed)


def test_what_was_made_before_an_error_stays(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no more"):
        make_shards(tmp_path, partial(_fail_on, tmp_path / "once"), 3, 7, 1)
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == ["00000.npz"]


def test_shards_are_joined_in_a_file(tmp_path: Path) -> None:
    paths = make_shards(tmp_path, shard, 3, 7, 1)
    parts = [read_arrays(path) for path in paths]
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


def test_other_options_are_refused(tmp_path: Path) -> None:
    with TrainingFolder(tmp_path, {"seed": 1, "games": 5}).held():
        pass
    other = TrainingFolder(tmp_path, {"seed": 2, "games": 5})
    with pytest.raises(MasonsError, match="a run with seed 1, not 2"), other.held():
        pass
    (tmp_path / "progress.json").write_text("[]")
    with pytest.raises(MasonsError, match="is not the progress of a training run"), other.held():
        pass


def test_a_folder_is_written_by_one_process(tmp_path: Path) -> None:
    with (
        FileLock(tmp_path / ".lock"),
        pytest.raises(MasonsError, match="is being written by another process"),
        TrainingFolder(tmp_path, {}).held(),
    ):
        pass
