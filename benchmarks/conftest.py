"""The machine as pytest-benchmark saves it: enough to judge, without the name of the computer."""

from __future__ import annotations

from benchmarks.measuring import machine, revision


def pytest_benchmark_generate_machine_info() -> dict[str, str]:
    """Return the machine, as in all files of figures."""
    return machine()


def pytest_benchmark_generate_commit_info() -> dict[str, str]:
    """Return the commit."""
    return {"id": revision()}
