"""The board during a game in a browser: numbers, pieces not placed yet, pieces of others."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from masons.engine.board.geometry import load_board
from tests.gui import screens
from tests.support.browser import MODULES, PHONE, STATE, Gui, begin, centre, press, step, wait_for

pytestmark = pytest.mark.slow


def until_phase(page: Any, task: str) -> None:
    """Play until the page asks for a decision whose task has some words."""
    chance = random.Random(3)
    for _ in range(2000):
        state = page.evaluate(STATE)
        if state["mine"] and task in state["task"]:
            return
        step(page, chance)
    raise AssertionError(page.evaluate(STATE))


def test_pieces_are_shown_and_confirmed(look: dict[str, Any], tab: Any) -> None:
    begin(tab)
    tab.wait_for_selector("#task.mine")
    press(tab, "l82", touch=look is PHONE)
    if look is PHONE:
        assert "82" in tab.locator("#labels .tag").all_text_contents()
        tab.locator("#choices .main").click()
    until_phase(tab, "Choose the houses")
    assert tab.locator("#labels .tag").count() == 0  # pictures show the places
    option = tab.locator("#choices .option").nth(1)
    option.focus()
    assert tab.locator("#ghosts use").count() == 2
    option.click()
    if look is PHONE:
        assert tab.locator("#ghosts use").count() == 2
        assert tab.inner_text("#choices .main").startswith("Place: ")
        assert "Choose the houses" in tab.inner_text("#task")
        tab.locator("#choices .main").click()
    wait_for(tab, "!document.querySelector('#ghosts use')")


def test_pieces_of_others_are_marked_until_the_next_decision(tab: Any) -> None:
    begin(tab)
    until_phase(tab, "Choose the houses")
    assert tab.locator("#recent > *").count() == 0
    until_phase(tab, "Place a wall")
    marks = tab.locator("#recent > *").count()
    assert tab.locator("#recent line").count() == 1
    assert marks >= 3  # with its houses, and towers where the ends were empty
    assert tab.is_visible("#legend .recent")
    latest = tab.locator("#news .latest").all_text_contents()  # a swap may come before the wall
    assert any(text.startswith("New: Engine (level 1): wall") for text in latest)
    tab.locator("#news > .latest:has(.wall)").last.hover()
    assert tab.locator("#spots line").count() == 1  # of the wall in the log that is pointed at
    tab.reload()
    tab.wait_for_selector("#news li")
    wait_for(tab, f"document.querySelectorAll('#recent > *').length === {marks}")
    step(tab, random.Random(1))
    wait_for(tab, "!document.querySelector('#recent > *, #news .latest')")
    assert not tab.is_visible("#legend .recent")


def test_pieces_stay_where_new_ones_are_not_animated(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    """As in steps that follow one another fast, and where a person asked for no animation.

    A piece stays the same piece when others come and go.
    """
    script = f"""async () => {{
      const {{ makeSvg, showStock }} = {MODULES}['pieces.js'];
      const group = makeSvg("g", {{}});
      const steps = [
        ["house-red"], ["house-red", "house-blue"], ["palace-red", "house-blue"],
      ];
      return steps.map((names) => {{
        showStock(group, names.map((name, i) => [name, 1, 20 * i, 0, 30]), false);
        return [...group.children].map((piece) => piece.getAttribute("data-k"));
      }});
    }}"""
    shown = open_page(running.address).evaluate(script)
    assert shown == [
        ["house-red1"], ["house-red1", "house-blue1"], ["palace-red1", "house-blue1"],
    ]  # fmt: skip


def test_the_wheel_zooms_only_with_the_control_key(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    page = open_page(running.address, viewport={"width": 1280, "height": 300})
    begin(page)
    page.wait_for_selector("#task.mine")
    page.hover("#scroller")
    page.mouse.wheel(0, 200)
    wait_for(page, "window.scrollY > 0")
    assert page.evaluate("document.getElementById('holder').style.width") == ""
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    wait_for(page, "parseFloat(document.getElementById('holder').style.width) > 100")


def test_lines_near_the_pointer_light_up_and_show_the_wall(tab: Any) -> None:
    begin(tab)
    tab.wait_for_selector("#task.mine")
    tab.mouse.move(*centre(tab, "l82"))
    assert tab.is_visible("#w82.ghost")
    ids = "(all) => all.map((one) => Number(one.id.slice(1)))"
    legal = tab.eval_on_selector_all("#board .line.live", ids)
    towers = load_board("classic").line_towers
    assert sorted(tab.eval_on_selector_all("#board .beside", ids)) == [
        line for line in sorted(legal) if line != 82 and {*towers[line]} & {*towers[82]}
    ]
    tab.mouse.move(2, 2)
    wait_for(tab, "!document.querySelector('#board :is(.ghost, .beside)')")


def test_the_menu_chooses_a_dark_board_and_letters(tab: Any) -> None:
    begin(tab)
    tab.wait_for_selector("#task.mine")
    paint = "getComputedStyle(document.querySelector('#board .region-1')).fill"
    light = tab.evaluate(paint)
    for _ in range(2):  # as chosen, also after a reload
        tab.click("#do-menu")
        tab.select_option("#theme", "dark")
        tab.locator("#letters").check()
        tab.keyboard.press("Escape")
        assert tab.evaluate(paint) != light
        assert (
            tab.evaluate("getComputedStyle(document.querySelector('.b-letter')).display") != "none"
        )
        tab.reload()
        tab.wait_for_selector("#task.mine")
    tab.click("#do-menu")
    tab.select_option("#theme", "light")
    assert tab.evaluate(paint) == light


SEEN = """() => {
  const view = document.querySelector("#scroller").getBoundingClientRect();
  const parts = [...document.querySelectorAll("#labels .tag, #board [data-v=city]")];
  const boxes = parts.map((part) => part.getBoundingClientRect()).filter(({ width }) => width);
  return boxes.length > 0 && boxes.every(({ left, right, top, bottom }) =>
    left >= view.left && right <= view.right && top >= view.top && bottom <= view.bottom);
}"""


@pytest.mark.parametrize(
    ("size", "number", "is_larger"),
    [("1280x720", 4, True), ("1280x720", 5, False), ("390x844", 4, False)],
)
def test_a_lesson_without_cards_shows_the_part_of_the_board_that_it_speaks_of(
    size: str, number: int, is_larger: bool, running: Gui, open_page: Callable[..., Any]
) -> None:
    page = open_page(f"{running.address}#lesson={number}", **screens.look(size))
    page.wait_for_selector("#lesson h2")
    assert page.locator("#scroller.zoomed").count() == is_larger
    assert page.evaluate(SEEN)
    page.get_by_role("button", name="All lessons").click()
    page.wait_for_selector("#start .lessons")
    assert page.locator("#scroller.zoomed").count() == 0


def test_a_puzzle_says_by_how_many_points_one_leads(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    script = f"""async (scores) => {{
      const board = {{ offer() {{}}, labels: {{ nameWalls() {{}} }} }};
      const practice = new ({MODULES}['practice.js'].Practice)(board, () => {{}}, () => {{}});
      const standing = {{ rating: 1500, interval: 900, streak: 0, days: 0, today: [0, 0] }};
      const supply = {{ walls: 9, towers: [3, 3, 3], houses: [5, 5, 5, 5, 5], palaces: [] }};
      const position = {{ phase: 'wall', seat: 1, scores, supply, names: ['Opponent', 'You'] }};
      practice.ask({{ number: 1, total: 9, standing, tries: 0, position }});
      return document.querySelector('#task').textContent;
    }}"""
    page = open_page(running.address, **screens.look("1280x720"))
    page.wait_for_selector("#do-play")
    for scores, words in (
        ([29, 20], "You are 9 points behind."),
        ([3, 4], "You are 1 point ahead."),
        ([7, 7], "You share the lead."),
    ):
        assert words in page.evaluate(script, scores)


def test_a_lesson_leaves_the_size_of_the_board_that_one_has_chosen(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    """Also in a lesson that shows no part of the board larger, at each of its steps."""
    width = "document.querySelector('#holder').getBoundingClientRect().width"
    page = open_page(f"{running.address}#lesson=6", **screens.look("390x844"))
    page.wait_for_selector("#lesson h2")
    page.click("#zoom-in")
    chosen = page.evaluate(width)
    before = page.inner_text("#lesson .where")
    page.locator("#lesson .task button, #steps button.main").first.click()
    page.wait_for_function(
        "(before) => document.querySelector('#lesson .where').innerText !== before", arg=before
    )
    assert page.evaluate(width) == chosen


def test_a_wall_that_was_only_chosen_stands_nowhere_else(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    """Whatever is chosen next. On a small screen, the button that confirms it is in view."""
    page = open_page(f"{running.address}#lesson=1", **PHONE)
    page.wait_for_selector("#lesson h2")
    walls = "document.querySelectorAll('#board .masonry .ghost').length"
    press(page, "l82", touch=True)
    wait_for(page, f"{walls} === 1")
    box = page.locator("#choices .main").bounding_box()
    assert box["y"] + box["height"] <= PHONE["viewport"]["height"]
    page.locator("#choices .main").tap()
    wait_for(page, "document.querySelector('#lesson .where').textContent.endsWith('step 2 of 2')")
    assert page.evaluate(walls) == 0
    assert page.locator("#board .glows [data-v=city]").count() == 0  # it may be the task
    page.goto("about:blank")
    page.goto(f"{running.address}#lesson=9")
    page.wait_for_selector("#lesson .task")
    press(page, "l56", touch=True)
    wait_for(page, f"{walls} === 1")
    page.locator("#choices .main").tap()
    page.wait_for_selector("#choices .option")  # no line can be chosen now
    assert page.evaluate(walls) == 0
