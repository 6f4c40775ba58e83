"""Fixtures of open games: a test that is a coroutine runs in an event loop."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from masons.gui.guard import Guard
from masons.gui.open_games import OpenGames
from tests.support.gui_pages import Page, keep_games_in, new_games


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine in a loop of its own, with the games that it asks for closed in the end."""
    if not asyncio.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}

    async def run() -> None:
        try:
            await pyfuncitem.obj(**wanted)
        finally:
            if (games := pyfuncitem.funcargs.get("games")) is not None:
                games.close()

    asyncio.run(run())
    return True


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the saved games."""
    keep_games_in(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture
def games(folder: Path) -> OpenGames:  # noqa: ARG001 - the games lie there
    return new_games()


@pytest.fixture
def guard(games: OpenGames) -> Guard:
    return games.guard


@pytest.fixture
def page(games: OpenGames) -> Page:
    """A page of the host."""
    return Page(games)
