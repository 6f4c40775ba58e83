"""The board in a real browser: games by clicks and taps, by keys, by two people, after a crash."""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from masons.engine.board.components import CARD_NAMES
from masons.engine.game.record import read_record
from masons.engine.game.replay import check_record
from tests.support.browser import (
    PHONE,
    STATE,
    Gui,
    begin,
    free_port,
    gui,
    gui_of,
    key_step,
    press,
    step,
    wait_for,
)
from tests.support.gui_pages import RECORD, cut
from tests.support.paths import EXAMPLES

pytestmark = pytest.mark.slow
HANG = 60
POSITION = quote((EXAMPLES / "contested.txt").read_text(encoding="utf-8").strip())


@pytest.fixture(scope="module")
def server(data_folder: Path) -> Iterator[Gui]:
    """With an engine for seats that ends as soon as it is started."""
    with gui(data_folder, "--engine", f"broken={sys.executable} -c pass") as process:
        yield process


@pytest.fixture
def running(server: Gui, data_folder: Path) -> Iterator[Gui]:
    """The one server, where no game was played yet."""
    yield server
    for path in data_folder.rglob("games/*.jsonl"):
        path.unlink()


def play(
    pages: list[Any], chance: random.Random, *, touch: bool = False, keys: bool = False,
    until: int = 10**6,
) -> int:  # fmt: skip
    """Click, tap or type until the game is over, or so many events were told; return how many."""
    end = time.monotonic() + HANG
    while time.monotonic() < end:
        for page in pages:
            state = key_step(page, chance) if keys else step(page, chance, touch=touch)
            if "The game ends" in state["task"] or state["said"] >= until:
                return int(state["said"])
    raise AssertionError(pages[0].evaluate(STATE))


def only_game(folder: Path) -> Path:
    (path,) = folder.rglob("games/*.jsonl")
    return path


def test_a_whole_game(look: dict[str, Any], tab: Any, data_folder: Path) -> None:
    """By taps on a phone, else by keys alone, after some clicks and a reload that changes nothing.

    Near its end, the page says which supply can end it.
    """
    page, chance, touch = tab, random.Random(1), look is PHONE
    begin(page)
    page.wait_for_selector("#task.mine")
    page.keyboard.press("b")
    first = page.evaluate("document.activeElement.id")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    second = page.evaluate("document.activeElement.id")
    assert (first[0], second[0], first != second) == ("l", "l", True)
    assert page.get_attribute(f"#{second}", "aria-label").startswith("Wall on")
    play([page], chance, touch=touch, until=20)
    before = wait_still(page)
    page.reload()
    page.wait_for_selector("#news li")
    assert wait_still(page) == before
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    play([page], chance, touch=touch, keys=not touch)
    record = read_record(str(only_game(data_folder)), 1)
    check_record(record)
    words = page.inner_text("#task")
    assert ("You win" in words) == (record["result"]["winners"] == [0])
    page.get_by_role("button", name="Analyze this game").click()
    page.wait_for_selector("#study", state="visible")
    page.keyboard.press("End")
    for _ in range(60):
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(50)
        if "the next" in (said := page.text_content("#ending")):
            break
    assert re.search(rf"{record['result']['end'][:-1]}s? left.* the next", said)


# The selects that are narrower than their widest text wants.
CUT = """() => [...document.querySelectorAll("select")].filter((one) => {
  const width = one.offsetWidth;
  one.style.cssText = "width: max-content; min-width: 0; flex: none";
  const wanted = one.offsetWidth;
  one.style.cssText = "";
  return one.offsetParent && width < wanted;
}).map((one) => one.textContent)"""


@pytest.mark.usefixtures("look")
def test_no_select_cuts_its_text(tab: Any) -> None:
    tab.click("#do-more")
    assert tab.evaluate(CUT) == []
    tab.get_by_label("Own dice").check()
    tab.click("#begin")
    tab.wait_for_selector("dialog[open]")
    assert tab.evaluate(CUT) == []
    tab.get_by_role("button", name="Cancel").click()
    tab.get_by_role("button", name="Set up a position").click()
    tab.get_by_label("what is due").select_option("houses")
    assert tab.evaluate(CUT) == []


LOOKS = """() => [
  [...document.querySelectorAll("#board [data-v]")].filter((e) => !e.id.startsWith("g"))
    .map((e) => e.id + "=" + e.getAttribute("data-v")).join(" "),
  document.getElementById("seats").innerText, document.getElementById("news").innerText,
  document.getElementById("hand").innerText, document.getElementById("task").innerText,
]"""


def wait_still(page: Any) -> Any:
    """Return what the page shows once a person is to decide."""
    page.wait_for_selector("#task.mine")
    return page.evaluate(LOOKS)


def test_two_tabs_have_two_seats_and_two_hands(running: Gui, open_page: Callable[..., Any]) -> None:
    """Neither the DOM nor any message of a tab holds a card that only the other has seen."""
    host = open_page(running.address)
    begin(host, people=2)
    host.click("dialog.curtain button.main")
    host.click("#do-menu")
    host.get_by_role("button", name="Turquoise: move to another device").click()
    address = host.input_value("#address")
    host.get_by_role("button", name="Back to the board").click()
    heard: list[str] = []
    guest = open_page(address)
    guest.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda text: heard.append(str(text))),
    )
    guest.get_by_role("button", name="Let's play").click()
    guest.reload()
    guest.wait_for_selector("#hand .guild")
    mine, theirs = hand_of(host), hand_of(guest)
    assert len(mine) == len(theirs) == 6
    for page, others, hand in ((host, theirs, mine), (guest, mine, theirs)):
        text = page.content()
        for card in set(others) - set(hand):
            assert f"{CARD_NAMES[card]}:" not in text
            assert f'data-card="{card}"' not in text
    assert "you" in guest.inner_text("#seats li:has-text('Turquoise')")
    assert "on another device" in host.inner_text("#seats li:has-text('Turquoise')")
    assert any('"type":"position"' in text for text in heard)
    for card in set(mine) - set(theirs):
        named = re.compile(rf'"{card}"(?!:)')  # and no key
        assert not [text for text in heard if named.search(text) and '"type":"id"' not in text]
    play([host, guest], random.Random(4), until=8)
    host.click("#do-menu")
    host.get_by_role("button", name="Turquoise: back to this screen").click()
    guest.wait_for_selector("dialog[open]:has-text('Ask whoever started the program')")
    assert not guest.is_visible("#hand")
    host.wait_for_selector("dialog.curtain")


def hand_of(page: Any) -> list[str]:
    """Return the ids of the cards in the hand that a page shows. They are called by their names."""
    cards, labels = (
        page.eval_on_selector_all(
            "#hand .guild", f"(all) => all.map((c) => c.getAttribute('{key}'))"
        )
        for key in ("data-card", "aria-label")
    )
    names = [CARD_NAMES[card] for card in cards]
    assert [label.split(":")[0] for label in labels] == names
    assert page.locator("#hand .name").all_text_contents() == names
    return list(cards)


def test_a_killed_server_loses_nothing(tmp_path: Path, open_page: Callable[..., Any]) -> None:
    """Pages that are open come back by themselves; another page finds the game in the list."""
    port = free_port()
    with gui(tmp_path, port=port) as first:
        page = open_page(first.address)
        begin(page)
        play([page], random.Random(5), until=8)
        before = wait_still(page)
        studying = open_page(f"{first.address}#study={POSITION}")
        studying.wait_for_selector("#study:not([hidden])")
        first.kill()
        wait_for(page, "document.getElementById('state').textContent.includes('lost')")
        assert page.evaluate(STATE)["lines"] == []
    with gui(tmp_path, port=port) as second:
        assert second.address == first.address
        wait_for(page, "document.getElementById('state').textContent === ''")
        assert wait_still(page) == before
        wait_for(studying, "document.getElementById('state').textContent === ''")
        assert studying.is_visible("#study")
        play([page], random.Random(6), until=10)
        other = open_page(second.address)
        other.locator("#do-continue").click()
        other.wait_for_selector("#hand .guild")
        assert wait_still(other) == wait_still(page)
    with gui(tmp_path, "--new-token", port=port):  # who knew the old address is told
        page.wait_for_selector("dialog[open]:has-text('no longer valid')")


def test_a_file_is_shown_in_every_tab_but_a_new_one(
    tmp_path: Path, open_page: Callable[..., Any]
) -> None:
    with gui(tmp_path, str(EXAMPLES / "games.jsonl")) as running:
        first, second = open_page(running.address), open_page(running.address)
        first.wait_for_selector(".steps li")
        second.wait_for_selector(".steps li")
        second.reload()
        second.wait_for_selector(".steps li")
        second.click("#do-menu")
        with second.expect_popup() as opened:
            second.get_by_role("button", name="Another game in a new tab").click()
        for _ in range(2):
            opened.value.wait_for_selector("#do-play")
            assert not opened.value.is_visible("#study")
            opened.value.reload()
        second.get_by_role("button", name="Close", exact=True).click()
        second.wait_for_selector("#do-play")
        open_page(running.address).wait_for_selector("#do-play")
        assert first.is_visible("#study")


def test_an_engine_that_fails_can_be_asked_again(tab: Any) -> None:
    tab.click("#do-more")
    tab.locator("#start fieldset").nth(1).locator("select").first.select_option("mei:broken")
    tab.get_by_label("who begins").select_option("1")
    tab.click("#begin")
    for _ in range(2):
        text = tab.locator("#task .bad").inner_text()
        assert text.startswith("Engine (broken) could not decide: the process")
        assert "\n" not in text
        tab.get_by_role("button", name="Try again").click()


# The walls that stand.
WALLS = """[...document.querySelectorAll("#board .masonry > :not([data-v=''])")]"""
HOSTILE = "<b id=evil>x</b>"


def test_names_are_never_markup(running: Gui, open_page: Callable[..., Any], tab: Any) -> None:
    tab.click("#do-more")
    tab.locator("#start fieldset input").first.fill(HOSTILE)
    tab.click("#do-more")
    begin(tab)
    tab.wait_for_selector("#task.mine")
    assert HOSTILE in tab.inner_text("#seats")
    tab.click("#do-menu")
    assert tab.query_selector("#evil") is None
    assert tab.evaluate("document.querySelectorAll('#board script, iframe, img').length") == 0
    record = json.loads(RECORD)
    record["names"] = [f"{HOSTILE}\u202e\x1b", "W" * 10_000]
    page = open_page(running.address, **PHONE)
    page.click("#do-analyze")
    page.get_by_placeholder("masons1").fill(json.dumps(record))
    page.get_by_label("Analyze a position or a game").get_by_role("button", name="Analyze").click()
    page.wait_for_selector(".steps li")
    assert f"{HOSTILE}\\u202e\\x1b" in page.inner_text("#seats")
    assert page.query_selector("#evil") is None
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.locator("#seats").bounding_box()["height"] < 600


def test_a_line_that_cannot_be_walled_says_why(running: Gui, open_page: Callable[..., Any]) -> None:
    page, chance = open_page(running.address), random.Random(2)
    begin(page)
    walls: list[str] = []
    while not (walls and page.evaluate(STATE)["lines"]):
        step(page, chance)
        walls = page.evaluate(f"{WALLS}.map((e) => e.id)")
    press(page, walls[0].replace("w", "l"), touch=False)
    page.wait_for_selector("#toast.on")
    assert "A wall stands on line" in page.inner_text("#toast")
    while not page.evaluate(STATE)["places"]:
        step(page, chance)
    press(page, "s0", touch=False)
    assert "That is no choice now" in page.inner_text("#toast")


def test_a_hint_is_drawn_on_the_board(running: Gui, open_page: Callable[..., Any]) -> None:
    """The board shows the best move, and the others with their numbers once the reasons are
    unfolded. Until then, the hint has a picture and no numbers but for screen readers.
    """
    page = open_page(running.address, viewport={"width": 1280, "height": 800})
    begin(page)
    page.wait_for_selector("#task.mine")
    page.keyboard.press("h")
    page.wait_for_selector("#advice .verdict")
    assert page.is_visible("#advice .aim > svg")
    title = page.locator("#advice .verdict")
    assert title.locator("[aria-hidden]").all_text_contents()[:2] == ["★", "Build this wall"]
    assert re.search(r"wall on line \d+", title.locator(".sr").inner_text())
    assert page.locator("#marks text").all_text_contents() == ["★"]
    drawn = page.locator(".marks .ghost").count()
    said = "".join(page.locator("#advice > p > [aria-hidden]").all_text_contents())
    assert drawn == 1 + ("the gray line on the board" in said)
    assert page.locator(".marks .unsure .ghost").count() == drawn - 1
    page.get_by_text("Why?").click()
    wait_for(page, f"document.querySelectorAll('.marks .ghost').length > {drawn}")
    assert page.locator("#marks g:last-child text").first.text_content() == "1"
    for part in ("#advice .facts >> nth=0", "#legend .ranks"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= 800
    assert not page.is_visible("#legend .judged")
    assert "±" not in page.inner_text("#advice")
    page.get_by_text("In figures").click()
    assert "±" in page.inner_text("#advice")


def test_a_review_and_an_analysis_have_signs_of_their_own(
    look: dict[str, Any], tmp_path: Path, open_page: Callable[..., Any]
) -> None:
    """The numbers on the board are those of the list. What the panel shows is of one of both."""
    with gui_of(tmp_path, cut(RECORD, 12)) as running:
        page = open_page(running.address, **look)
        page.wait_for_selector("#study > .ranked .loss:not(.blank)")
        assert page.locator(".graph svg").count() == 0  # the game is not over
        signs = "#marks .head + text"
        page.get_by_role("button", name="Review", exact=True).click()
        page.wait_for_selector(".report table", timeout=200_000)
        assert page.locator(signs).first.text_content() in ("★", "✓", "≈", "?!", "?", "??")
        assert page.is_visible("#study .judged")
        assert not page.is_visible("#study > .ranked")
        page.get_by_role("button", name="Analyze", exact=True).click()
        page.wait_for_selector("#study > .ranked .loss:not(.blank)")
        assert page.inner_text("#study > .ranked").count("±") > 1
        assert "games simulated" in page.text_content("#study > details .evidence:last-child")
        assert "1" in page.locator(signs).all_text_contents()
        assert set(page.locator(signs).all_text_contents()) <= set("12345678")
        assert not page.is_visible("#study .compared")
        said = page.inner_text("#study .judgement")  # the mark and the loss stay
        assert said.partition(": ")[2].startswith("★") == ("%" not in said)
        page.get_by_role("button", name="Stop engine", exact=True).click()
        assert page.get_by_role("button", name="Analyze", exact=True).is_visible()


def test_a_position_is_set_up_by_hand(tab: Any) -> None:
    """An impossible position is refused and stays; a possible one is analyzed."""
    tab.get_by_role("button", name="Set up a position").click()
    tab.wait_for_selector("#choices .swatch")
    press(tab, "l57", touch=False)
    tab.get_by_role("button", name="Done").click()
    tab.wait_for_selector("#toast.on")
    assert "no tower stands there" in tab.inner_text("#toast")
    tab.get_by_label("gray tower", exact=True).click()
    for place in ("k20", "k27"):
        press(tab, place, touch=False)
    tab.get_by_label("red house", exact=True).click()
    for space in ("s35", "s36"):
        press(tab, space, touch=False)
    hand = "cities+city-red+city-rose+land-red+land-blue+land-shore"
    tab.get_by_label("hands").fill(f"?6/{hand}")
    tab.get_by_label("whose turn").fill("1")
    tab.get_by_role("button", name="Done").click()
    tab.wait_for_selector("#study:not([hidden])")
    assert tab.evaluate(f"{WALLS}.map((e) => e.id)") == ["w57"]
    assert sorted(hand_of(tab)) == sorted(hand.split("+"))
    tab.get_by_role("button", name="More", exact=True).click()
    tab.get_by_role("button", name="Set up", exact=True).click()
    tab.get_by_label("what is due").select_option("houses")
    tab.get_by_label("this turn's wall", exact=True).click()
    press(tab, "l57", touch=False)
    tab.get_by_label("erase", exact=True).click()
    for space in ("s35", "s36"):
        press(tab, space, touch=False)
    tab.get_by_label("tower die").select_option("gray")
    tab.get_by_label("other house die").select_option("blue")
    tab.get_by_label("whose turn").fill("0")
    tab.get_by_label("hands").fill(f"{hand}/?6")
    tab.get_by_role("button", name="Done").click()
    tab.wait_for_selector("#study:not([hidden])")
    assert "Choose the houses" in tab.inner_text("#task")
    tab.wait_for_selector(".marks .ghost")
    assert tab.locator(".marks .ghost").count() == 2  # the best move alone, of two houses
    assert tab.locator("#marks text").all_text_contents() == ["1"]
    tab.get_by_role("button", name="Close", exact=True).click()
    tab.wait_for_selector("#do-play")
    assert tab.locator("#marks *").count() == 0


def test_a_position_that_is_not_changed_stays_as_it_is(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    """The editor lays the pieces out in its own way."""
    position = quote((EXAMPLES / "midgame.txt").read_text(encoding="utf-8").strip())
    page = open_page(f"{running.address}#study={position}")
    page.wait_for_selector("#study:not([hidden])")
    pieces = "[...document.querySelectorAll('#board .stocks g')].map((each) => each.innerHTML)"
    before = page.evaluate(pieces)
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Set up", exact=True).click()
    page.wait_for_selector("#board.drafting")
    assert page.evaluate(pieces) != before
    page.get_by_role("button", name="Done").click()
    page.wait_for_selector("#study:not([hidden])")
    assert page.evaluate(pieces) == before


def test_each_mode_puts_away_what_belongs_to_it(
    running: Gui, open_page: Callable[..., Any]
) -> None:
    """Keys of a game do nothing in an analysis; the numbers of a lesson don't stay in a game."""
    page = open_page(f"{running.address}#study={POSITION}")
    page.wait_for_selector("#study:not([hidden])")
    assert page.title() == "Masons: analysis"
    page.keyboard.press("h")
    page.keyboard.press("u")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Set up", exact=True).click()
    assert not page.is_visible("#study")
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("#study:not([hidden])")
    assert not page.is_visible("#advice")
    assert page.query_selector("#toast.on") is None
    page.get_by_role("button", name="Close", exact=True).click()
    page.click("#do-learn")
    page.get_by_role("button", name="How a city closes").click()
    page.wait_for_selector("#board .tag")
    page.click("#do-home")
    page.click("#do-play")
    page.wait_for_selector("#task.mine")
    assert page.query_selector("#board .tag:not(.near)") is None
    assert not page.is_visible("#lesson")
    page.click("#do-menu")
    page.get_by_role("button", name="New game, or another").click()
    page.wait_for_selector("#do-play")


TARGET = 40  # pixels that a finger needs


def test_what_is_pressed_is_large_enough(running: Gui, open_page: Callable[..., Any]) -> None:
    """On a phone: buttons, and lines of the board when it is enlarged."""
    chance = random.Random(1)
    page = open_page(running.address, **PHONE)
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
