"""The board's server in a process of its own, and steps in its page, for tests with a browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
SECONDS = 180  # for anything that is waited for, on a busy machine
WIDE = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def launch(driver: Any) -> Any:
    """Return the system's Chromium, or else the one that Playwright has installed.

    Raises playwright.sync_api.Error if there is neither.
    """
    path = next((path for name in CHROMIUMS if (path := shutil.which(name))), None)
    return driver.chromium.launch(executable_path=path, args=list(QUIET))


# The modules of the page by the names of their files, in a script that the page evaluates.
MODULES = "(await import(document.querySelector('script[type=module]').src)).modules"


class Gui:
    """The command `masons-engine gui` in a process, with `address` as the address of its page."""

    def __init__(
        self, folder: Path, words: Sequence[str] = (), port: int = 0, files: int | None = None,
        browser: str = "",
    ) -> None:  # fmt: skip
        """Start the command with the options `words`, and wait until it prints its address.

        `folder` is its home and data folder. `files` limits its open files (not on Windows).
        `browser` is a program that it opens as the browser.
        """
        limit = [] if files is None else ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh"]
        began = time.monotonic()
        self.process = subprocess.Popen(
            [*limit, sys.executable, "-m", "masons.cli", "gui", "--port", str(port),
             *([] if browser else ["--no-open"]), *words],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
            env={**os.environ, "XDG_DATA_HOME": str(folder), "HOME": str(folder),
                 "BROWSER": browser}
            if sys.platform != "win32" else {**os.environ, "LOCALAPPDATA": str(folder)},
        )  # fmt: skip
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.seconds = time.monotonic() - began  # the time until the address was printed
        assert self.address.startswith("http://"), self.end()

    def kill(self) -> None:
        """Kill the process, as a crash would end it."""
        self.process.kill()
        self.process.communicate(timeout=SECONDS)

    def end(self) -> str:
        """End the process by a signal. Return what it wrote on standard error."""
        self.process.terminate()
        try:
            return self.process.communicate(timeout=SECONDS)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def gui(
    folder: Path, *words: str, port: int = 0, files: int | None = None, browser: str = ""
) -> Iterator[Gui]:
    """Yield the running command (see `Gui`); end it after the block, and expect no traceback."""
    running = Gui(folder, words, port, files, browser)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            said = running.end()
            assert "Traceback" not in said, said


@contextmanager
def gui_of(folder: Path, record: str) -> Iterator[Gui]:
    """Yield a server that begins with the analysis of a record, which it keeps in `folder`."""
    file = folder / "record.jsonl"
    file.write_text(record + "\n", encoding="utf-8")
    with gui(folder, str(file)) as running:
        yield running


def centre(page: Any, target: str) -> tuple[float, float]:
    """Scroll to an element of the board, and return the position of its middle on the screen.

    `target` is the id of the element.
    """
    x, y = page.evaluate(
        """(id) => {
             const element = document.getElementById(id);
             element.scrollIntoView({block: "center", inline: "center"});
             const box = element.getBoundingClientRect();
             return [box.x + box.width / 2, box.y + box.height / 2];
           }""",
        target,
    )
    return x, y


def press(page: Any, target: str, *, touch: bool) -> None:
    """Click, or with `touch` tap, the element of the board with the id `target`."""
    x, y = centre(page, target)
    if touch:
        page.touchscreen.tap(x, y)
    else:
        page.mouse.click(x, y)


STATE = """() => {
  const ids = (query) => [...document.querySelectorAll(query)].map((e) => e.id);
  const task = document.getElementById("task");
  const main = document.querySelector("#choices button.main:not(:disabled)");
  return {
    mine: task.classList.contains("mine"), task: task.textContent,
    curtain: document.querySelector("dialog.curtain[open]") !== null,
    lines: ids("#board.some-lines:not(.locked) .line.live"),
    places: ids("#board:not(.locked) :is(.tower, .space).live"),
    main: main ? main.textContent : null, popover: !document.getElementById("popover").hidden,
    cards: document.querySelectorAll("#hand .guild:not(:disabled)").length,
    picked: document.querySelectorAll("#hand .guild[aria-pressed=true]").length,
    said: document.querySelectorAll("#news li").length,
    swatches: document.querySelectorAll("#choices .swatch").length,
    options: document.querySelectorAll("#choices .option:not(:disabled)").length,
  };
}"""


def step(page: Any, chance: Any, *, touch: bool = False) -> dict[str, Any]:
    """Do one thing that a person could do now. Return the STATE that the page showed before."""
    state: dict[str, Any] = page.evaluate(STATE)
    if state["curtain"]:
        page.click("dialog.curtain button.main")
    elif not state["mine"]:
        page.wait_for_timeout(20)
    elif state["popover"]:
        # Choose at random, as the first color may be impossible: the supply may hold one piece.
        colors = page.locator("#popover button")
        colors.nth(chance.randrange(colors.count())).click()
    elif state["main"] and not (state["cards"] and not state["picked"] and chance.random() < 0.7):
        page.locator("#choices button.main:not(:disabled)").first.click()
    elif state["options"] and chance.random() < 0.7:
        page.locator("#choices .option:not(:disabled)").nth(
            chance.randrange(state["options"])
        ).click()
    elif state["lines"]:
        closing = page.evaluate(
            "[...document.querySelectorAll('#board .glows [data-v=city]')].map((e) => e.id)"
        )
        line = chance.choice(closing or state["lines"]).replace("g", "l")
        press(page, line, touch=touch)
    elif state["cards"]:
        page.locator("#hand .guild").nth(chance.randrange(state["cards"])).click()
    elif state["places"]:
        press(page, chance.choice(state["places"]), touch=touch)
    return state


def key_step(page: Any, chance: Any) -> dict[str, Any]:
    """Do one thing that a person could do now, with the keyboard alone.

    Return the STATE that the page showed before.
    """
    state: dict[str, Any] = page.evaluate(STATE)
    if not state["mine"]:
        page.wait_for_timeout(20)
    elif state["lines"]:
        page.keyboard.press("b")
        page.keyboard.type(chance.choice(state["lines"])[1:])
        page.keyboard.press("Enter")
    else:
        page.keyboard.press("c")
        if state["swatches"] and not state["main"]:
            # A color at random: always the first would go round where only one piece of it is left.
            row = ".row:not(:has([aria-pressed=true]))"
            colors = page.locator(row).first.locator(".swatch").count()
            tab_to(page, f"{row} .swatch:nth-of-type({1 + chance.randrange(colors)})")
        elif state["options"] and not state["main"]:
            tab_to(page, f"#choices .option:nth-of-type({1 + chance.randrange(state['options'])})")
        elif state["cards"] and not state["picked"]:
            tab_to(page, "#hand .guild")
        elif state["main"]:
            tab_to(page, "#choices .main")
        page.keyboard.press("Enter")
    return state


def tab_to(page: Any, selector: str) -> None:
    """Press Tab until an element that matches a selector has the focus."""
    for _ in range(60):
        if page.evaluate("(one) => document.activeElement.matches(one)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {selector}")


def begin(page: Any, *, people: int = 1, seats: int = 2) -> None:
    """Fill in the form of a new game and begin the game.

    The first `people` of its `seats` are played by people, the others by engines of level 1.
    """
    page.click("#do-more")
    page.locator("#more-panel select").first.select_option(str(seats))
    for seat in range(seats):
        who = page.locator("#start fieldset").nth(seat).locator("select").first
        who.select_option("person" if seat < people else "engine")
        if seat >= people:
            page.locator("#start fieldset").nth(seat).locator("select").nth(1).select_option("1")
    page.click("#begin")
    page.wait_for_selector("#table:not([hidden])")


def wait_for(page: Any, condition: str, seconds: float = SECONDS) -> None:
    """Wait until a JavaScript expression is true in a page.

    The page's security policy forbids `page.wait_for_function`, so this polls the page instead.
    """
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(20)


def check_access(page: Any, place: str) -> None:
    """Check that axe-core, if it is installed, finds nothing serious in a page.

    `place` names the screen in messages.
    """
    if find_spec("axe_playwright_python") is None:
        return
    from axe_playwright_python.base import AXE_SCRIPT

    if not page.evaluate("'axe' in window"):  # half of its time is that of reading it
        page.evaluate(AXE_SCRIPT)
    violations = page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations)"
    )
    bad = {
        each["id"]: [node["target"] for node in each["nodes"]][:4]
        for each in violations
        if each["impact"] in ("serious", "critical")
    }
    assert bad == {}, (place, bad)
