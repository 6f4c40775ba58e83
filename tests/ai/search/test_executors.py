"""Executors: jobs of lost workers, and the end of workers, whatever they are doing."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from masons.ai.search.executors import MAX_LOSSES, Processes, Threads, completed
from masons.engine.errors import MasonsError
from tests.support.commands import SECONDS, start, wait_for, whole_lines
from tests.support.jobs import endless, fatal, once

ONLY_POSIX = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs POSIX signals")


def workers_of(process: psutil.Process) -> list[psutil.Process]:
    """Return the worker processes that a process has started."""
    found = []
    for child in process.children():
        try:
            if any("spawn_main" in word for word in child.cmdline()):
                found.append(child)
        except psutil.NoSuchProcess:
            pass
    return found


def test_a_single_thread_is_the_calling_one() -> None:
    """A job is taken only after the result of the one before has been used."""
    used = list[int]()
    jobs = (number for number in range(4) if len(used) == number)
    for number, square in completed(Threads(), lambda x: x * x, jobs):
        used.append(number)
        assert square == number**2
    assert used == [0, 1, 2, 3]


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_of_a_job_is_raised(threads: int) -> None:
    with pytest.raises(ZeroDivisionError):
        list(completed(Threads(threads), lambda x: 1 // x, [1, 1, 0, 1]))


def test_jobs_of_a_lost_worker_are_run_again(tmp_path: Path) -> None:
    jobs = [(str(tmp_path / "mark"), number) for number in range(6)]
    with Processes(2) as executor:
        results = dict(completed(executor, once, jobs))
    assert results == {job: job[1] ** 2 for job in jobs}


def test_a_job_that_kills_every_worker_is_given_up() -> None:
    with (
        Processes(1) as executor,
        pytest.raises(MasonsError, match=f"{MAX_LOSSES} worker processes were lost"),
    ):
        list(completed(executor, fatal, [1]))


@pytest.mark.parametrize("is_stopped", [False, pytest.param(True, marks=ONLY_POSIX)])
def test_the_end_of_an_executor_ends_its_workers(
    *, is_stopped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are killed if they do not end by themselves."""
    monkeypatch.setattr("masons.ai.search.executors._KILL_SECONDS", 0.5)
    with Processes(2) as executor:
        assert next(completed(executor, once, endless()))[1] >= 9
        workers = workers_of(psutil.Process())
        assert workers
        if is_stopped:
            workers[0].suspend()
    assert not any(worker.is_running() for worker in workers)


# --- commands


@pytest.mark.slow
@ONLY_POSIX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_worker_does_not_keep_a_command_from_ending(number: int, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    words = ("--games", "100000", "--concurrency", "2", "--out", str(path))
    process = start("selfplay", *words)
    workers = []
    try:
        wait_for(lambda: whole_lines(path) > 2)
        workers = workers_of(psutil.Process(process.pid))
        workers[0].suspend()
        process.send_signal(number)
        _, err = process.communicate(timeout=SECONDS)
    finally:
        for each in (process, *workers):
            if each.pid in psutil.pids():
                each.kill()
    assert process.returncode == 128 + number
    assert "Traceback" not in err


@pytest.mark.slow
@ONLY_POSIX
@pytest.mark.parametrize("delay", [0.0, 0.1, 0.3])
def test_ctrl_c_while_workers_start_is_no_traceback(delay: float) -> None:
    """At a terminal, it reaches the workers, too."""
    words = ("match", "greedy", "random", "--games", "5000", "--seed", "1", "--concurrency", "2")
    process: subprocess.Popen[str] = start(*words, start_new_session=True)
    wait_for(lambda: bool(workers_of(psutil.Process(process.pid))))
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert "Traceback" not in out + err
    assert "interrupted after" in err
