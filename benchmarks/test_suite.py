"""The pytest-benchmark suite.

Run it with `pytest benchmarks --benchmark-enable`; add `-k NAME` to select benchmarks by name.
Times are CPU times, or wall-clock times for work in several threads.
"""

from __future__ import annotations

import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.measuring import cpu_seconds
from benchmarks.works import EVERYTHING


def marked() -> list[object]:
    """Return the names of all benchmarks, each with the mark that determines its clock.

    Short work is repeated within a round.
    """
    return [
        pytest.param(
            name,
            marks=pytest.mark.benchmark(
                group=name.partition("/")[0],
                timer=time.perf_counter if work.is_wall else cpu_seconds,
                min_rounds=3,
                min_time=0.001,
            ),
        )
        for name, work in EVERYTHING.items()
    ]


@pytest.mark.parametrize("name", marked())
def test_work(benchmark: BenchmarkFixture, name: str) -> None:
    work = EVERYTHING[name]
    run = work.make()
    did = run()  # compiles the kernels
    benchmark.extra_info.update(name=name, unit=work.unit, units=work.units)
    if work.decides:
        benchmark.extra_info["decisions"] = did
    benchmark(run)
