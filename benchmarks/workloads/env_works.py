"""Work: the kernels of environments, on so many of them in the middle of their games."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.harness.measuring import Run, Work

if TYPE_CHECKING:
    from masons.env.batch_env import BatchEnv

# As in `play_works`: imports of the engine stand inside the functions.

ENVS = 64
_STEPS = 60


def _playing() -> BatchEnv:
    """Environments after some steps by chance."""
    from masons.env.batch_env import BatchEnv

    env = BatchEnv(ENVS, seed=0)
    env.reset()
    for _ in range(_STEPS):
        env.step(env.pick_actions())
    return env


def _step() -> Run:
    from masons.env.stepping.batch_kernels import pick_actions, step_envs

    env = _playing()
    actions, rng = np.zeros(ENVS, dtype=np.uint64), np.zeros(1, dtype=np.uint64)

    def run() -> None:
        pick_actions(env._batch, rng, actions)
        assert step_envs(env._batch, actions) == ENVS

    return run


def _shared() -> Run:
    """A second thread that slept when the job came, and then does all of it."""
    from masons.engine.kernels.bits import U
    from masons.engine.kernels.jit import field_of
    from masons.env.stepping import shared_work as work

    env = _playing()
    actions, rng = np.zeros(ENVS, dtype=np.uint64), np.zeros(1, dtype=np.uint64)
    mail = work.new_mail(2, ENVS)
    fields = field_of(mail), field_of(actions), field_of(actions), field_of(rng)
    shared = work.Shared(*fields, threads=U(2), envs=U(ENVS))
    sleep = int(work.BLOCKS + work.SLEEP) + work.BLOCK_WORDS

    def run() -> None:
        for kind in (work.PICK_JOB, work.STEP_JOB):
            mail[sleep] = work.ASLEEP
            assert work.begin_job(env._batch, shared, kind, U(0)) == 1
            assert work.serve_jobs(env._batch, shared, U(1), U(0)) == mail[int(work.JOB)]
            assert work.finish_job(env._batch, shared, U(0)) == 0

    return run


def _show() -> Run:
    from masons.env.stepping.batch_kernels import show_envs

    batch = _playing()._batch
    return lambda: show_envs(batch, 0, ENVS)


def _reset() -> Run:
    from masons.env.stepping.batch_kernels import reset_envs

    batch, chosen = _playing()._batch, np.ones(ENVS, dtype=np.uint64)
    return lambda: reset_envs(batch, chosen)


def _observe() -> Run:
    from masons.env.stepping.batch_kernels import observe_as

    env = _playing()
    out = np.zeros(env.encoding.layout.words, dtype=np.uint64)
    return lambda: observe_as(env._batch, 0, 1, out)


def _rows() -> Run:
    from masons.engine.kernels.bits import U
    from masons.env.stepping.batch_kernels import first_unsound, redeal_rows, seal_rows
    from masons.env.stepping.env_layout import ROW_WORDS

    env = _playing()
    rows, rng = env.state().reshape(-1), np.zeros(1, dtype=np.uint64)
    encoding, width = U(env.encoding.number), U(ROW_WORDS)

    def run() -> None:
        redeal_rows(rows, width, U(255), rng)
        seal_rows(rows, width)
        assert first_unsound(rows, encoding, width) == ENVS

    return run


def _one() -> Run:
    from masons.env.stepping.batch_kernels import LEAVE, step_row

    env = _playing()
    start, board = env.state([0])[0], env.table.packed
    row = start.copy()

    def run() -> None:
        np.copyto(row, start)
        step_row(row, board, LEAVE)

    return run


_MAKERS: dict[str, tuple[Callable[[], Run], int]] = {
    "step_envs": (_step, ENVS),
    "pick_actions": (_step, ENVS),
    "show_envs": (_show, ENVS),
    "reset_envs": (_reset, ENVS),
    "observe_as": (_observe, 1),
    "redeal_rows": (_rows, ENVS),
    "seal_rows": (_rows, ENVS),
    "first_unsound": (_rows, ENVS),
    "step_row": (_one, 1),
}
_SHARED = dict.fromkeys(("begin_job", "serve_jobs", "finish_job"), (_shared, 2 * ENVS))
KERNELS: dict[str, Work] = {
    f"{module}.{name}": Work(partial(make), "environment" if count > 1 else "call", count)
    for module, makers in (("batch_kernels", _MAKERS), ("shared_work", _SHARED))
    for name, (make, count) in makers.items()
}
