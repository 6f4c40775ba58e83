"""Fixtures and options that all tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

# There are more workers of pytest-xdist than cores: with threads in each, numpy's matrices would
# wait for each other. Read when numpy is imported first, here and in processes that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from masons.cli.process import prepare
from masons.engine.board.geometry import Board, load_board
from masons.engine.game.table import Table
from tests.support.commands import Called, called
from tests.support.paths import ROOT

# Processes that tests start run the engine of this checkout, whatever is installed.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
)

# The same examples in every run.
settings.register_profile("masons", derandomize=True, database=None, deadline=None)
settings.load_profile("masons")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker per core, and one more for slow tests, which often wait for processes."""
    slow = config.option.markexpr != "not slow"
    return (os.cpu_count() or 1) + slow


@pytest.fixture(autouse=True, scope="session")
def _usual_width() -> Iterator[None]:
    """Output for files is as wide as it always is, also where pytest tells its workers a width."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("COLUMNS", raising=False)
        yield


@pytest.fixture
def hangup() -> Iterator[None]:
    """SIGHUP ends what a test starts, also where the tests themselves run under nohup."""
    number = getattr(signal, "SIGHUP", None)
    before = None if number is None else signal.signal(number, signal.SIG_DFL)
    yield
    if number is not None:
        signal.signal(number, before)


@pytest.fixture(scope="session")
def classic() -> Board:
    return load_board("classic")


@pytest.fixture(scope="session")
def table(classic: Board) -> Table:
    return Table(classic)


@pytest.fixture(scope="session")
def compiled() -> None:
    """Compile all kernels first, so that no command prints that it is compiling."""
    prepare()


@pytest.fixture(name="called")
def _called() -> Called:
    """Return a function that runs a command in this process: its exit code, stdout and stderr."""
    return called
