"""A process that prints a hash of the results of each kernel of the engine.

    python -m tests.support.kernel_results

It runs the benchmarks of all kernels, and games of players. For each kernel it prints the number of
calls and a hash of all calls: of the value returned, and of the arguments after the call. Then it
prints where the kernels came from, and whether numba was loaded.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from masons.engine.kernels.c_module import describe_kernels, kernel_sources

GAMES = 5  # the number of games for a kernel that plays whole games
LARGE = 1 << 18  # only the entries that are not 0 are hashed of arrays with more bytes
hashes: dict[str, Any] = {}
calls: Counter[str] = Counter()


def kernels() -> Iterator[tuple[str, Any]]:
    """Yield every kernel of the engine, by module and name."""
    for name, path in kernel_sources():
        names = re.findall(
            r"^@(?:\w+\.)?kernel\ndef (\w+)\(", path.read_text(encoding="utf-8"), re.M
        )
        for function in names:
            module = import_module("masons." + name.removesuffix(".py").replace("/", "."))
            yield f"{path.stem}.{function}", getattr(module, function)


def enter(digest: Any, value: Any) -> None:
    """Add a number, an array, or all items of a tuple to a hash."""
    if isinstance(value, tuple):
        for item in value:
            enter(digest, item)
    elif isinstance(value, np.ndarray):
        if value.nbytes > LARGE:  # a tree, or notes of games: most of it is never touched
            used = np.flatnonzero(value)
            digest.update(used.data)
            value = value.ravel()[used]
        digest.update(np.ascontiguousarray(value).data)
    else:
        digest.update(repr(None if value is None else float(value)).encode())


def recorded(name: str, kernel: Any) -> Any:
    """Return a function that calls a kernel, counts the call, and adds it to the kernel's hash."""
    digest = hashes[name] = hashlib.sha256()

    def call(*arguments: Any) -> Any:
        result = kernel(*arguments)
        calls[name] += 1
        enter(digest, (*arguments, result))
        return result

    return call


def record_all() -> None:
    """Replace each kernel by its recorder (see `recorded`) in every module that imported it."""
    made = {id(kernel): recorded(name, kernel) for name, kernel in kernels()}
    for module in [sys.modules[name] for name in sys.modules if name.startswith("masons.")]:
        for name, value in vars(module).items():
            if id(value) in made:
                setattr(module, name, made[id(value)])
            elif isinstance(value, tuple) and any(id(item) in made for item in value):
                setattr(module, name, tuple(made.get(id(item), item) for item in value))


def main() -> None:
    """Run the benchmarks and the games, and print the results."""
    from benchmarks import play_works, works
    from masons.cli.commands.bench import player_game

    for module in (works, play_works):
        module.GAMES = GAMES
    record_all()
    for work in works.KERNELS.values():
        work.make()()
    for players in (2, 3, 4):
        for player in ("heuristic", "policy"):
            list(player_game(player, players, seed=0))
    for name, digest in hashes.items():
        print(name, calls[name], digest.hexdigest())
    print(describe_kernels())
    print("numba loaded:", "numba" in sys.modules)


if __name__ == "__main__":
    main()
