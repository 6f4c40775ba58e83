"""The data about machine and commit that pytest-benchmark saves; the host name is left out."""

from __future__ import annotations

from benchmarks.measuring import machine, revision


def pytest_benchmark_generate_machine_info() -> dict[str, str]:
    """Return the data about the machine, in the form that all files of figures use."""
    return machine()


def pytest_benchmark_generate_commit_info() -> dict[str, str]:
    """Return the id of the commit."""
    return {"id": revision()}
