"""A process that prints a hash of the results of each kernel of the engine.

    python -m tests.support.kernel_results

It plays, searches, reviews and steps environments. For each kernel it prints the number of calls
and a hash of all calls: of the value returned, and of the arguments after the call. Then it
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

from masons.ai.players.named_players import make_player
from masons.engine.game.game import Game
from masons.engine.kernels.bits import U
from masons.engine.kernels.c_module import describe_kernels, kernel_sources
from masons.env.batch_env import BatchEnv
from masons.env.stepping import batch_kernels, shared_work

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


def play_everything() -> None:
    """Use all parts of the engine that call kernels. Every kernel is called at least once."""
    from benchmarks import play_works, works
    from benchmarks.positions import example
    from masons.ai.models.features import inputs_of
    from masons.ai.review.luck import luck_of_game
    from masons.ai.review.timeline import timeline_of
    from masons.cli.commands.bench import player_game
    from masons.engine.game.perft import divide
    from masons.engine.game.record import game_record

    play_works.GAMES = play_works.POLICY_GAMES = GAMES
    play_works.SEARCHED_GAMES.update(dict.fromkeys(play_works.SEARCHED_GAMES, 1))
    for policy in play_works.POLICIES:
        play_works.games(policy)()
    for name, work in works.WORKS.items():
        if not name.startswith(("start/", "env/")):
            work.make()()
    for players in (2, 3, 4):
        for player in ("heuristic", "policy"):
            list(player_game(player, players, seed=0))
    game = example()
    for line in range(len(game.board.line_spaces)):
        game.table.closed_city(game.state, line)
    inputs_of(game.state[None], game.table.packed)
    list(divide(game.table, game.position, 2))
    luck_of_game(timeline_of(game_record(played_game(), ("A", "B"))), 2, 1)
    step_environments()


def played_game() -> Game:
    """Return a finished game of a named player against itself."""
    game = Game(2, seed=3)
    player = make_player("greedy", 1)
    while not game.is_over:
        view, moves = game.observe(game.seat), game.legal_moves()
        game.apply(player.choose(game.table, view, moves))
    return game


def step_environments() -> None:
    """Step environments, in one thread because the mailbox of several depends on their timing."""
    env = BatchEnv(70, "mixed", seed=1)
    env.reset()
    for _ in range(300):
        env.step(env.pick_actions())
    states = env.redeal(env.state(), 2)
    env.set_state(states)
    env.seen_by(3, 1)
    row = env.state([0])[0]
    batch_kernels.step_row(row, env.table.packed, batch_kernels.LEAVE)
    actions, rng = np.zeros(70, dtype=np.uint64), np.zeros(1, dtype=np.uint64)
    mail = shared_work.new_mail(2, 70)
    shared = shared_work.Shared(mail, actions, actions, rng, threads=U(2), envs=U(70))
    for kind in (shared_work.PICK_JOB, shared_work.STEP_JOB):
        mail[int(shared_work.BLOCKS + shared_work.SLEEP) + shared_work.BLOCK_WORDS] = (
            shared_work.ASLEEP
        )
        shared_work.begin_job(env._batch, shared, kind, U(0))
        shared_work.serve_jobs(env._batch, shared, U(1), U(0))
        assert shared_work.finish_job(env._batch, shared, U(0)) == 0


def main() -> None:
    """Use the engine, and print the results."""
    record_all()
    play_everything()
    for name, digest in hashes.items():
        print(name, calls[name], digest.hexdigest())
    print(describe_kernels())
    print("numba loaded:", "numba" in sys.modules)


if __name__ == "__main__":
    main()
