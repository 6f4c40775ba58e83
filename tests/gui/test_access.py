"""axe-core finds nothing serious in the pages, at both widths, light and dark."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.browser import Gui, begin, gui, step
from tests.support.paths import EXAMPLES

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
pytestmark = pytest.mark.slow
# MASONS_GAMES=full: every page in every look, else each page in one.
WHOLE = os.environ.get("MASONS_GAMES") == "full"
LOOKS = [(1280, "light"), (390, "dark")] + WHOLE * [(1280, "dark"), (390, "light")]
POSITION = quote((EXAMPLES / "contested.txt").read_text(encoding="utf-8").strip())
RECORD = json.loads((EXAMPLES / "games.jsonl").read_text(encoding="utf-8").splitlines()[0])
TARGET = 40  # pixels that a finger needs


def check(page: Any, what: str, *, wide: bool | None = None) -> None:
    """`wide`: in the wide look alone, or in the narrow one, where not all is looked at."""
    if not WHOLE and wide is not None and wide != (page.viewport_size["width"] > 1000):
        return
    violations = axe.Axe().run(page).response["violations"]
    bad = {
        each["id"]: [node["target"] for node in each["nodes"]][:4]
        for each in violations
        if each["impact"] in ("serious", "critical")
    }
    assert bad == {}, what


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gui]:
    """With a file that can be watched, of a game that ends soon."""
    folder = tmp_path_factory.mktemp("games")
    record = {**RECORD, "events": RECORD["events"][:4], "result": None}
    (folder / "match.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    with gui(folder, str(folder / "match.jsonl")) as server:
        yield server


@pytest.fixture(scope="module")
def opened(browser: Any, running: Gui) -> None:
    """The file is opened, and left."""
    page = browser.new_page()
    page.goto(running.address)
    page.wait_for_selector("#study:not([hidden])")
    press(page, "Close")
    page.wait_for_selector("#do-play")
    page.close()


@pytest.fixture
def page(width: int, scheme: str, browser: Any) -> Iterator[Any]:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    yield context.new_page()
    context.close()


@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize(("width", "scheme"), LOOKS if WHOLE else LOOKS[:1])
def test_axe_finds_nothing_serious_where_one_plays(page: Any, running: Gui) -> None:
    chance = random.Random(1)
    page.goto(running.address)
    page.wait_for_selector("#do-play")
    page.click("#do-more")
    check(page, "new game", wide=True)
    page.click("#do-more")
    begin(page, people=2)
    check(page, "curtain", wide=False)
    while page.locator("#news li").count() < 8:
        step(page, chance)
    while not step(page, chance)["mine"]:
        pass
    check(page, "mid-game", wide=True)
    page.keyboard.press("m")
    check(page, "menu", wide=False)


@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize(("width", "scheme"), LOOKS if WHOLE else LOOKS[1:2])
def test_axe_finds_nothing_serious_where_one_analyses(page: Any, running: Gui) -> None:
    page.goto(f"{running.address}#study={POSITION}")
    page.wait_for_selector("#study:not([hidden])")
    press(page, "Analyze")
    page.wait_for_selector(".ranked li")
    check(page, "analysis")
    press(page, "Stop")
    press(page, "What they hold")
    page.wait_for_selector(".chip")
    check(page, "belief")
    press(page, "Set up")
    page.get_by_label("what is due").select_option("houses")
    check(page, "set up")
    press(page, "Cancel")
    press(page, "Watch the file")
    page.wait_for_selector(".steps li:nth-child(3)")
    check(page, "watch")
    press(page, "Stop watching")
    press(page, "Review")
    page.wait_for_selector(".report table")
    check(page, "review")
    press(page, "Close")
    press(page, "Puzzles")
    page.wait_for_selector(".answer")
    check(page, "puzzle")
    page.locator(".answer").first.click()
    page.wait_for_selector("#choices .main")
    check(page, "answer")


@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_serious_where_one_learns(page: Any, running: Gui) -> None:
    page.goto(running.address)
    page.wait_for_selector("#do-learn")
    check(page, "start")
    page.click("#do-learn")
    page.wait_for_selector(".lessons")
    check(page, "lessons")
    page.get_by_role("button", name="The swap").click()
    page.wait_for_selector("#lesson h2")
    press(page, "Keep all cards")
    page.wait_for_selector("#lesson .hint")
    check(page, "lesson")
    page.keyboard.press("g")
    page.wait_for_selector("dialog.sheet")
    check(page, "cards")
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.wait_for_selector("dialog.rules")
    check(page, "rules")
    page.keyboard.press("Escape")
    press(page, "All lessons")
    press(page, "◀ Back")
    press(page, "Openings")
    page.wait_for_selector("#openings .ranked li")
    check(page, "openings")


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.usefixtures("opened")
def test_what_is_pressed_is_large_enough(browser: Any, running: Gui) -> None:
    """On a phone: buttons, and lines of the board when it is enlarged."""
    chance = random.Random(1)
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(running.address)
    page.wait_for_selector("#do-play")
    begin(page)
    while page.locator("#news li").count() < 6:
        step(page, chance, touch=True)
    sizes = page.evaluate(
        """() => [...document.querySelectorAll("button")].filter((b) => b.offsetParent)
             .map((b) => [b.textContent || b.ariaLabel, b.offsetWidth, b.offsetHeight])"""
    )
    assert sizes
    assert [each for each in sizes if min(each[1:]) < TARGET] == []
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
