"""Matches on a dask cluster of two worker processes, one of which is lost in mid-run."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from masons.ai.search.executors import Cluster, completed
from masons.cli import process as warm
from masons.engine.errors import MasonsError
from tests.match.test_hostile_engines import MIXED, check_match, hostile
from tests.support.commands import called, told, wait_for, whole_lines
from tests.support.jobs import endless, once
from tests.support.paths import EXAMPLES

pytestmark = pytest.mark.slow  # real processes, most of them

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[distributed.LocalCluster]:
    warm.prepare()
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ) as running:
        yield running


def test_the_table_is_the_same_though_a_worker_is_lost(
    cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    arguments = ["match", "greedy", "random", "busy", "--games", "30", "--seed", "7"]
    here = told(*arguments)
    path = tmp_path / "match.jsonl"
    lost = []

    def kill() -> None:
        wait_for(lambda: whole_lines(path) >= 3)
        lost.append(next(iter(cluster.workers.values())).pid)
        os.kill(lost[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    on_cluster = ["--backend", "dask", "--scheduler", cluster.scheduler_address, "--out", str(path)]
    there = told(*arguments, *on_cluster)
    killer.join()
    assert len(lost) == 1
    assert there == here
    assert path.read_bytes().count(b"\n") == 30


def test_a_match_of_hostile_engines_goes_on(
    cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    engines = [hostile(*each, tmp_path) for each in (("closes", "mei"), *MIXED)]
    on_cluster = ("--backend", "dask", "--scheduler", cluster.scheduler_address)
    faults = check_match(tmp_path / "match.jsonl", *engines, "--games", "30", *on_cluster)
    assert set(faults) == {"crash", "protocol"}


def test_a_dataset_is_the_same_files(cluster: distributed.LocalCluster, tmp_path: Path) -> None:
    words = ["dataset", "--player", "random", "--games", "4", "--shard-games", "1", "--out"]
    told(*words, str(tmp_path / "here"))
    on_cluster = ["--backend", "dask", "--scheduler", cluster.scheduler_address]
    told(*words, str(tmp_path / "there"), *on_cluster)
    names = sorted(path.name for path in (tmp_path / "here").iterdir())
    assert len(names) == 6
    for name in names:
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_the_figures_of_an_analysis_are_the_same(
    cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    arguments = ["analyze", str(EXAMPLES / "contested.txt"), "--rollouts", "1200", "--json"]
    here = told(*arguments, "--threads", "2")
    on_cluster = ["--threads", "2", "--backend", "dask", "--scheduler", cluster.scheduler_address]
    file = str(tmp_path / "rollout.json")
    assert told(*arguments, *on_cluster, "--resume", file) == here
    out = told("analyze", str(EXAMPLES / "contested.txt"), "--time", "3s", *on_cluster)
    assert " games played to the end" in out


def test_an_error_of_a_job_is_one_line(cluster: distributed.LocalCluster) -> None:
    with (
        pytest.raises(MasonsError, match="not this one"),
        Cluster(cluster.scheduler_address) as workers,
    ):
        list(completed(workers, refuse, [1]))


def refuse(_: int) -> int:
    raise MasonsError("not this one")


def test_the_loss_of_a_scheduler_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    common = ("--scheduler-file", str(file), "--no-dashboard")
    parts = [
        subprocess.Popen([sys.executable, "-m", f"distributed.cli.dask_{name}", *common, *more])
        for name, more in (
            ("scheduler", ("--host", "127.0.0.1", "--port", "0")),
            ("worker", ("--nthreads", "1", "--no-nanny")),
        )
    ]
    try:
        wait_for(file.exists)
        with pytest.raises(MasonsError, match="the dask scheduler is gone"):
            run_until_lost(json.loads(file.read_text())["address"], parts[0])
    finally:
        for part in parts:
            part.kill()
            part.wait()


def run_until_lost(address: str, scheduler: subprocess.Popen[bytes]) -> None:
    with Cluster(address) as workers:
        for _ in completed(workers, once, endless()):
            scheduler.kill()


def test_no_scheduler_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("masons.ai.search.executors.CONNECT_SECONDS", 1)
    for address, said in (
        ("tcp://127.0.0.1:9", "no dask scheduler at tcp://127.0.0.1:9"),
        ("foo", "no port in 'foo': write tcp://HOST:PORT"),
        ("foo:", "no port in 'foo:': write tcp://HOST:PORT"),
        ("nonsense://x", "no port in 'nonsense://x': write tcp://HOST:PORT"),
        ("nonsense://x:8", "unknown kind of address in 'nonsense://x:8': write tcp://HOST:PORT"),
    ):
        words = ("greedy", "random", "--backend", "dask", "--scheduler", address)
        code, out, err = called("match", *words)
        assert (code, out) == (1, "")
        assert err.splitlines()[-1].startswith(f"error: {said}")
