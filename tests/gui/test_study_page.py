"""The analysis of a finished game in a real browser: its graph, moves, review, exercises, files."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.gui.screens import look
from tests.support.browser import MODULES, Gui, check_access, gui_of, wait_for
from tests.support.gui_pages import RECORD, RECORDS, cut, resigned_after

REVIEW_SECONDS = 180  # for a short game, on a busy machine
pytestmark = pytest.mark.slow
# The parts of the analysis that are outside the window or cut off by their panel.
HIDDEN = """(parts) => parts.flatMap((part) => [...document.querySelectorAll(part)].slice(0, 4)
  .filter((one) => {
    const { top, bottom, left, right, height } = one.getBoundingClientRect();
    const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return !height || top < 0 || bottom > innerHeight + 0.5 || right > innerWidth + 0.5
      || !(one.contains(seen) || seen?.contains(one));
  }).map((one) => part + " " + one.textContent.slice(0, 30)))"""
# The figures of the graph that are cut off.
CUT = """() => [...document.querySelectorAll(".wins .key")].filter((one) =>
  one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right
    > one.parentElement.getBoundingClientRect().right + 1).map((one) => one.textContent)"""
STEP = "Number(document.querySelector('.stepper input').value)"


@pytest.fixture(scope="module")
def resigned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gui]:
    """A server that begins with the analysis of a short game of two."""
    with gui_of(tmp_path_factory.mktemp("resigned"), resigned_after(40)) as server:
        yield server


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gui]:
    """A server that begins with the analysis of a finished game of four."""
    with gui_of(tmp_path_factory.mktemp("finished"), RECORDS.splitlines()[2]) as server:
        yield server


def drawn(page: Any) -> None:
    """Wait until the graph is whole."""
    page.wait_for_selector(".graph polyline")
    bars = "document.querySelectorAll('.graph rect')"
    last = "document.querySelector('.stepper input').max"
    wait_for(page, f"{bars}.length === Number({last}) + 1")
    page.mouse.move(0, 0)


@pytest.mark.parametrize("size", ["1280x720", "1366x650", "390x844", "844x390"])
def test_the_graph_leads_to_the_steps_and_the_list_follows(
    size: str, resigned: Gui, open_page: Callable[..., Any]
) -> None:
    page = open_page(resigned.address, **look(size))
    drawn(page)
    assert page.locator(".graph .area").count() == 2
    assert "NaN" not in page.inner_html("#graph")
    graph = page.locator(".graph svg")
    graph.scroll_into_view_if_needed()
    even = page.locator(".graph .half").bounding_box()
    page.mouse.click(even["x"] + even["width"] / 2, even["y"])
    last = page.evaluate("Number(document.querySelector('.stepper input').max)")
    wait_for(page, f"Math.abs({STEP} - {last} / 2) <= 1")
    at = page.evaluate(STEP)
    page.keyboard.press("ArrowRight")
    wait_for(page, f"{STEP} === {at + 1}")
    (shown,) = page.locator(".steps [aria-current]").all()
    assert page.locator(".steps .turn.now").count() == 1
    shown.scroll_into_view_if_needed()
    turns = page.locator(".steps .turn small, .steps li > small").count()
    assert page.locator(".steps li").count() == turns
    rows = "[...document.querySelectorAll('.steps li')].map((one) => one.offsetHeight)"
    assert page.evaluate(f"new Set({rows}).size") == 1
    figures = ("points.seat0", "points.seat1", "city")  # of each, a turn has one at most
    assert page.locator(", ".join(f".steps .{one} ~ .{one}" for one in figures)).count() == 0
    engine = page.locator("#tools button.main:not(.again)")
    if engine.get_attribute("aria-pressed") == "true":
        page.wait_for_selector("#study > .ranked .loss:not(.blank)")
    # The graph has the figures of all.
    assert not page.is_visible(".winbar")
    assert page.locator("#study > .ranked .num:visible").count() == 0
    assert page.locator(".wins .key").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    check_access(page, size)


@pytest.mark.parametrize("size", ["1280x720", "1366x650"])
def test_what_an_analysis_says_is_in_the_window(
    size: str, finished: Gui, open_page: Callable[..., Any]
) -> None:
    """Scores, the best moves, the graph, the moves and the tools; a line for each of four."""
    page = open_page(finished.address, **look(size, locale="de"))
    drawn(page)
    assert page.locator(".graph polyline").count() == 4
    page.wait_for_selector("#study > .ranked .loss:not(.blank)")
    parts = ("#seats .points", "#study > .ranked [data-move]", "#tools button:not([hidden])",
             ".graph svg", ".graph .link", ".stepper button", ".steps [aria-current]")  # fmt: skip
    assert page.evaluate(HIDDEN, list(parts)) == []
    assert page.evaluate(CUT) == []
    assert 1 < page.locator("#study > .ranked li").count() <= 1 + 3  # with the heads
    assert page.locator("#study > .ranked .tested-less").count() == 0
    assert page.locator(".graph polyline.own").count() == 1
    assert page.evaluate("(graph => graph.scrollHeight <= graph.clientHeight)(window.graph)")
    assert page.is_visible(".graph .head span")  # the turn
    if size == "1280x720":
        assert page.locator("#scroller").bounding_box()["width"] >= 590


def test_the_graph_of_four_is_no_higher_on_a_phone(
    resigned: Gui, finished: Gui, open_page: Callable[..., Any]
) -> None:
    heights = []
    for server in (resigned, finished):
        page = open_page(server.address, **look("390x844"))
        page.wait_for_selector(".graph svg")
        heights.append(page.locator("#graph").bounding_box()["height"])
    assert heights[0] == heights[1]


def test_the_steps_of_a_game_without_graph_join_its_moves(
    tmp_path: Path, open_page: Callable[..., Any]
) -> None:
    with gui_of(tmp_path, cut(RECORD, 40)) as going:
        page = open_page(going.address, **look("1280x720"))
        page.wait_for_selector("#stepper:not([hidden])")
        assert not page.is_visible("#graph")
        table, steps = (page.locator(name).bounding_box() for name in ("#table", "#stepper"))
        assert abs(table["y"] + table["height"] - steps["y"]) <= 1
        page.wait_for_selector("#study > .sights .meter")
        assert re.fullmatch(r"Win chance \(± [\d.]+%\), .*", page.inner_text("#study > .evidence"))
        figures = page.locator("#study > .sights li:not(.head) .num")
        assert all(one.is_visible() for one in figures.all())
        page.click("#study details summary")
        assert page.locator("#study details .ranked .meter").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_bars_stand_out_from_what_is_behind_them(
    theme: str, finished: Gui, open_page: Callable[..., Any]
) -> None:
    """A contrast of 3, as WCAG 1.4.11 wants for graphics."""
    page = open_page(finished.address, **look("1280x720", color_scheme=theme))
    page.wait_for_selector("#study > .sights .meter i")
    script = """() => {
      const light = (color) => {
        const pen = new OffscreenCanvas(1, 1).getContext("2d");
        pen.fillStyle = color;
        pen.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((part) =>
          part <= 10 ? part / 3294 : ((part / 255 + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b + .05;
      };
      return [...document.querySelectorAll("#study > .sights .meter")].map((bar) => {
        const [front, back] = [bar.firstElementChild, bar].map((one) =>
          light(getComputedStyle(one).backgroundColor));
        return Math.max(front / back, back / front);
      });
    }"""
    assert min(page.evaluate(script)) >= 3


def test_the_figures_of_moves_claim_no_more_than_they_tell(
    resigned: Gui, open_page: Callable[..., Any]
) -> None:
    """A loss has no sign in a table, an unclear one is ≈, and what was tested less has none."""
    page = open_page(resigned.address, **look("1280x720"))
    one = {"facts": {}, "win": 0.5, "interval": 0.128, "is_equal": True, "is_early": False}
    moves = [
        {**one, "move": "wall:1", "loss": 0.0, "loss_interval": None},
        {**one, "move": "wall:2", "loss": 0.007, "loss_interval": 0.022},
        {**one, "move": "wall:3", "loss": 0.11, "loss_interval": 0.02, "is_equal": False},
        {**one, "move": "wall:4", "loss": -0.02, "loss_interval": 0.06, "is_early": True},
        {**one, "move": "wall:5", "win": 0.6, "loss": -0.1, "loss_interval": 0.2, "is_early": True},
    ]
    script = f"""async (moves) => {MODULES}['dom.js'].ranked(moves, {{}}).flatMap((row) =>
      [...row.querySelectorAll('.loss, .num')].map((part) => [part.textContent, part.title]))"""
    parts = page.evaluate(script, moves)
    assert [text for text, _ in parts[::2]] == [*["50.0 ± 13"] * 3, "~50.0 ± 13", "~"]
    assert [text for text, _ in parts[1::2]] == [
        "best", "≈ 0.7", "11.0 ± 2.0", "–", "–",
    ]  # fmt: skip
    assert parts[3][1] == "0.7 ± 2.2: may be as good"
    pictured = script.replace("{})", "{ sight: (_, rank) => (rank < 3 ? ['picture'] : []) })")
    losses = [text for text, _ in page.evaluate(pictured, moves)[1::2]]
    minus = "\N{MINUS SIGN}"  # as no heading says that they are losses
    assert losses == ["best", f"≈ {minus}0.7", f"{minus}11.0 ± 2.0", "–", "–"]
    script = f"""async () => {{ const bar = document.createElement('p');
      {MODULES}['graph.js'].showWins(bar, [0.336, 0.306, 0.002, 0.356], ['', '', '', ''], 0);
      return bar.textContent; }}"""
    assert percents(page.evaluate(script)) == [34, 30, 0, 36]


def test_a_badge_covers_no_piece_and_no_other_badge(
    resigned: Gui, open_page: Callable[..., Any]
) -> None:
    """One that has no room on its place stands beside it, farther away at the end of a line.

    None stands south of the land, where the legend lies, or under a button on the board.
    """
    page = open_page(resigned.address, **look("1280x720"))
    drawn(page)
    script = f"""async ([houses, height, ...shift]) => {{
      const getScreenCTM = () => new DOMMatrix([1, 0, 0, 1, ...shift]);
      const svg = {{ getAttribute: () => `0 0 900 ${{height}}`, getScreenCTM }};
      const stocks = {{ 1: houses.map(([x, y]) => ['house-red', 1, x, y, 34]) }};
      const board = {{ svg, labels: {{ stocks, named: [] }}, values: new Map(), emblemSpots: [] }};
      const badges = new ({MODULES}['badges.js'].Badges)(board, []);
      return [1, 2].map((rank) => {{
        const parts = badges.put([100, 100], [String(rank)]);
        const box = parts.find((part) => part.tagName === 'rect');
        const middle = ['x', 'y'].map((name) => Number(box.getAttribute(name)) + 13);
        return [parts.filter((part) => part.tagName === 'line').length > 0, ...middle];
      }});
    }}"""
    place = [100, 100]
    (first_led, *first), (second_led, *second) = page.evaluate(script, [[], 900, 0, 0])
    assert (first_led, first, second_led) == (False, place, False)
    assert math.dist(first, second) >= 20
    houses = [[110, 100], [80, 110], [100, 70]]
    placed = page.evaluate(script, [houses, 900, 0, 0])
    assert any(led for led, *_ in placed)
    for led, *middle in placed:
        assert led == (math.dist(middle, place) >= 35)
        assert all(math.dist(middle, house) >= 17 + 10 for house in houses)
    assert all(y + 13 < 130 - 30 for _, _, y in page.evaluate(script, [[], 130, 0, 0]))
    button = page.locator(".zoom button").first.bounding_box()
    middle = [button["x"] + button["width"] / 2, button["y"] + button["height"] / 2]
    over = page.evaluate(script, [[], 900, *(at - 100 for at in middle)])
    assert all(math.dist(spot, place) >= 13 + button["width"] / 2 - 1 for _, *spot in over)


def test_the_last_step_says_who_won_and_narrow_places_have_short_names(
    tmp_path: Path, open_page: Callable[..., Any]
) -> None:
    record = {**json.loads(RECORD), "names": ["You", "Engine (level 3)"]}
    with gui_of(tmp_path, json.dumps(record)) as running:
        page = open_page(running.address, **look("1280x720"))
        page.wait_for_selector("#graph .wins .key")
        assert page.locator("#graph .wins .key").last.inner_text().endswith("Engine")
        assert page.locator("#seats b").all_inner_texts() == ["You", "Engine"]
        assert page.locator("#seats b").last.get_attribute("title") == "Engine (level 3)"
        page.keyboard.press("End")
        page.wait_for_selector("#task div")
        won = record["result"]["winners"] == [0]
        assert ("You win." if won else "Engine (level 3) wins.") in page.inner_text("#task")
        assert ("You ★" if won else "Engine ★") in page.locator("#seats b").all_inner_texts()


@pytest.fixture
def reviewed(resigned: Gui, open_page: Callable[..., Any]) -> Any:
    """A page with the review of the short game."""
    page = open_page(resigned.address, **look("1280x720"))
    drawn(page)
    page.get_by_role("button", name="Review", exact=True).click()
    page.wait_for_selector(".report table", timeout=1000 * REVIEW_SECONDS)
    return page


def test_the_end_of_the_game_is_a_reason(resigned: Gui, open_page: Callable[..., Any]) -> None:
    page = open_page(resigned.address, **look("1280x720"))
    why = {"reasons": [], "is_clear": False, "is_middling": False, "against": "wall:5"}
    ends = [
        (True, 1, 0, 0, 3.2, True, 1),
        (True, 0, 1, 1.1, 0, False, 0),
        (True, 0.5, 0, 1, 2, True, 0),
        (False, 0, 0, 4, 2.1, False, 1),
        (False, 0, 0, 2, 4.1, False, None),
    ]
    names = ("is_now", "now", "now_other", "turns", "turns_other", "is_sooner", "seat")
    script = f"async (why) => {MODULES}['reasons.js'].mainReason(why, ['You', 'Engine'])"
    assert page.evaluate(script, {**why, "end": None})[0].startswith("No single reason: no part")
    even = page.evaluate(script, {**why, "end": None, "is_even": True})
    assert even == ["About as good: wall on line 5."]
    said = [
        page.evaluate(script, {**why, "end": dict(zip(names, end, strict=True))})[0] for end in ends
    ]
    assert said == [
        "The better move ends the game at once, before Engine can score as much.",
        "Unlike the other move, the better one does not end the game at once, which gives you time "
        "to score more.",
        "The game ends this turn in 50% of the games instead of 0%, before you can score as much.",
        "With the better move, the game ends after 4 more turns instead of 2.1, which gives Engine "
        "time to score more.",
        "With the better move, the game ends after 2 more turns instead of 4.1.",
    ]


@pytest.mark.parametrize(
    ("parts", "points", "said"),
    [
        (
            [("others", 1, False, 31.8), ("now", 0, False, -18.1), ("cities", 0, False, -12.7)],
            9.8,
            "Engine scores about 31.8 fewer points, but you score about 22 fewer points",
        ),
        (
            [("others", 1, False, 31.8), ("now", 0, False, -18.1)],
            None,
            "Engine scores about 31.8 fewer points, but you score about 18.1 fewer points "
            "this turn",
        ),
        (
            [("now", 0, True, 15), ("cities", 0, False, -9)],
            4,
            "you score about 15 more points this turn, but you score about 9 fewer points for "
            "later cities; counting everything else, about 4 points more in all",
        ),
        (
            [("now", 0, True, 15), ("cities", 0, False, -16), ("final", 0, True, 1.5)],
            -1,
            "you score about 15 more points this turn, but you score about 16 fewer points for "
            "later cities; in return, you score about 1.5 more points in the final scoring; "
            "counting everything else, about 1 point less in all",
        ),
    ],
)
def test_the_points_of_a_reason_make_the_whole_difference_or_are_followed_by_it(
    parts: list[tuple[Any, ...]],
    points: float | None,
    said: str,
    resigned: Gui,
    open_page: Callable[..., Any],
) -> None:
    page = open_page(resigned.address, **look("1280x720"))
    names = ("part", "seat", "is_more", "points")
    reasons = [{**dict(zip(names, part, strict=True)), "causes": []} for part in parts]
    why = {"reasons": reasons, "is_middling": False, "against": "wall:5", "points": points}
    told = page.evaluate(
        f"async (why) => {MODULES}['reasons.js'].mainReason(why, ['You', 'Engine'])", why
    )
    assert told == [f"With the better move, {said}."]


def test_causes_say_whose_points_they_are_and_never_a_zero_with_decimals(
    resigned: Gui, open_page: Callable[..., Any]
) -> None:
    page = open_page(resigned.address, **look("1280x720"))
    script = f"async (why) => {MODULES}['reasons.js'].mainParts(why, ['You', 'Engine'])"
    reason = {"part": "others", "seat": 1, "is_more": False, "points": 2.6}
    for cause, is_middling, said in (
        (
            {"kind": "turn", "seat": 1, "value": -5.9, "other": 3.3},
            True,
            [
                "Compared with a middling move (wall on line 5), Engine scores about 2.6 fewer "
                "points.",
                "Engine: 5.9 points fewer this turn; 3.3 more later",
            ],
        ),
        (
            {"kind": "turns", "value": 0, "other": 0.7},
            False,
            [
                "With the better move, Engine scores about 2.6 fewer points.",
                "after this turn, hardly any city is scored; with the other move, on average in "
                "0.7 more turns",
            ],
        ),
    ):
        why = {"reasons": [{**reason, "causes": [cause]}], "is_middling": is_middling}
        assert page.evaluate(script, {**why, "against": "wall:5"}) == said


def test_a_puzzle_says_why_more_points_at_once_are_not_best(
    resigned: Gui, open_page: Callable[..., Any]
) -> None:
    page = open_page(resigned.address, **look("1280x720"))
    parts = [("others", 1, False, 5), ("final", 0, True, 4), ("cities", 0, True, 2)]
    names = ("part", "seat", "is_more", "points")
    reasons = [dict(zip(names, part, strict=True), causes=[]) for part in parts]
    why = {"reasons": reasons, "bare": [], "against": "play:land-shore", "given_up": 7}
    script = f"""async ([why, yours]) => {MODULES}["reasons.js"].puzzleParts(
        why, ["You", "Engine"], yours)"""
    but = (
        " scores 7 more this turn, but with the best one, Engine scores about 5 fewer "
        "points and you score about 4 more points in the final scoring."
    )
    cases = [
        ({}, "play:land-shore", f"Your move{but}"),
        ({}, None, f"Another move (play Shore towers){but}"),
        (
            {"given_up": 0},
            "play:land-shore",
            "With the better move, Engine scores about 5 fewer points.",
        ),
        (
            {"given_up": 0},
            None,
            "Compared with the next best move (play Shore towers), Engine scores about 5 fewer "
            "points.",
        ),
        (
            {"given_up": 0, "reasons": [], "bare": reasons[1:2]},
            None,
            "Compared with: play Shore towers – No one cause stands out: with the better move, you "
            "score "
            "about 4 more points in the final scoring.",
        ),
    ]
    for case, yours, said in cases:
        assert page.evaluate(script, [{**why, **case}, yours]) == [said]


def test_moves_that_hardly_differ_are_said_to(resigned: Gui, open_page: Callable[..., Any]) -> None:
    page = open_page(resigned.address, **look("1280x720"))
    reasons = f"{MODULES}['reasons.js']"
    said = page.evaluate(
        f"async (hint) => {reasons}.bestReason(hint, ['You', 'Engine'], 0)",
        {"why": [], "most_lost": 0.0138},
    )
    said = [words for words, *_ in said]
    assert said == ["It hardly matters: no other move wins more than 1.4% less often."]
    reason = {"part": "now", "seat": 0, "is_more": True, "points": 1.1, "causes": []}
    against = {"move": "wall:67", "against": "wall:41", "reasons": [reason], "is_middling": False}
    second = {"move": "wall:41", "facts": {"points": [], "spaces": 0}, "is_equal": True}
    script = f"async (hint) => {reasons}.bestReason(hint, ['You', 'Engine'], 0)"
    hint = {"most_lost": None, "choices": [second, second]}
    for points, words in ((1.1, "wall on line 41), you score"), (-1.1, "as good: wall on line 41")):
        ((text, named),) = page.evaluate(script, {**hint, "why": [{**against, "points": points}]})
        assert words in text
        assert named == "wall:41"
    compared = f"{reasons}.comparisons([], ['You', 'Engine'], limit)"
    script = f"async (limit) => {compared}.map((each) => each.textContent)"
    assert page.evaluate(script, 0.0138) == said
    assert page.evaluate(script, None) == []


def test_a_move_that_only_costs_points_is_not_called_good(
    resigned: Gui, open_page: Callable[..., Any]
) -> None:
    page = open_page(resigned.address, **look("1280x720"))
    script = f"async (verdict) => {MODULES}['marks.js'].verdictWords(verdict, 'wall')"
    verdict = {"mark": "good", "loss": 0.003, "interval": 0.002, "equal": []}
    for points, said in (
        (22.0, "≈ Costs points: "),
        (0.9, "✓ Good, nearly the best: "),
    ):
        figures = {"points": points, "points_interval": 0.3}
        assert page.evaluate(script, {**verdict, **figures}) == f"{said}wall"


def test_a_color_that_ran_out_is_named(resigned: Gui, open_page: Callable[..., Any]) -> None:
    page = open_page(resigned.address, **look("1280x720"))
    script = f"async (events) => {MODULES}['gamewords.js'].eventsWords(events)"
    for (tower, *houses), kind, put, said in (
        (("gray", "red", "blue"), "towers", [["k1", "black"]], "none left: gray tower"),
        (("gray", "red", "blue"), "towers", [["k1", "black"], ["k2", "gray"]], ""),
        ((None, "red", "?"), "houses", [[1, "blue"], [2, "red"]], ""),
        ((None, "red", "red"), "houses", [[1, "blue"], [2, "red"]], "none left: red house"),
        ((None, "red", "red"), "houses", [[1, "red"]], ""),
        ((None, "red", "blue"), "houses", [[1, "red"]], ""),
        ((None, "red", "red"), "houses", [[1, "green"]], "none left: red house"),
    ):
        roll = {"event": "roll", "seat": 0, "tower": tower, "houses": houses}
        events = page.evaluate(script, [roll, {"event": kind, "seat": 0, "put": put}])
        assert events[1].partition(" (")[2].strip(")") == said


def percents(text: str) -> list[float]:
    """Return the numbers before a percent sign."""
    number = r"([+\u2212]?[\d.]+)(?: ± [\d.]+)?%"
    return [float(each.replace("\u2212", "-")) for each in re.findall(number, text)]


def test_a_mistake_has_one_loss_everywhere(reviewed: Any) -> None:
    """In the list, the verdict and the graph, whose step is the sum of the loss and the luck.

    The reasons add up to the loss in points.
    """
    page = reviewed
    marks = page.locator(".steps .mark").all_text_contents()
    counts = page.locator(".report tbody td:not(:last-child)").all_text_contents()
    assert sum(map(int, counts)) == len(marks) > 0
    assert page.locator(".graph .mistake").count() == len(marks)
    assert not page.get_by_role("button", name="Review", exact=True).is_visible()
    page.evaluate("document.querySelectorAll('.report details').forEach((one) => one.open = true)")
    rows = page.locator(".costly button")
    assert rows.count() == len(marks)
    assert all(re.search(r"Turn \d+", text) for text in rows.all_inner_texts())
    for number in range(rows.count()):
        row = rows.nth(number)
        row.locator("small").click()  # the whole row leads to the decision
        (loss,) = percents(row.locator(".num").inner_text())
        mark = row.locator(".mark").inner_text()
        said = f"{mark} \u2212{-loss:.1f}%"
        wait_for(page, f"document.querySelector('.graph .mark')?.innerText === {json.dumps(said)}")
        assert f": {mark} " in page.inner_text("#study .judged b")  # after the name
        seat = row.locator(".dot").get_attribute("class")
        assert seat[-5:] in page.get_attribute(".steps .here", "class")
        assert percents(page.inner_text("#study .judgement small"))[0] == loss
        assert "%" not in page.inner_text("#study .compared figure >> nth=0")
        reasons = page.locator("#study .judged .headline + ul > li").all_text_contents()
        if points := re.search(
            r"(?:and |, \u2212)([\d.]+)", page.inner_text("#study .judgement small")
        ):
            parts = re.findall(r"^([+\u2212][\d.]+)", "\n".join(reasons), re.MULTILINE)
            total = sum(float(part.replace("\u2212", "-")) for part in parts)
            assert not reasons or total == pytest.approx(float(points[1]), abs=0.01)
        words, changes = page.inner_text(".wins"), page.get_attribute(".graph .head span", "title")
        page.keyboard.press("ArrowRight")
        wait_for(page, f"document.querySelector('.wins').innerText !== {json.dumps(words)}")
        after = percents(page.inner_text(".wins"))[int(seat[-1])]
        change = after - percents(words)[int(seat[-1])]
        assert sum(percents(changes)) == pytest.approx(change, abs=0.01)
        page.click("#review-tab")


def test_the_list_shows_walls_and_leads_to_their_decisions(reviewed: Any) -> None:
    """The row, the panel and the buttons to the mistakes mean the same decision."""
    page = reviewed
    page.click("#log-tab")
    row = page.locator(".steps .turn:has(.mark)").first
    row.hover()
    line = row.get_attribute("data-move").partition(":")[2]
    assert page.text_content("#marks .pointed text") == line
    step = int(row.locator(".mark").first.get_attribute("data-step"))
    page.keyboard.press("Home")
    wait_for(page, f"{STEP} === 0")
    page.get_by_role("button", name="Next mistake").click()
    wait_for(page, f"{STEP} === {step}")
    assert "now" in row.get_attribute("class").split()
    assert page.is_disabled("#tools button:has-text('Previous mistake')")


def test_an_exercise_takes_move_after_move_and_hides_its_answer(reviewed: Any) -> None:
    page = reviewed
    page.get_by_role("button", name="Try these again").click()
    page.wait_for_selector(".retry h2")
    assert not page.is_visible("#study .judged")
    page.click("#review-tab")
    assert not page.is_visible(".report")
    assert "hidden" in page.inner_text("#review-panel")
    line = re.search(r"line (\d+)", page.inner_text(".retry b").partition(": ")[2])
    signs = "[...document.querySelectorAll('#marks .head + text')].map((one) => one.textContent)"
    if line:  # the worst move once more, and then others, until one is as good as the best
        (sign,) = page.evaluate(signs)  # of the move played
        assert page.inner_text(".retry b").startswith(sign)
        page.locator(f"#l{line[1]}").dispatch_event("click")
        page.wait_for_selector(".retry .bad")
        assert "Loss: " in page.inner_text(".retry")
        assert page.evaluate(signs) == [sign]
        for other in page.evaluate("[...document.querySelectorAll('.line.live')].map((l) => l.id)"):
            if other != f"l{line[1]}":
                page.locator(f"#{other}").dispatch_event("click")
                page.wait_for_selector(".retry p:has-text('Comparing'), .retry .good")
                page.wait_for_selector(".retry .good, .retry .bad")
                first = "★" if page.locator(".retry .good").count() else "✗"
                assert page.evaluate(signs)[:1] == [first]
                break
    if page.locator(".retry .good").count() == 0:
        page.get_by_role("button", name="Show me").click()
        wait_for(page, "document.querySelector('.retry p').textContent.startsWith('★')")
    assert page.is_visible(".report")
    page.get_by_role("button", name="Leave", exact=True).click()
    page.wait_for_selector("#study .judged b")


def test_a_game_is_shared(resigned: Gui, open_page: Callable[..., Any]) -> None:
    page = open_page(resigned.address, **look("1280x720"))
    drawn(page)
    page.keyboard.press("End")
    for name, begins in (("Picture (SVG)", b"<svg"), ("The last turns", b"GIF89a")):
        page.get_by_role("button", name="More", exact=True).click()
        page.get_by_role("button", name="Share …").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        assert Path(download.value.path()).read_bytes().startswith(begins)
        wait_for(page, "!document.querySelector('dialog').open")
