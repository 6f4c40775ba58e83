"""What a turn needs is in the window: measured on the screens of a game, in four sizes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.gui.screens import SIZES, look
from tests.support.browser import MODULES, Gui, check_access
from tests.support.scenes import LONG, POINTS, open_game, open_puzzle, save_games, solve

pytestmark = pytest.mark.slow

# The parts that a turn needs and that are outside the window, cut off or under another element.
HIDDEN = """() => [...document.querySelectorAll("#scroller, #seats .points, #task, "
  + "#story li:last-child, #choices button, #hand .guild, #do-hint, #do-undo, #do-menu")]
  .filter((one) => one.offsetParent)
  .filter((one) => {
    const { left, top, right, bottom, width, height } = one.getBoundingClientRect();
    if (left < 0 || right > window.innerWidth + .5) return true;
    if (top < 0 || bottom > window.innerHeight + .5) return true;
    const at = (x, y) => document.elementFromPoint(left + x * width, top + y * height);
    return [[.5, .5], [.1, .2], [.9, .8]].some(([x, y]) => {
      const seen = at(x, y);
      return !(one.contains(seen) || seen?.contains(one));
    });
  }).map((one) => `${one.id || one.className} ${one.textContent.slice(0, 30)}`)"""

FITS = "document.documentElement.scrollWidth <= window.innerWidth"


@pytest.fixture(scope="module")
def data_folder(data_folder: Path) -> Path:
    """The folder of the data of a server, with saved games."""
    save_games(data_folder)
    return data_folder


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_what_a_turn_needs_is_in_the_window(
    size: str, theme: str, running: Gui, open_page: Callable[..., Any]
) -> None:
    for language in ("en", "de"):
        page = open_page(running.address, **look(size, color_scheme=theme, locale=language))
        for name in POINTS:
            open_game(page, running.address, name)
            assert page.evaluate(HIDDEN) == [], (name, language)
            assert page.evaluate(FITS), (name, language)
        if language == "en":
            check_access(page, f"{size} {theme}")


@pytest.mark.parametrize("size", SIZES)
def test_a_puzzle_opens_at_its_question_and_ends_at_its_verdict(
    size: str, running: Gui, open_page: Callable[..., Any]
) -> None:
    """Also if the one before was left scrolled down. The next puzzle is in reach."""
    page = open_page(running.address, **look(size))
    open_puzzle(page, running.address)
    for _ in range(2):
        assert page.evaluate(HIDDEN) == []
        assert page.evaluate(FITS)
        solve(page)
        page.wait_for_selector("#steps button.main")
        page.wait_for_timeout(300)
        assert page.locator("#task .bad, #task .good").first.is_visible()
        hidden = page.evaluate(HIDDEN.replace("#scroller", "#steps button.main, #scroller"))
        assert [each for each in hidden if not each.startswith("guild")] == []
        page.evaluate("window.scrollTo(0, 9999); document.getElementById('now').scrollTop = 9999")
        page.click("#steps button.main")
        page.wait_for_selector("#steps:not(:has(.main))")
        page.wait_for_timeout(300)


@pytest.mark.parametrize("size", ["1280x720", "1366x650"])
def test_a_hint_needs_no_scrolling(size: str, running: Gui, open_page: Callable[..., Any]) -> None:
    page = open_page(running.address, **look(size, locale="de"))
    for name in (*POINTS, *LONG):
        open_game(page, running.address, name)
        page.keyboard.press("h")
        page.wait_for_selector("#advice .verdict")
        assert page.evaluate("now.scrollHeight <= now.clientHeight"), name


def test_a_hint_marks_what_it_says_of_a_merge(running: Gui, open_page: Callable[..., Any]) -> None:
    """The best choice has a star, and a rim goes around the cities that it merges."""
    page = open_page(running.address, **look("1280x720"))
    open_game(page, running.address, "merge")
    page.keyboard.press("h")
    page.wait_for_selector("#advice .verdict")
    starred = page.locator("#choices [data-rank='★']")
    assert starred.count() == 1
    is_merge = starred.get_attribute("data-option") != "merge:none"
    said = page.inner_text("#advice .verdict")
    assert ("Merge these cities" in said) == is_merge
    assert ("Do not merge" in said) != is_merge
    assert (page.locator("#board .outline").count() > 0) == is_merge


@pytest.mark.parametrize("size", ["1280x720", "1366x650"])
def test_choices_need_no_scrolling_after_the_turns_of_others(
    size: str, running: Gui, open_page: Callable[..., Any]
) -> None:
    """A turn since is one line, or two if its points do not fit; the choices have the rest."""
    boxes = """() => {
      const box = (one) => one.getBoundingClientRect();
      const all = (query) => [...document.querySelectorAll(query)].map(box);
      const rest = document.querySelector("#ending").offsetHeight ? "#ending" : "#story";
      return {
        overflow: now.scrollHeight - now.clientHeight,
        room: all(rest)[0].top - Math.max(...all("#choices > *, .option").map((one) => one.bottom)),
        smallest: Math.min(...all(".option").flatMap(({ width, height }) => [width, height])),
        lines: all("#story li").map(({ height }) => height),
      };
    }"""
    for language in ("en", "de", "es"):
        page = open_page(running.address, **look(size, locale=language))
        for name, turns in (("scored", 1), ("four-two", 3), ("four-nine", 3)):
            open_game(page, running.address, name)
            found = page.evaluate(boxes)
            place = (name, language, found)
            assert found["overflow"] <= 0, place
            assert found["room"] >= 0, place
            assert found["smallest"] >= 64, place
            assert len(found["lines"]) == turns, place
            assert max(found["lines"]) <= 48, place
            if language == "es":  # a choice has to be confirmed
                page.evaluate("localStorage.setItem('masons-confirm', 'yes')")
                page.locator(".option").last.click()
                page.wait_for_selector("#choices > .main")
                found = page.evaluate(boxes)
                assert found["overflow"] <= 0, (name, found)
                assert found["room"] >= 0, (name, found)


def test_the_log_keeps_the_points_of_a_turn_together(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    """Where they do not fit beside the pieces, they have a line, whose end is that of all lines."""
    page = open_page(running.address, **look("1280x720"))
    open_game(page, running.address, "four")
    boxes = """() => [...document.querySelectorAll("#news .gains")].map((gains) =>
      [...gains.querySelectorAll(".pics")].map((one) => one.getBoundingClientRect())
        .map(({ top, right }) => [Math.round(top), Math.round(right)]))"""
    turns = page.evaluate(boxes)
    end = "Math.round(document.querySelector('#news ol').getBoundingClientRect().right)"
    assert max(map(len, turns)) == 4
    assert all(len({top for top, _ in turn}) == 1 for turn in turns)
    assert len({turn[-1][1] for turn in turns} | {page.evaluate(end)}) == 1


def test_an_engraving_takes_the_room_that_is_left(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    """It stands at the end of the panel, below all text, if there is room for it."""
    page = open_page(running.address, **look("1280x720"))
    drawn = """() => {
      const image = getComputedStyle(skyline, "::before").maskImage;
      const text = document.querySelector("#story").getBoundingClientRect().bottom;
      const { top, bottom } = skyline.getBoundingClientRect();
      const end = now.getBoundingClientRect().bottom;
      return [image.includes("skyline.svg"), top >= text && Math.abs(end - bottom) < 2];
    }"""
    open_game(page, running.address, "towers")
    assert page.evaluate(drawn) == [True, True]
    page.set_viewport_size({"width": 1280, "height": 560})
    assert page.evaluate(drawn)[0] is False


@pytest.mark.parametrize("size", ["320x568", "740x360"])
def test_small_windows_have_no_overflow(
    size: str, running: Gui, open_page: Callable[..., Any]
) -> None:
    for language in ("en", "de", "es"):
        page = open_page(running.address, **look(size, locale=language))
        open_game(page, running.address, "score")
        assert page.evaluate(FITS), language
        check_access(page, f"{size} {language}")
        page.click("#do-home")
        page.wait_for_selector("#games .small-board")
        assert page.evaluate(FITS), language


def test_cards_are_picked_and_then_played(running: Gui, open_page: Callable[..., Any]) -> None:
    """What can be scored stands out; the button says what the picked cards bring."""
    page = open_page(running.address)
    open_game(page, running.address, "score")
    play = page.locator("#choices .main")
    cards = page.locator("#hand .guild.pays")
    points = [int(text) for text in page.locator("#hand .pays .seal").all_inner_texts()]
    most = sum(sorted(points)[-2:])
    assert (play.inner_text(), play.is_disabled()) == ("Play", True)
    assert page.inner_text("#choices .how") == f"Choose 1 or 2 cards: up to +{most}"
    assert all(points)
    assert cards.count() < page.locator("#hand .guild").count()
    for card in page.locator("#hand [data-card*=region]").all():
        number = card.get_attribute("data-card")[-1]
        assert card.locator("use").first.get_attribute("href") == f"#emblem-{number}"
    cards.nth(0).click()
    assert play.inner_text() == f"Play 1 card: +{points[0]}"
    assert page.get_by_role("button", name="Discard 1, draw 2").is_enabled()
    cards.nth(1).click()
    assert play.inner_text() == f"Play 2 cards: +{points[0] + points[1]}"
    assert page.get_by_role("button", name="Discard 1, draw 2").is_disabled()
    assert page.locator("button.main:visible").count() == 1
    assert page.locator("#hand [aria-pressed=true]").count() == 2
    check_access(page, "cards picked")
    page.locator("#hand .guild[aria-pressed=false]").first.click()
    assert page.inner_text("#toast") == "At most 2 cards: take one back first."
    page.wait_for_timeout(500)  # until it is no longer new
    cards.nth(1).click()
    assert page.text_content("#toast") == ""
    page.click("#do-home")
    page.wait_for_selector("#games .small-board")
    assert page.locator("button.main:visible").get_attribute("id") == "do-continue"


def test_cards_picked_in_an_exercise_are_not_picked_in_the_next(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    """Two exercises may stand at the same place of their games; a redrawn one keeps its cards."""
    page = open_page(running.address)
    script = f"""async (hands) => {{
      const choices = new ({MODULES}['choices.js'].Choices)({{}}, () => {{}});
      choices.draw = () => {{}};
      return hands.map((hand) => {{
        choices.show({{ at: 1, seat: 0, hand: hand.map((card) => ({{ card }})) }});
        const kept = choices.picked.size;
        choices.picked.add(0);
        return kept;
      }});
    }}"""
    first, second = ["city-red", "land-walls"], ["city-blue", "land-walls"]
    assert page.evaluate(script, [first, first, second]) == [0, 1, 0]


def test_pieces_are_chosen_on_the_board(running: Gui, open_page: Callable[..., Any]) -> None:
    """Each space shows a house of the choice that is pointed at; a click offers them."""
    page = open_page(running.address)
    open_game(page, running.address, "houses")
    shown = """[...document.querySelectorAll('#ghosts.offered-pieces use')]
      .map((one) => one.getAttribute('href'))"""
    assert page.evaluate(shown) == []
    numbers = sorted(page.locator("#labels text").all_text_contents())
    assert sorted(page.locator(".option text").all_text_contents()) == sorted(2 * numbers)
    first, second = [], []
    for houses, option in ((first, 0), (second, 1)):
        page.locator("#choices .option").nth(option).hover()
        houses += page.evaluate(shown)
    assert second == first[::-1]
    assert len(first) == 2
    page.mouse.move(0, 0)
    assert page.evaluate(shown) == []
    page.locator("#board .space.live").first.dispatch_event("click")
    page.locator("#popover button").nth(1).click()
    assert page.locator("#ghosts:not(.offered-pieces) use").count() == 2
    assert page.inner_text("#choices .main").startswith("Place: ")
