"""Files that a command writes: none of them may be one that it reads, or another that it writes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final

import click

from masons.engine.files import is_special

STANDARD: Final = "-"  # standard input or output
_STDIN: Final = 0
_KINDS: Final = {".svg": "--svg", ".png": "--png", ".html": "--html", ".htm": "--html"}


def check_outputs(outputs: Mapping[str, str | None], reads: Sequence[str | None]) -> None:
    """Refuse to write over what is read, and two outputs into one file. Raises UsageError.

    `outputs` are the files by what names them, like `--svg`; None: not asked for. A picture or a
    page goes into no file that is named like another kind of these.
    """
    named = [(option, name) for option, name in outputs.items() if name not in (None, STANDARD)]
    for _, name in named:
        if any(read is not None and _is_same(str(name), read) for read in reads):
            raise click.UsageError(f"{name} is the file that is read: choose another name")
    for (option, name), (other, second) in combinations(named, 2):
        if _is_same(str(name), str(second)):
            raise click.UsageError(f"{option} and {other} name one file, {name}: choose two names")
    for option, name in named:
        suffix = Path(str(name)).suffix.lower()
        if option in _KINDS.values() and _KINDS.get(suffix, option) != option:
            raise click.UsageError(f"{option} writes no {suffix} file: choose another name")


def _is_same(output: str, other: str) -> bool:
    """Whether two names are of one file; a device or a pipe is never written over."""
    path = Path(output)
    try:
        if other == STANDARD:
            same = os.path.samestat(path.stat(), os.fstat(_STDIN))
        elif path.exists() and Path(other).exists():
            same = path.samefile(other)
        else:
            same = path.resolve() == Path(other).resolve()
        return same and not is_special(path)
    except (OSError, RuntimeError, ValueError):  # there is no such file, and can be none
        return False
