"""The first screen, the lessons and the card reference in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from masons.engine.lessons.lesson import bundled_lessons
from tests.support.browser import PHONE, Gui, gui, press, wait_for
from tests.support.gui_pages import RECORD

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data_folder(data_folder: Path) -> Path:
    """The folder of the data of a server, with a finished game in its list."""
    games = data_folder / "masons-engine" / "games"
    games.mkdir(parents=True)
    (games / "old.jsonl").write_text(RECORD + "\n", encoding="utf-8")
    return data_folder


def test_the_first_screen(look: dict[str, Any], tab: Any) -> None:
    """What can be begun is in view, with the last game's board; games have pictures."""
    tab.wait_for_selector("#games [data-file='old.jsonl'] .small-board")
    assert tab.locator(".offers :is(.big b, #do-play)").all_text_contents() == [
        "Play", "Play with a friend", "Learn to play", "Puzzles", "Analyze",
    ]  # fmt: skip
    assert tab.locator("#scene .small-board").count() == 1
    assert not tab.is_visible("#board")
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for choice in ("#do-play", "#level", "#do-analyze"):
        box = tab.locator(choice).bounding_box()
        assert box["y"] + box["height"] <= look["viewport"]["height"]
    record = json.loads(RECORD)
    for name, score in zip(record["names"], record["result"]["scores"], strict=True):
        shown = tab.inner_text("#games [data-file='old.jsonl']")
        assert re.search(rf"{name.capitalize()}( ★)?\s+{score}", shown)
    tab.click("#do-play")
    tab.wait_for_selector("#table")
    assert tab.locator("#start *").count() == 0  # it is freed, not just hidden
    assert "Engine (level 1)" in tab.inner_text("#seats")
    assert not tab.is_visible("#start")
    tab.evaluate("document.getElementById('do-home').click()")  # a phone has no room for it
    tab.wait_for_selector("#do-play")
    tab.wait_for_timeout(200)
    assert tab.locator("#games li").count() == 1  # an empty game is not kept


def test_a_new_player_sees_how_a_turn_goes(
    tmp_path: Path, look: dict[str, Any], open_page: Callable[..., Any]
) -> None:
    """In three pictures: a wall, its towers and houses, and the city that three walls make."""
    with gui(tmp_path) as running:
        page = open_page(running.address, **look)
        page.wait_for_selector("#games .stage")
        pieces = [
            sorted(one.evaluate("each => [...each.querySelectorAll(':scope > use')].map(use => "
                                "use.getAttribute('href').split('-')[0].slice(1))"))
            for one in page.locator(".stage .small-board").all()
        ]  # fmt: skip
        city = [*3 * ["house"], "palace", *3 * ["tower"], *3 * ["wall"]]
        assert pieces == [["wall"], ["house", "house", "tower", "tower", "wall"], city]
        assert page.locator(".stage:last-child .city").get_attribute("d").count("M") == 1
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_level_is_changed_in_place_and_a_game_is_continued_and_deleted(tab: Any) -> None:
    tab.select_option("#level", "3")
    tab.reload()
    tab.wait_for_selector("#do-play")
    assert tab.input_value("#level") == "3"
    tab.click("#do-play")
    tab.wait_for_selector("#task.mine")
    press(tab, "l82", touch=False)
    wait_for(tab, "document.querySelectorAll('#news li').length > 1")
    tab.click("#do-home")
    wait_for(tab, "document.querySelector('#do-continue small')?.textContent.includes('turn')")
    assert tab.inner_text("#do-continue").splitlines()[0] == "Continue your game ▶"
    tab.click("#do-continue")
    tab.wait_for_selector("#news li")
    tab.click("#do-home")
    tab.wait_for_selector("#do-continue")
    tab.click("#continue .delete")
    tab.get_by_role("button", name="Delete", exact=True).last.click()
    wait_for(tab, "!document.querySelector('#do-continue')")
    assert tab.locator("#games li").count() == 1


def test_a_whole_lesson_by_keyboard_alone(tab: Any) -> None:
    """`A small city`, from the first screen to its end, and back to the list."""
    tab.wait_for_selector("#do-learn")
    tab_to(tab, "Learn to play")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#next-lesson")
    tab_to(tab, "9A small city")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#lesson h2")
    assert "step 1 of 4" in tab.inner_text("#lesson .where")
    type_on_board(tab, "0")  # a legal wall, but not the one that is asked for
    wait_for(tab, "document.querySelector('#lesson .hint') !== null")
    type_on_board(tab, "56")
    tab.wait_for_selector("#choices .option")
    tab.keyboard.press("c")
    tab_to(tab, "blue house on space 24")
    tab.keyboard.press("Enter")
    wait_for(tab, "document.querySelector('#lesson .task').textContent.includes('merge')")
    tab.keyboard.press("c")
    tab_to(tab, "Do not merge")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#hand .guild:not(:disabled)")
    for card in ("Region III houses", "All land towers"):
        tab.keyboard.press("c")
        tab_to(tab, f"{card}:")
        tab.keyboard.press("Space")
    tab_to(tab, "Play 2 cards: +35")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#lesson p.good")
    assert "You score 35 points." in tab.inner_text("#lesson")
    assert "step 4 of 4" in tab.inner_text("#lesson .where")
    tab_to(tab, "All lessons")
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".lessons .done")
    assert tab.locator(".lessons .done").count() == 1
    assert tab.locator(".lessons .lesson-picture").count() == len(bundled_lessons())


FOCUSED = """() => document.activeElement.getAttribute("aria-label")
  || document.activeElement.textContent"""


def tab_to(page: Any, name: str) -> None:
    """Press Tab until what has the focus begins with a name."""
    for _ in range(60):
        if page.evaluate(FOCUSED).strip().startswith(name):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {name}: {page.evaluate(FOCUSED)}")


def type_on_board(page: Any, line: str) -> None:
    """Go to a line by its number and choose it."""
    page.keyboard.press("b")
    page.keyboard.type(line)
    page.keyboard.press("Enter")


def test_lessons_by_clicks_on_a_phone(
    running: Gui, open_page: Callable[..., Any], data_folder: Path
) -> None:
    """With a wrong move, undo, a reload and all that is shown, which does not count as done."""
    page = open_page(running.address, **PHONE)
    page.tap("#do-learn")
    page.get_by_role("button", name="How a city closes").tap()
    page.wait_for_selector("#lesson h2")
    assert page.locator(".tag").all_text_contents() == ["53"]
    press(page, "l0", touch=True)
    page.get_by_role("button", name="Build the wall").tap()
    page.wait_for_selector("#lesson .hint")
    assert "line 86" in page.inner_text("#lesson .hint")
    page.reload()
    page.get_by_role("button", name="Show me").tap()
    page.wait_for_selector("#lesson .said")
    page.tap("#do-undo")
    wait_for(page, "document.querySelectorAll('#lesson .said').length === 0")
    lesson = next(each for each in bundled_lessons() if each.title == "How a city closes")
    for _ in range(sum(step.task is not None for step in lesson.steps)):
        before = json.dumps(page.inner_text("#lesson"))
        page.get_by_role("button", name="Show me").tap()
        wait_for(page, f"document.querySelector('#lesson').innerText !== {before}")
    page.wait_for_selector("#lesson .good")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert "Do it once without “Show me”" in page.inner_text("#lesson")
    kept = data_folder / "masons-engine" / "lessons.json"
    assert not kept.exists() or lesson.name not in json.loads(kept.read_text())["done"]


# The panel's top, with the answer, is on the screen.
IN_VIEW = """document.querySelector("#lesson").getBoundingClientRect().top >= 0"""


def test_an_answer_is_in_view_beside_the_board_too(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    """Its buttons are far below it: a card is played, and an answer shown, from there."""
    page = open_page(f"{running.address}#lesson=6", viewport={"width": 1280, "height": 800})
    page.locator("#hand .guild").first.click()
    page.locator("#choices .main").click()
    page.wait_for_selector("#lesson .said")
    assert page.evaluate(IN_VIEW)
    said = page.inner_text("#lesson .said")
    page.evaluate("document.querySelector('#now').scrollTop = 9999")
    page.get_by_role("button", name="Show me").click()
    wait_for(page, f"document.querySelector('#lesson .said').innerText !== {json.dumps(said)}")
    assert page.evaluate(IN_VIEW)


def test_the_cards_are_one_key_away(tab: Any) -> None:
    """In a game and in a lesson; counts are those of the board."""
    tab.click("#do-learn")
    tab.get_by_role("button", name="Scoring cards").click()
    tab.wait_for_selector("#lesson h2")
    tab.keyboard.press("g")
    tab.wait_for_selector("dialog.sheet")
    row = tab.locator(".sheet-cards li.held", has_text="City of 3 spaces").first
    assert "8 points" in row.inner_text()
    assert "3 spaces" in row.text_content()
    tab.keyboard.press("Escape")
    tab.get_by_role("button", name="All lessons").click()
    tab.get_by_role("button", name="Back").click()
    tab.click("#do-play")
    tab.click("#do-cards")
    tab.wait_for_selector("dialog.sheet")
    assert tab.locator(".sheet-cards li.held").count() >= 6


def test_the_rules_are_at_hand(
    look: dict[str, Any], running: Gui, open_page: Callable[..., Any]
) -> None:
    """By a key, and by a button of the bar or, on a phone, of the menu."""
    page = open_page(f"{running.address}#lesson=4", **look)
    page.wait_for_selector("#lesson h2")
    page.keyboard.press("r")
    page.wait_for_selector("dialog.rules[open]")
    assert page.evaluate(FOCUSED) == "Close"
    assert page.locator("dialog dt").count() == page.locator("dialog dd").count() == 10
    page.keyboard.press("Escape")
    if look is PHONE:
        page.tap("#do-menu")
    page.locator("#do-rules:visible, dialog button:text-is('Rules')").click()
    page.wait_for_selector("dialog.rules[open]")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_openings(tab: Any) -> None:
    """By seats and by cards; a wall leads to its analysis, with the cards that are held."""
    tab.get_by_role("button", name="Openings").click()
    tab.wait_for_selector("#openings .ranked tbody tr")
    assert tab.locator("#openings .ranked tbody tr").count() == 20
    assert tab.locator("#board .live").count() == 20
    assert "20 first walls are equally good" in tab.inner_text("#openings")
    assert "13 walls inside a region: all win about equally often" in tab.inner_text("#openings")
    assert tab.is_visible("#legend .first")  # one color for all
    two = tab.inner_text("#openings .ranked")
    tab.select_option("#openings-players", "3")
    wait_for(tab, "document.querySelector('#openings').textContent.includes('33.3%')")
    assert "Only 1 wall on the shore: by chance there would be about 6." in tab.inner_text(
        "#openings"
    )
    assert tab.inner_text("#openings .ranked") != two
    tab.click("#openings-cards summary")
    tab.check("#held-land-shore")
    wait_for(tab, "document.querySelector('#openings summary').textContent.includes('1 chosen')")
    assert tab.is_visible("#held-cities")  # the list stays open
    assert "make no difference" in tab.inner_text("#openings")
    tab.check("#held-land-region-3")
    wait_for(tab, "document.querySelector('#openings .verdict').textContent.includes('8 walls')")
    assert "With the card “Region III houses”, begin in region III" in tab.inner_text("#openings")
    tab.get_by_role("button", name="Back").click()
    tab.get_by_role("button", name="Set up a position").click()
    tab.wait_for_selector("#board.drafting")
    assert tab.locator("#board .glows [data-v=first]").count() == 0  # the marks are gone
    tab.evaluate("window.location.hash = 'openings'")
    tab.reload()
    tab.wait_for_selector("#openings .ranked tbody tr")
    tab.click("#openings-cards summary")
    tab.check("#held-land-shore")
    wait_for(tab, "document.querySelector('#openings summary').textContent.includes('1 chosen')")
    tab.locator("#openings .ranked button").first.click()
    tab.wait_for_selector("#study", state="visible")
    assert tab.locator("#hand [data-card=land-shore]").count() == 1
    assert tab.locator("#hand .guild").count() == 6
