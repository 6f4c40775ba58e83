"""Where the games of a command are played: the options, and what they mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from masons.cli.options.shared_options import Whole

if TYPE_CHECKING:
    from masons.match.running.backends import Backend

F = TypeVar("F", bound=Callable[..., Any])

MAX_CONCURRENCY: Final = 1024


def backend_options(command: F) -> F:
    """How many games are played at once, and where."""
    for option in (
        click.option(
            "--scheduler", metavar="ADDRESS",
            help="The dask scheduler's address, like tcp://10.0.0.5:8786.",
        ),
        click.option(
            "--backend", type=click.Choice(["local", "dask"]), default="local", show_default=True,
            help="Play on this machine, or on the workers of a dask cluster.",
        ),
        click.option(
            "--concurrency", type=Whole(1, MAX_CONCURRENCY), default=1, show_default=True,
            metavar="C", help="Games at once on this machine, each in a process of its own.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def make_backend(concurrency: int, backend: str, scheduler: str | None) -> Backend:
    """The backend that the options name. Raises UsageError where they do not fit together."""
    if (backend == "dask") != (scheduler is not None):
        raise click.UsageError("--backend dask and --scheduler ADDRESS go together")
    if scheduler is not None:
        if concurrency != 1:
            raise click.UsageError("--concurrency is for this machine: dask knows its workers")
        from masons.match.running.cluster import Cluster

        return Cluster(scheduler)
    from masons.match.running.backends import Here, Processes

    return Here() if concurrency == 1 else Processes(concurrency)
