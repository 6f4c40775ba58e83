"""Data about machine and commit for pytest-benchmark to save, without the computer's name."""

from __future__ import annotations

from benchmarks.measuring import machine, revision


def pytest_benchmark_generate_machine_info() -> dict[str, str]:
    """Return the data about the machine in the same form as in all files of figures."""
    return machine()


def pytest_benchmark_generate_commit_info() -> dict[str, str]:
    """Return the id of the commit."""
    return {"id": revision()}
