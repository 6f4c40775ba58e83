"""The coach, the look back and the profile in a real browser, by the keyboard too."""

from __future__ import annotations

import json
import random
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.browser import MODULES, Gui, step, wait_for
from tests.support.gui_pages import GAME, cut
from tests.support.paths import EXAMPLES

PLAY_SECONDS = 120
REVIEW_SECONDS = 180  # for a game, on a busy machine
pytestmark = pytest.mark.slow
LATEST = 2000  # ms until a mark is there that may take the place of the one shown


def press(page: Any, name: str) -> None:
    """By the keyboard."""
    page.get_by_role("button", name=name, exact=True).focus()
    page.keyboard.press("Enter")


@pytest.mark.usefixtures("look")
def test_a_game_with_the_coach_to_its_look_back(tab: Any) -> None:
    tab.click("#do-play")
    tab.wait_for_selector("#task.mine")
    assert not tab.is_visible("#coach")  # until it has something to say
    chance, is_shown = random.Random(3), False
    is_phone = tab.viewport_size["width"] < 500
    end = time.monotonic() + PLAY_SECONDS
    while time.monotonic() < end:
        if tab.locator("#news li").count() >= (30 if is_shown else 120):  # until a clear loss
            break
        at = tab.evaluate("document.querySelector('#coach').textContent")
        state = step(tab, chance, touch=is_phone)
        is_built = (state["main"] or "").startswith("Build") or (state["lines"] and not is_phone)
        if is_built and state["mine"]:
            wait_for(tab, f"document.querySelector('#coach').textContent !== {json.dumps(at)}")
        show = tab.get_by_role("button", name="Show me")
        if not is_shown and show.count():
            tab.wait_for_timeout(LATEST)
        if not is_shown and show.count():
            press(tab, "Show me")
            assert tab.locator("#coach ol li").count() >= 2
            assert tab.locator("#marks g").count()
            press(tab, "Back to the game")
            assert not tab.locator("#marks g").count()
            again = tab.get_by_role("button", name="Try again")
            if again.count() and tab.evaluate("document.getElementById('do-undo').disabled"):
                press(tab, "Try again")  # on a copy, which shows what the seat saw
                tab.wait_for_selector(".retry h2")
                assert tab.locator("#seats b").all_inner_texts() == ["You", "Opponent"]
                assert tab.locator(".graph svg").count() == 0
                press(tab, "Back to the game")
                tab.wait_for_selector("#coach:not([hidden])")
            is_shown = True
    assert is_shown
    said = tab.inner_text("body")
    assert "Engine (level 1)" in said
    assert not re.search(r"\b(?:city|land)-[a-z]", said)
    wait_for(tab, "document.querySelector('#task.mine') !== null")
    tab.keyboard.press("m")
    tab.locator("dialog").get_by_label("Coach: rate my moves").uncheck()
    press(tab, "Back to the board")
    assert tab.locator("#coach").is_hidden()
    tab.keyboard.press("m")
    press(tab, "Resign …")
    press(tab, "Resign")
    tab.wait_for_selector("#after ol.moments li", timeout=1000 * REVIEW_SECONDS)
    assert tab.get_by_role("button", name="New game").is_visible()
    assert tab.locator("#after .moments svg[aria-label]").count() == 3
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    if tab.locator(".moments .leads").count():  # else all three are luck
        words = tab.locator(".moments .leads").first.inner_text()
        tab.locator(".moments .leads svg").first.click()
        tab.wait_for_selector("#study .why b")
        assert tab.inner_text("#study .why b").partition(": ")[2] in words
        assert tab.locator(".steps .mark").count()


# Shows a mistake and a stroke of luck, and returns the steps to which each of their controls leads.
LOOK_BACK = """async () => {
  const facts = { points: [], spaces: 0 };
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"></svg>';
  const mistake = {
    kind: "mistake", number: 3, turn: 2, seat: 0, mark: "error", loss: 0.06, interval: 0.01,
    points: 2, points_interval: 0.5, equal: [], played: "wall:3", played_facts: facts,
    best: "wall:5", best_facts: facts, why: null, picture,
  };
  const luck = { turn: 4, seat: 0, kind: "luck", loss: 0.1, cause: "deal", who: 0, picture };
  const position = { names: ["You", "Engine 1"], result: { winners: [0] } };
  const message = { results: [], moments: [mistake, luck], mistakes: 1, file: "" };
  const steps = [];
  const place = document.getElementById("after");
  place.hidden = false;
  const { showAfter } = MODULES["after.js"];
  showAfter(message, position, true, () => {}, (step) => steps.push(step));
  for (const one of place.querySelectorAll("svg, .link, button.main")) {
    one.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  }
  return steps;
}""".replace("MODULES", MODULES)


def test_a_mistake_of_the_look_back_leads_to_its_step(tab: Any) -> None:
    """Its picture and its link do, and the exercise; luck is no decision."""
    assert tab.evaluate(LOOK_BACK) == [2, 2, 2]


@pytest.mark.usefixtures("look")
def test_a_profile_is_opened_exported_and_deleted(tab: Any, data_folder: Path) -> None:
    folder = data_folder / "masons-engine" / "games"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "0.jsonl").write_text(cut(GAME, 12) + "\n")
    tab.reload()
    press(tab, "Your profile")
    tab.wait_for_selector("#reviewing button")
    tab.get_by_role("button", name="more game").press("Enter")
    wait_for(tab, "!document.querySelector('#reviewing button')", REVIEW_SECONDS)
    assert tab.locator("#profile tbody tr").count()
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    with tab.expect_download() as download:
        press(tab, "Export finished games")
    exported = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert "0.jsonl" in exported["games"]
    press(tab, "Delete all games …")
    press(tab, "Delete all")
    wait_for(tab, "!document.querySelector('#games li, #do-continue')")
    tab.wait_for_selector("#toast:has-text('deleted')")  # finished games are not in the list
    assert list(folder.iterdir()) == []


def test_a_verdict_says_no_more_than_its_numbers(tab: Any) -> None:
    """A cost below its interval is no cost, and a best move with equals is one of several.

    A loss is told in win probability, as the marks are; points come second.
    """
    none = {"loss": 0.004, "interval": 0.01, "points": 0.8, "points_interval": 0.9, "equal": []}
    clear = {**none, "points_interval": 0.3}
    for decision, sentence in (
        ({"mark": "good", **none}, "As good as the best, as far as the games tell: x"),
        ({"mark": "good", **clear}, "Good, nearly the best: x"),
        ({"mark": "unsure", **none}, "May be as good as the best, not certain yet: x"),
        (
            {"mark": "unsure", **clear},
            "Worse than the best move, but perhaps hardly changes who wins: x",
        ),
        ({"mark": "best", **none}, "Best: x"),
        ({"mark": "best", **none, "equal": ["wall:1"]}, "Among the best: x"),
    ):
        said = tab.evaluate(
            f"async (one) => {MODULES}['marks.js'].verdictWords(one, 'x')", decision
        )
        assert said.partition(" ")[2] == sentence
    lost = {"loss": 0.06, "interval": 0.01, "points": 13, "points_interval": 0}
    for loss, figures in (
        (none, "at most 1.4%"),
        (clear, "at most 1.4% and 0.8 ± 0.3 points"),
        (lost, "6.0 ± 1.0% win chance and 13.0 points"),  # what is certain has no ±
    ):
        told = tab.evaluate(f"async (loss) => {MODULES}['marks.js'].lossOf(loss)", loss)
        assert told["figures"] == figures
    only = {**lost, "loss": 0}
    (words,) = tab.evaluate(f"async (loss) => {MODULES}['marks.js'].lossOf(loss).words", only)
    assert words == "It costs about 13 points, but hardly changes who wins."


def test_an_error_is_cleared_when_the_screen_changes(tab: Any) -> None:
    tab.click("#do-play")
    tab.wait_for_selector("#task.mine")
    tab.evaluate(f"async () => {MODULES}['dom.js'].toast('wrong', true)")
    tab.wait_for_timeout(600)
    assert tab.inner_text("#toast") == "wrong"
    tab.evaluate("document.querySelector('#do-home').click()")
    tab.wait_for_selector("#start:not([hidden])")
    assert tab.text_content("#toast") == ""


def test_what_is_sent_just_before_the_screen_changes_is_no_error(tab: Any) -> None:
    tab.click("#do-play")
    tab.wait_for_selector("#task.mine")
    with tab.expect_websocket() as opened:
        tab.reload()
    tab.wait_for_selector("#task.mine")
    clicks = "for (const name of ['do-home', 'do-cards']) document.getElementById(name).click()"
    with opened.value.expect_event("framereceived", lambda text: '"type":"error"' in str(text)):
        tab.evaluate(clicks)
    tab.wait_for_selector("#start:not([hidden])")
    assert tab.text_content("#toast") == ""


def test_a_line_tells_what_it_would_score(tab: Any, running: Gui) -> None:
    position = (EXAMPLES / "contested.txt").read_text(encoding="utf-8").strip()
    tab.goto(f"{running.address}#study={quote(position)}")
    tab.reload()
    tab.wait_for_selector("#study:not([hidden])")
    line = tab.evaluate(
        "document.querySelector('#board .glows [data-v=city]').id.replace('g', 'l')"
    )
    tab.locator(f"#{line}").focus()
    words = tab.inner_text("#tip")
    assert "The others" in words
    assert words in tab.get_attribute(f"#{line}", "aria-label")
