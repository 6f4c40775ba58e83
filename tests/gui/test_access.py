"""What axe-core finds in the pages: nothing serious, at both widths, light and dark."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from masons.cli.support import precompile as warm
from tests.support.browser import QUIET, Gui, begin, chromium, gui, step
from tests.support.paths import EXAMPLES

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
CHROMIUM = chromium()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
]
LOOKS = [(1280, "light"), (390, "dark")]
# MASONS_GAMES=full: every page in every look, else each page in one.
WHOLE = os.environ.get("MASONS_GAMES") == "full"
POSITION = quote((EXAMPLES / "contested.txt").read_text(encoding="utf-8").strip())
TARGET = 40  # pixels that a finger needs


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    warm.prepare("values", "rules", "halving", "explain")
    with playwright.sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield found
        found.close()


def check(page: Any, what: str, *, wide: bool) -> None:
    if not WHOLE and wide != (page.viewport_size["width"] > 1000):
        return
    found = axe.Axe().run(page).response["violations"]
    bad = {
        one["id"]: [node["target"] for node in one["nodes"]][:4]
        for one in found
        if one["impact"] in ("serious", "critical")
    }
    assert bad == {}, what


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gui]:
    with gui(tmp_path_factory.mktemp("games")) as found:
        yield found


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_serious(width: int, scheme: str, browser: Any, running: Gui) -> None:
    chance = random.Random(1)
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(running.address)
    page.wait_for_selector("#begin")
    check(page, "new game", wide=True)
    begin(page, people=2)
    check(page, "curtain", wide=False)
    while page.locator("#news li").count() < 8:
        step(page, chance)
    while not step(page, chance)["mine"]:
        pass
    check(page, "mid-game", wide=True)
    page.keyboard.press("m")
    check(page, "menu", wide=False)
    page.goto(f"{running.address}#study={POSITION}")
    page.reload()
    page.wait_for_selector("#study:not([hidden])")
    page.get_by_role("button", name="Analyse", exact=True).click()
    page.wait_for_selector(".ranked li")
    page.get_by_role("button", name="Stop").click()
    check(page, "analysis", wide=False)
    context.close()


def test_what_is_pressed_is_large_enough(browser: Any, running: Gui) -> None:
    """On a phone: buttons, and lines of the board when it is enlarged."""
    chance = random.Random(1)
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(running.address)
    page.wait_for_selector("#begin")
    begin(page)
    while page.locator("#news li").count() < 6:
        step(page, chance, touch=True)
    sizes = page.evaluate(
        """() => [...document.querySelectorAll("button")].filter((b) => b.offsetParent)
             .map((b) => [b.textContent || b.ariaLabel, b.offsetWidth, b.offsetHeight])"""
    )
    assert sizes
    assert [one for one in sizes if min(one[1:]) < TARGET] == []
    for _ in range(5):
        page.locator("#zoom-in").tap()
    least = page.evaluate(
        """() => {
             const boxes = [...document.querySelectorAll("#board .line")].slice(0, 60)
               .map((e) => e.getBoundingClientRect());
             const mid = boxes.map((b) => [b.x + b.width / 2, b.y + b.height / 2]);
             return Math.min(...mid.flatMap(([x, y], i) =>
               mid.slice(i + 1).map(([u, v]) => Math.hypot(x - u, y - v))));
           }"""
    )
    assert least >= TARGET
    context.close()
