"""Named tuples of arrays, as entry points take them and kernels see them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Word, Words, inner, kernel, offset, pointers


class Workspace(NamedTuple):
    """Arrays of several types, and a number."""

    words: Words  # uint64[any]
    sums: Words  # float64[any]
    singles: Words  # float32[any]
    count: Word


class Alike(NamedTuple):
    """Arrays of one type."""

    first: Words
    second: Words


@inner
def add_up(workspace: Workspace, rows: Alike, by: Word) -> None:
    for i in range(workspace.count):
        workspace.words[i] += rows.first[i]
        workspace.sums[i] += float(offset(rows.second, by)[i])
        workspace.singles[i] += np.float32(1.5)


@kernel
def add_rows(workspace: Workspace, rows: Alike, by: Word) -> None:
    own = pointers(workspace)
    # A tuple made inside a kernel goes the same way.
    pointed = pointers(rows)
    add_up(own, Alike(pointed.first, pointed.second), U(by))


def test_kernels_write_to_the_arrays_of_a_tuple() -> None:
    def words(*numbers: int) -> Any:
        return np.array(numbers, dtype=np.uint64)

    sums: Any = np.zeros(3)
    singles: Any = np.zeros(3, dtype=np.float32)
    workspace = Workspace(words(1, 2, 3), sums, singles, U(2))
    for by in (0, 2):
        add_rows(workspace, Alike(words(10, 20, 30), words(1, 2, 3, 4)), by)
    assert workspace.words.tolist() == [21, 42, 3]
    assert workspace.sums.tolist() == [4.0, 6.0, 0.0]
    assert workspace.singles.tolist() == [3.0, 3.0, 0.0]
    assert len(add_rows.signatures) == 1
