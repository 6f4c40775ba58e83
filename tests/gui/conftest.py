"""Fixtures of open games: a test that is a coroutine runs in an event loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from masons.gui import lesson_session, saved_games
from masons.gui.guard import Guard
from masons.gui.open_games import OpenGames
from masons.match.playing import games_folder
from tests.support.browser import PHONE, SECONDS, WIDE, Gui, gui, launch
from tests.support.gui_pages import OPENED, Page, new_games


@pytest.fixture(scope="session", autouse=True)
def _compiled(compiled: None) -> None:
    """Every server plays, so all kernels must be there."""


@pytest.fixture(scope="module")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the data of a server."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def running(data_folder: Path) -> Iterator[Gui]:
    """A server for all tests of a file."""
    with gui(data_folder) as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium, driven by Playwright; without one, tests are skipped, or fail where CI=true."""
    is_required = os.environ.get("CI") == "true"
    if not is_required:
        pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as driver:
        try:
            started = launch(driver)
        except Error as error:
            missing = f"no Chromium on this machine: {str(error).splitlines()[0]}"
            pytest.fail(missing) if is_required else pytest.skip(missing)
        yield started
        started.close()


# A page asks for no seed. With one, a test meets the same dice and cards in every run.
SEEDED = """
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
  const message = JSON.parse(text);
  const isSeeded = message.type === "newgame" && message.dice !== "own" && !message.nonces;
  send.call(this, isSeeded ? JSON.stringify({ seed: 1, ...message }) : text);
};
"""


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages, and looks afterwards that nothing went wrong in them."""
    contexts, wrong = [], []

    def new(address: str, *, script: str = "", **look: Any) -> Any:
        """Open a page, which evaluates `script` before its own scripts."""
        context = browser.new_context(**{"reduced_motion": "reduce", **(look or WIDE)})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * SECONDS)
        page.add_init_script(SEEDED + script)
        page.on("pageerror", lambda error: wrong.append(error.stack))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.goto(address)
        page.wait_for_selector("#board", state="attached")
        return page

    yield new
    for context in contexts:
        context.close()
    # The browser itself logs lost connections, and that a header has no use without https.
    lost = ("WebSocket", "Failed to load resource", "Cross-Origin-Opener-Policy header")
    assert [text for text in wrong if not any(word in text for word in lost)] == []


@pytest.fixture(params=[WIDE, PHONE], ids=["1280", "390"])
def look(request: pytest.FixtureRequest) -> Any:
    """A wide screen, and then a phone."""
    return request.param


@pytest.fixture
def tab(request: pytest.FixtureRequest, running: Gui, open_page: Callable[..., Any]) -> Any:
    """A page of the server in the browser, in the `look` of the test if it has one."""
    look = request.getfixturevalue("look") if "look" in request.fixturenames else {}
    return open_page(running.address, **look)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine in a loop of its own; the games that it opened are closed in the end."""
    if not asyncio.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}

    async def run() -> None:
        try:
            await pyfuncitem.obj(**wanted)
        finally:
            while OPENED:
                OPENED.pop().close()

    asyncio.run(run())
    return True


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the saved games and of the lessons done."""
    monkeypatch.setattr(lesson_session, "progress_path", lambda: tmp_path / "lessons.json")
    for module in (saved_games, games_folder):
        monkeypatch.setattr(module, "games_folder", lambda: tmp_path)
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
