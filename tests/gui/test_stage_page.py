"""What others do is shown step by step and can be skipped, with sounds and at a chosen pace."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import MODULES, WIDE, Gui, step, wait_for
from tests.support.scenes import open_game, save_game

pytestmark = pytest.mark.slow
MOVING = {**WIDE, "reduced_motion": "no-preference"}
# Notes each text of the line over the board's edge.
NOTES = """() => {
  window.told = [];
  const stage = document.getElementById("stage");
  new MutationObserver(() => {
    const pictures = [...stage.querySelectorAll("use")].map((one) => one.getAttribute("href"));
    if (!stage.hidden) window.told.push(`${stage.textContent} ${pictures.join(" ")}`);
  }).observe(stage, { childList: true });
}"""

# Holds points that fly to a score.
HELD = """
const animate = Element.prototype.animate;
Element.prototype.animate = function (...args) {
  const flight = animate.apply(this, args);
  if (this.classList.contains("fly")) {
    flight.pause();
    window.flight = flight;
  }
  return flight;
};
"""


@pytest.fixture(scope="module")
def data_folder(data_folder: Path) -> Path:
    """The folder of the data of a server, with saved games."""
    games = data_folder / "masons-engine" / "games"
    games.mkdir(parents=True)
    save_game(games / "wall.jsonl", "wall", 2)
    save_game(games / "again.jsonl", "wall", 2)
    save_game(games / "score.jsonl", "score", 10)
    save_game(games / "closing.jsonl", "wall", 18)
    return data_folder


def build(page: Any) -> None:
    """Place a wall and its pieces."""
    chance = random.Random(1)
    while page.evaluate("document.querySelector('#seats li:first-child.on') !== null"):
        step(page, chance)


def test_the_turn_of_another_is_shown_step_by_step(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    page = open_page(running.address, **MOVING)
    open_game(page, running.address, "wall")
    page.evaluate(NOTES)
    build(page)
    page.wait_for_selector("#stage:not([hidden])")
    page.wait_for_selector("#task.mine")
    told = page.evaluate("window.told")
    assert all(text.startswith("Engine 1") for text in told)
    assert "wall-piece" in told[0]
    assert "house" in told[-1]
    assert len(told) >= 3  # with the dice
    assert "Engine 1 built a wall" in " ".join(page.inner_text("#story").split())


def test_a_click_skips_and_the_pace_is_chosen(running: Gui, open_page: Callable[..., Any]) -> None:
    page = open_page(running.address, **MOVING)
    open_game(page, running.address, "again")
    page.keyboard.press("m")
    page.select_option("#pace", "slow")
    page.keyboard.press("Escape")
    page.evaluate(NOTES)
    build(page)
    page.wait_for_selector("#stage:not([hidden])")
    page.mouse.click(20, 20)
    page.wait_for_selector("#task.mine")
    assert not page.is_visible("#stage")
    assert len(page.evaluate("window.told")) < 3  # of the steps of a turn
    page.keyboard.press("m")
    page.select_option("#pace", "off")
    page.keyboard.press("Escape")
    page.evaluate(NOTES)
    build(page)
    page.wait_for_selector("#task.mine")
    assert page.evaluate("window.told") == []


def test_points_fly_to_the_score(running: Gui, open_page: Callable[..., Any]) -> None:
    page = open_page(running.address, script=HELD, **MOVING)
    open_game(page, running.address, "score")
    page.locator("#hand .guild:has(.seal:text-is('+8'))").first.click()
    page.locator("#choices .main").click()
    page.wait_for_selector(".fly")
    assert page.inner_text("#seats .points >> nth=0") == "0"
    page.evaluate("window.flight.play()")
    wait_for(page, "document.querySelector('#seats .points').textContent === '8'")
    wait_for(page, "!document.querySelector('.fly')")


def test_a_line_that_completes_a_city_tells_what_each_card_would_score(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    page = open_page(running.address)
    open_game(page, running.address, "closing")
    line = page.evaluate("document.querySelector('#board .glows [data-v=city]').id")
    page.locator(f"#{line.replace('g', 'l')}").focus()
    worth = page.locator("#hand [data-worth]").evaluate_all(
        "(all) => all.map((e) => e.dataset.worth)"
    )
    assert worth
    assert all(points in page.inner_text("#tip") for points in worth)
    page.keyboard.press("c")
    wait_for(page, "!document.querySelector('#hand [data-worth]')")


def test_sounds_are_switched_off_and_stay_off(tab: Any) -> None:
    tab.click("#do-sound")
    assert tab.get_attribute("#do-sound", "aria-pressed") == "false"
    tab.reload()
    tab.wait_for_selector("#do-play")
    assert tab.get_attribute("#do-sound", "aria-pressed") == "false"
    tab.keyboard.press("s")
    assert tab.get_attribute("#do-sound", "aria-pressed") == "true"


def test_a_key_shows_the_keys(tab: Any) -> None:
    tab.keyboard.press("?")
    tab.wait_for_selector("dialog.keys[open]")
    assert "h" in tab.locator("dialog kbd").all_text_contents()


def test_an_early_roll_begins_a_turn_that_goes_on_with_the_wall(tab: Any) -> None:
    events = [
        {"event": "early-roll", "seat": 0, "points": 2},
        {"event": "roll", "seat": None, "tower": "white", "houses": ["red", "blue"]},
        {"event": "wall", "seat": 0, "line": 57},
        {"event": "wall", "seat": 1, "line": 3},
        {"event": "wall", "seat": 0, "line": 8},
    ]
    script = f"""async (events) => {{
      const modules = {MODULES};
      modules["panels.js"].showNews({{ news: {{ first: 0, events }}, names: ["Ann", "Bo"] }}, 5);
      return [...document.querySelectorAll("#news > li")].map((turn) => turn.title);
    }}"""
    titles = tab.evaluate(script, events)
    assert [title.count("wall on line") for title in titles] == [1, 1, 1]
    assert [title.count("\n") for title in titles] == [2, 0, 0]
