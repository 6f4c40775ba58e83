"""The data about machine and commit that pytest-benchmark saves, without the computer's name."""

from __future__ import annotations

from benchmarks.measuring import machine, revision


def pytest_benchmark_generate_machine_info() -> dict[str, str]:
    """Return the data about the machine, the same as in all files of figures."""
    return machine()


def pytest_benchmark_generate_commit_info() -> dict[str, str]:
    """Return the id of the commit."""
    return {"id": revision()}
