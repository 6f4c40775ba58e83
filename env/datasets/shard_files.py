"""Shards as files: npz, which numpy reads, or Parquet by pyarrow, the extra `parquet`.

| column        | dtype and shape       | what                                                    |
| ------------- | --------------------- | ------------------------------------------------------- |
| `observation` | uint8[n, size]        | what the seat that decides sees                         |
| `mask`        | uint8[n, actions / 8] | the legal actions, a bit each, the lowest first         |
| `action`      | int16[n]              | what it did                                             |
| `player`      | int8[n]               | the seat                                                |
| `game`        | int32[n]              | the number of the game in the dataset                   |
| `decision`    | int16[n]              | the number of the decision in its game (of some steps)  |
| `value`       | float32[n]            | the win probability found by its search; NaN: none      |
| `visits`      | uint32[n, actions]    | the simulations of that search by action; 0: none       |
| `wins`        | float32[n, actions]   | the win probability by action; NaN: not searched        |
| `result`      | float32[n, 4]         | each seat's reward at the end of the game, by "win"     |
| `score`       | int16[n, 4]           | each seat's points at the end of the game               |
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from masons.engine.errors import MasonsError
from masons.engine.strict_json import strict_json

_ABOUT: Final = "about"
# Of each column its dtype and its axes.
_COLUMNS: Final = {
    "observation": ("u1", 2), "mask": ("u1", 2), "action": ("i2", 1), "player": ("i1", 1),
    "game": ("i4", 1), "decision": ("i2", 1), "value": ("f4", 1), "visits": ("u4", 2),
    "wins": ("f4", 2), "result": ("f4", 2), "score": ("i2", 2),
}  # fmt: skip

Columns = dict[str, NDArray[Any]]


def pack_shard(columns: Columns, about: Mapping[str, Any], form: str) -> bytes:
    """A shard's file. Raises MasonsError where pyarrow is wanted and missing."""
    text = json.dumps(dict(about))
    buffer = io.BytesIO()
    if form == "npz":
        np.savez_compressed(buffer, **columns, about=np.array(text))  # type: ignore[arg-type]
        return buffer.getvalue()
    arrow, parquet = _pyarrow()
    table = arrow.table({name: _arrow_column(arrow, data) for name, data in columns.items()})
    table = table.replace_schema_metadata({_ABOUT: text})
    parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def read_shard(path: str | Path) -> tuple[Columns, dict[str, Any]]:
    """The columns of a shard, and what is said about it. Raises MasonsError for any other file."""
    path = Path(path)
    try:
        columns, text = _read_npz(path) if path.suffix == ".npz" else _read_parquet(path)
        about = strict_json(text)
    except MasonsError:
        raise
    except Exception as error:  # of numpy, zipfile or pyarrow, which can be any for a damaged file
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise MasonsError(f"{path} is no shard of a dataset: {reason}") from None
    if not _are_columns(columns) or not isinstance(about, dict):
        raise MasonsError(f"{path} is no shard of a dataset: its columns are others")
    return columns, about


def _are_columns(columns: Columns) -> bool:
    """Whether columns are those of a shard, all for the same steps."""
    forms = {name: (data.dtype, data.ndim) for name, data in columns.items()}
    if forms != {name: (np.dtype(kind), axes) for name, (kind, axes) in _COLUMNS.items()}:
        return False
    actions = columns["visits"].shape[1]
    widths = {"visits": actions, "wins": actions, "mask": -(-actions // 8), "result": 4, "score": 4}
    steps = {len(data) for data in columns.values()}
    return len(steps) == 1 and all(columns[name].shape[1] == n for name, n in widths.items())


def _read_npz(path: Path) -> tuple[Columns, str]:
    with np.load(path, allow_pickle=False) as file:
        columns = {name: file[name] for name in file.files}
    return columns, str(columns.pop(_ABOUT))


def _read_parquet(path: Path) -> tuple[Columns, str]:
    _, parquet = _pyarrow()
    table = parquet.read_table(io.BytesIO(path.read_bytes()))
    columns = {name: _numpy_column(table.column(name)) for name in table.column_names}
    return columns, (table.schema.metadata or {})[_ABOUT.encode()].decode()


def need_form(form: str) -> None:
    """Raise MasonsError where a form of shards needs what is not installed."""
    if form == "parquet":
        _pyarrow()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MasonsError("Parquet needs pyarrow: pip install 'masons-engine[parquet]'") from None
    return pyarrow, pyarrow.parquet


def _arrow_column(arrow: Any, data: NDArray[Any]) -> Any:
    flat = arrow.array(data.reshape(-1))
    if data.ndim == 1:
        return flat
    return arrow.FixedSizeListArray.from_arrays(flat, data.shape[1])


def _numpy_column(column: Any) -> NDArray[Any]:
    array = column.combine_chunks()
    if hasattr(array, "chunks"):
        array = array.chunk(0)
    size = getattr(array.type, "list_size", 0)
    found: NDArray[Any] = (array.flatten() if size else array).to_numpy(zero_copy_only=False)
    return found.reshape(-1, size) if size else found
