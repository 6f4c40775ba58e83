"""The folder of a training run. The same command can continue the run from this folder.

| file                 | content                                                              |
| -------------------- | -------------------------------------------------------------------- |
| `progress.json`      | the options of the run, and the finished stages                      |
| `STAGE/result.npy`   | the numbers that are the result of a stage                           |
| `STAGE/00000.npz`, … | shards: the games that were played; each shard has its own seed      |
| `STAGE/checkpoint.*` | the state at the start of the next epoch or generation               |
| `STAGE/inputs.npy`   | the inputs of all shards, until the fit is finished                  |

Every file is written atomically. A shard depends on its number and on the results of earlier
stages, but not on the number of processes. If a shard is lost, it is therefore made again with the
same content.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from masons.ai.search.executors import Processes, Threads, completed
from masons.engine.errors import MasonsError
from masons.engine.files import write_atomic
from masons.engine.kernels.rng import mix

Arrays = Mapping[str, NDArray[Any]]
Maker = Callable[[int], Arrays]  # makes a shard from its seed

_RESULT, _INPUTS = "result.npy", "inputs.npy"


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write an npz file. Equal arrays give equal bytes."""
    file, columns = io.BytesIO(), dict[str, Any](arrays)
    np.savez_compressed(file, **columns)
    write_atomic(path, file.getvalue())


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file."""
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


class TrainingFolder:
    """The folder of one run, with its progress."""

    def __init__(self, path: Path, options: Mapping[str, Any]) -> None:
        """Take the options that determine the results of the run."""
        self.path = path
        self._progress = path / "progress.json"
        self._options, self._done = dict(options), list[str]()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Begin or continue the run, as the only process that writes the folder.

        Raises MasonsError if another process writes the folder or if the run was begun with other
        options. Also raises OSError.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.path / ".lock", timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise MasonsError(f"{self.path} is being written by another process") from None
        try:
            if self._progress.exists():
                self._read()
            else:
                self._write()
            yield
        finally:
            lock.release()

    def _read(self) -> None:
        """Read the progress of an earlier run. Raises MasonsError if its options differ."""
        try:
            before = json.loads(self._progress.read_text(encoding="utf-8"))
            options, self._done = dict(before["options"]), list(before["done"])
        except (ValueError, KeyError, TypeError):
            raise MasonsError(f"{self._progress} is not the progress of a training run") from None
        for name in sorted({*options, *self._options}):
            was, now = options.get(name), self._options.get(name)
            if was != now:
                raise MasonsError(
                    f"{self.path} holds a run with {name} {was}, not {now}: choose another --folder"
                )

    def _write(self) -> None:
        progress = {"options": self._options, "done": self._done}
        write_atomic(self._progress, json.dumps(progress, indent=1) + "\n")

    def stage(self, name: str, work: Callable[[Path], NDArray[Any]]) -> NDArray[Any]:
        """Return the result of a stage, computed by `work` unless the stage is finished.

        `work` is called with the folder of the stage, in which it can store files.
        """
        folder = self.path / name
        if name in self._done:
            result: NDArray[Any] = np.load(folder / _RESULT)
            return result
        folder.mkdir(exist_ok=True)
        for left in folder.glob(".*"):  # parts of files that were not written completely
            left.unlink()
        result = work(folder)
        file = io.BytesIO()
        np.save(file, result)
        write_atomic(folder / _RESULT, file.getvalue())
        self._done.append(name)
        self._write()
        (folder / _INPUTS).unlink(missing_ok=True)
        print(f"{name} is done", flush=True)
        return result


def make_shards(folder: Path, work: Maker, count: int, seed: int, processes: int) -> list[Path]:
    """Make the missing shards of a stage. Return the paths of all `count` shards in order."""
    paths = [folder / f"{number:05d}.npz" for number in range(count)]
    missing = [number for number in range(count) if not paths[number].exists()]
    jobs = [(paths[number], mix(seed, number) >> 2) for number in missing]
    processes, made = min(processes, len(jobs)), count - len(missing)
    with Processes(processes) if processes > 1 else Threads() as executor:
        for _ in completed(executor, partial(_make_shard, work), jobs):
            made += 1
            print(f"{folder.name}: {made} of {count} shards of games", flush=True)
    return paths


def _make_shard(work: Maker, job: tuple[Path, int]) -> None:
    path, seed = job
    write_arrays(path, work(seed))


def joined(parts: Sequence[Arrays]) -> dict[str, NDArray[Any]]:
    """Return the columns of several parts together, with the games renumbered."""
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    if "game" in columns:
        games = [part["game"] for part in parts]
        first = np.cumsum([0, *(int(game[-1]) + 1 for game in games[:-1])])
        columns["game"] += np.repeat(first, [len(game) for game in games])
    return columns


def joined_shards(paths: Sequence[Path], stage: Path) -> dict[str, NDArray[Any]]:
    """Return the columns of all shards together, with the games renumbered.

    The column `inputs` may be too large for memory. It is therefore mapped from a file, which is
    deleted when the stage is finished.
    """
    parts: list[Arrays] = []
    for path in paths:
        with np.load(path) as shard:
            parts.append({name: shard[name] for name in shard.files if name != "inputs"})
    columns = joined(parts)
    rows, first = len(columns["held_out"]), 0
    for path in paths:
        with np.load(path) as shard:
            inputs = shard["inputs"]
        if not first:
            shape = (rows, inputs.shape[1])
            file = np.lib.format.open_memmap(stage / _INPUTS, "w+", inputs.dtype, shape)
        file[first : first + len(inputs)] = inputs
        first += len(inputs)
    columns["inputs"] = file
    return columns
