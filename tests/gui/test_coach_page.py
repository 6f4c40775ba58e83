"""The coach, the look back and the profile in a real browser, by the keyboard too."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.gui.test_access import check
from tests.gui.test_profile import GAME
from tests.gui.test_study import cut
from tests.support.browser import Gui, gui, step, wait_for
from tests.support.paths import EXAMPLES

PLAY_SECONDS = 120
REVIEW_SECONDS = 180  # for a game, on a busy machine
pytestmark = pytest.mark.slow
LATEST = 2000  # ms until a mark is there that may take the place of the one shown
LOOKS = [
    {"viewport": {"width": 1280, "height": 800}},
    {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
]


@pytest.fixture(scope="module")
def running(data_folder: Path) -> Iterator[Gui]:
    with gui(data_folder) as server:
        yield server


@pytest.fixture(params=LOOKS, ids=["1280", "390"])
def page(request: pytest.FixtureRequest, browser: Any, running: Gui) -> Iterator[Any]:
    context = browser.new_context(**request.param, reduced_motion="reduce")
    opened, wrong = context.new_page(), []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    opened.goto(running.address)
    opened.wait_for_selector("#start:not([hidden])")
    yield opened
    context.close()
    assert wrong == []


def press(page: Any, name: str) -> None:
    """By the keyboard."""
    page.get_by_role("button", name=name, exact=True).focus()
    page.keyboard.press("Enter")


def test_a_game_with_the_coach_to_its_look_back(page: Any) -> None:
    page.click("#do-play")
    page.wait_for_selector("#coach:not([hidden])")
    chance, is_shown = random.Random(3), False
    is_phone = page.viewport_size["width"] < 500
    end = time.monotonic() + PLAY_SECONDS
    while time.monotonic() < end:
        if page.locator("#news li").count() >= (30 if is_shown else 120):  # until a clear loss
            break
        at = page.evaluate("document.querySelector('#coach').textContent")
        state = step(page, chance, touch=is_phone)
        is_built = (state["main"] or "").startswith("Build") or (state["lines"] and not is_phone)
        if is_built and state["mine"]:
            wait_for(page, f"document.querySelector('#coach').textContent !== {json.dumps(at)}")
        show = page.get_by_role("button", name="Show me")
        if not is_shown and show.count():
            page.wait_for_timeout(LATEST)
        if not is_shown and show.count():
            press(page, "Show me")
            assert page.locator("#coach ol li").count() >= 2
            assert page.locator("#marks g").count()
            press(page, "Back to the game")
            assert not page.locator("#marks g").count()
            is_shown = True
    assert is_shown
    wait_for(page, "document.querySelector('#task.mine') !== null")
    page.keyboard.press("m")
    page.locator("dialog").get_by_label("Coach: rate my moves").uncheck()
    press(page, "Back to the board")
    assert page.locator("#coach").is_hidden()
    page.keyboard.press("m")
    press(page, "Resign …")
    press(page, "Give up")
    page.wait_for_selector("#after ol.moments li", timeout=1000 * REVIEW_SECONDS)
    assert page.locator("#after .moments svg[aria-label]").count() == 3
    check(page, "look back")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    if page.locator(".moments .leads").count():  # else all three are luck
        words = page.locator(".moments .leads").first.inner_text()
        page.locator(".moments .leads svg").first.click()
        page.wait_for_selector("#study .why b")
        assert page.inner_text("#study .why b").partition(": ")[2] in words
        assert page.locator("#study .steps .mark").count()


# Shows a mistake and a stroke of luck, and returns the steps to which each of their controls leads.
LOOK_BACK = """async () => {
  const facts = { points: [], spaces: 0 };
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"></svg>';
  const mistake = {
    number: 3, turn: 2, seat: 0, mark: "error", loss: 0.06, interval: 0.01, points: 2,
    points_interval: 0.5, equal: [], move: "wall:3", facts, best: "wall:5", best_facts: facts,
    why: null, picture,
  };
  const luck = { turn: 4, seat: 0, mark: "luck", loss: 0.1, cause: "deal", who: 0, picture };
  const position = { names: ["You", "Engine 1"], result: { winners: [0] } };
  const message = { results: [], moments: [mistake, luck], mistakes: 1, file: "" };
  const steps = [];
  const place = document.getElementById("after");
  place.hidden = false;
  const { showAfter } = await import("./after.js");
  showAfter(message, position, true, () => {}, (step) => steps.push(step));
  for (const one of place.querySelectorAll("svg, .link")) {
    one.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  }
  return steps;
}"""


def test_a_mistake_of_the_look_back_leads_to_its_step(page: Any) -> None:
    """Its picture and its link do; luck is no decision."""
    assert page.evaluate(LOOK_BACK) == [2, 2]


def test_a_profile_is_opened_exported_and_deleted(page: Any, data_folder: Path) -> None:
    folder = data_folder / "masons-engine" / "games"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "0.jsonl").write_text(cut(GAME, 40) + "\n")
    page.reload()
    press(page, "Your profile")
    page.wait_for_selector("#reviewing button")
    page.get_by_role("button", name="more game").press("Enter")
    wait_for(page, "!document.querySelector('#reviewing button')", REVIEW_SECONDS)
    assert page.locator("dialog tbody tr").count()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    check(page, "profile")
    with page.expect_download() as download:
        press(page, "Export all games")
    exported = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert "0.jsonl" in exported["games"]
    press(page, "Delete all games …")
    press(page, "Delete all")
    wait_for(page, "document.querySelectorAll('#games li').length === 0")
    assert list(folder.iterdir()) == []


def test_a_verdict_says_no_more_than_its_numbers(page: Any) -> None:
    """A cost below its interval is no cost, and a best move with equals is one of several."""
    none = {"loss": 0.004, "interval": 0.01, "points": 0.8, "points_interval": 0.9, "equal": []}
    clear = {**none, "points_interval": 0.3}
    for decision, sentence in (
        ({"mark": "good", **none}, "As good as the best, as far as the games tell: x"),
        ({"mark": "good", **clear}, "Good, nearly the best: x"),
        ({"mark": "unsure", **none}, "Not certain yet whether worse than the best: x"),
        ({"mark": "unsure", **clear}, "Worse than the best, not certain yet how much: x"),
        ({"mark": "best", **none}, "Best: x"),
        ({"mark": "best", **none, "equal": ["wall:1"]}, "Among the best: x"),
    ):
        said = page.evaluate(
            "async (one) => (await import('./marks.js')).verdictWords(one, 'x')", decision
        )
        assert said.partition(" ")[2] == sentence


def test_an_error_is_cleared_when_the_screen_changes(page: Any) -> None:
    page.click("#do-play")
    page.wait_for_selector("#task.mine")
    page.evaluate("import('./dom.js').then(({ toast }) => toast('wrong', true))")
    page.wait_for_timeout(600)
    assert page.inner_text("#toast") == "wrong"
    page.evaluate("document.querySelector('#do-home').click()")
    page.wait_for_selector("#start:not([hidden])")
    assert page.text_content("#toast") == ""


def test_a_line_tells_what_it_would_score(page: Any, running: Gui) -> None:
    position = (EXAMPLES / "contested.txt").read_text(encoding="utf-8").strip()
    page.goto(f"{running.address}#study={quote(position)}")
    page.reload()
    page.wait_for_selector("#study:not([hidden])")
    line = page.evaluate(
        "document.querySelector('#board .glows [data-v=city]').id.replace('g', 'l')"
    )
    page.locator(f"#{line}").focus()
    words = page.inner_text("#tip")
    assert "The others" in words
    assert words in page.get_attribute(f"#{line}", "aria-label")
