"""The pytest-benchmark suite, in CPU time; `-k NAME` picks some.

pytest benchmarks --benchmark-enable
"""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from measuring import cpu_seconds
from suite import EVERYTHING


@pytest.mark.benchmark(timer=cpu_seconds, min_rounds=3, min_time=0.001)
@pytest.mark.parametrize("name", EVERYTHING)
def test_work(benchmark: BenchmarkFixture, name: str) -> None:
    work = EVERYTHING[name]
    run = work.make()
    did = run()  # compiles
    benchmark.group = name.partition("/")[0]
    benchmark.extra_info.update(name=name, unit=work.unit, units=work.units)
    if work.decides:
        benchmark.extra_info["decisions"] = did
    benchmark(run)
