"""What the analysis of a game does in a real browser with verdicts, which the tests send."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from tests.gui.screens import look
from tests.support.browser import MODULES, Gui, gui_of, wait_for
from tests.support.gui_pages import resigned_after

pytestmark = pytest.mark.slow
FACTS = {"points": [], "spaces": 0}
# Let tests speak as the server does, and let no message of its searches through.
HEARD = """{
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    window.spoken = (message) =>
      this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
    if (!["go", "evaluate", "stop"].includes(JSON.parse(text).type)) send.call(this, text);
  };
}"""

FIRST = "document.querySelector('#study > .ranked li[data-move]')?.dataset.move"


@pytest.fixture(scope="module")
def resigned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gui]:
    with gui_of(tmp_path_factory.mktemp("resigned"), resigned_after(60)) as server:
        yield server


@pytest.fixture
def page(resigned: Gui, open_page: Callable[..., Any]) -> Any:
    return opened(resigned, open_page)


def opened(resigned: Gui, open_page: Callable[..., Any], **more: str) -> Any:
    page = open_page(resigned.address, script=HEARD, **look("1280x720", **more))
    page.click("#tools button[aria-pressed=true]")
    page.keyboard.press("End")
    wait_for(page, "(({ value, max }) => value === max)(document.querySelector('.stepper input'))")
    return page


def tell(page: Any, message: dict[str, Any]) -> None:
    page.evaluate("(message) => window.spoken(message)", message)


def decision(number: int, loss: float, **more: Any) -> dict[str, Any]:
    return {
        "number": number, "turn": number, "seat": 0, "mark": "error", "played": "wall:1",
        "played_facts": FACTS, "best": "wall:2", "best_facts": FACTS, "equal": ["wall:3"],
        "why": None, "win": 0.6, "win_interval": 0.03, "loss": loss, "interval": 0.01,
        "points": 1.0, "points_interval": 0.5, "games": 900, "worth": None,
        "is_coached": False, **more,
    }  # fmt: skip


def decisions(page: Any, count: int) -> list[dict[str, Any]]:
    """Return so many mistakes, the costliest first."""
    last = page.evaluate("Number(document.querySelector('.stepper input').max)")
    assert last > count
    return [decision(number, 0.2 - 0.01 * number) for number in range(1, count + 1)]


def ranking(moves: Sequence[str], games: int) -> dict[str, Any]:
    figures = {
        "facts": FACTS, "win": 0.5, "interval": 0.1, "loss": 0.0, "loss_interval": 0.1,
        "is_equal": True, "is_early": False, "line": None,
    }  # fmt: skip
    choices = [{**figures, "move": move} for move in moves]
    return {
        "type": "info", "at": 0, "choices": choices, "by_points": False, "is_open": False,
        "iterations": 9, "games": games, "seconds": 1, "wins": [0.5, 0.5], "scores": [1, 1],
        "why": [], "most_lost": None, "next": None,
    }  # fmt: skip


def test_a_ranking_of_fewer_games_does_not_contradict_the_verdict(page: Any) -> None:
    tell(page, {"type": "marks", "decisions": [decision(1, 0.1)], "mistakes": [1]})
    page.keyboard.press("Home")
    page.wait_for_selector("#study .judged b")
    engine = page.locator("#tools button.main:not(.again)")
    engine.click()
    for games, moves, shown in (
        (400, ["wall:1", "wall:2"], None),
        (500, ["wall:3", "wall:1"], "wall:3"),
        (899, ["wall:1", "wall:3"], "wall:3"),
        (900, ["wall:1", "wall:3"], "wall:1"),
    ):
        tell(page, ranking(moves, games))
        assert page.evaluate(FIRST) == shown


@pytest.mark.parametrize(
    ("language", "games", "moves", "equal", "said"),
    [
        ("en", 900, ["wall:1", "wall:2"], True, "Equal within the ±: wall on line 1 here and"),
        ("en", 1900, ["wall:1", "wall:2"], False, "With 1,900 games, this analysis finds wall on"),
        ("en", 1900, ["wall:1", "wall:4"], True, "With 1,900 games, this analysis finds wall on"),
        ("en", 400, ["wall:3", "wall:1"], False, "Equal within the ±: wall on line 3 here and"),
        ("en", 900, ["wall:2", "wall:1"], True, ""),
        ("de", 900, ["wall:1", "wall:2"], True, "Im Rahmen des ± gleich gut: hier Mauer auf"),
        ("es", 1900, ["wall:1", "wall:2"], False, "análisis considera mejor muralla"),
    ],
)
def test_a_ranking_with_another_best_move_says_how_it_compares_with_the_review(
    language: str, games: int, moves: list[str], equal: bool, said: str,
    resigned: Gui, open_page: Callable[..., Any],
) -> None:  # fmt: skip
    page = opened(resigned, open_page, locale=language)
    tell(page, {"type": "marks", "decisions": [decision(1, 0.1)], "mistakes": [1]})
    page.keyboard.press("Home")
    page.wait_for_selector("#study .judged b")
    page.locator("#tools button.main:not(.again)").click()
    message = ranking(moves, games)
    message["choices"][1]["is_equal"] = equal
    tell(page, message)
    assert page.evaluate(FIRST) == moves[0]
    words = page.locator("#study .evidence").all_text_contents()
    assert said in words[0] if said else not any("±:" in each for each in words)


def test_the_win_chance_of_a_verdict_is_told_with_its_interval_if_that_is_known(page: Any) -> None:
    decisions = [decision(1, 0.1), decision(2, 0.09, win_interval=None)]
    tell(page, {"type": "marks", "decisions": decisions, "mistakes": [1, 2]})
    for key, words in (("Home", "Win chance 60% ± 3 ·"), ("ArrowRight", "Win chance 60% ·")):
        page.keyboard.press(key)
        page.wait_for_selector(f"#study:has-text('{words}')")


WORTH = {"kind": "margin", "games": 12, "spread": 40}


@pytest.mark.parametrize(
    ("language", "kind", "words"),
    [
        (
            "en",
            "margin",
            "varies by about 40 points, so a difference of 20.5 decides about 12 games",
        ),
        ("en", "ahead", "Far ahead: this move still wins about 12 games of 100."),
        ("en", "behind", "Far behind: even the best move wins only about 12 games of 100."),
        (
            "de",
            "margin",
            "ein Unterschied von 20,5 Punkten entscheidet also etwa 12 Spiele von 100.",
        ),
        ("es", "margin", "así que una diferencia de 20,5 decide unas 12 partidas de cada 100."),
    ],
)
def test_a_loss_whose_points_do_not_seem_to_fit_has_a_word_below_its_figures(
    language: str, kind: str, words: str, resigned: Gui, open_page: Callable[..., Any]
) -> None:
    """Whatever its mark is, it is said once."""
    page = opened(resigned, open_page, locale=language)
    worth = {"points": 20.5, "worth": {**WORTH, "kind": kind}}
    decisions = [decision(1, 0.12, **worth), decision(2, 0.03, mark="unsure", **worth)]
    tell(page, {"type": "marks", "decisions": decisions, "mistakes": [1]})
    for key, mark in (("Home", "error"), ("ArrowRight", "unsure")):
        page.keyboard.press(key)
        page.wait_for_selector(f"#study .judgement.{mark}")
        assert page.locator("#study").text_content().count(words) == 1


def test_an_engine_that_is_stopped_thinks_no_longer(page: Any) -> None:
    page.keyboard.press("Home")
    engine = page.locator("#tools button.main:not(.again)")
    engine.click()
    assert "thinking" in page.inner_text("#study")
    engine.click()
    assert "thinking" not in page.inner_text("#study")


def test_a_review_does_not_change_the_luck_of_the_graph(page: Any) -> None:
    points = [
        {"step": step, "wins": [0.5 + 0.04 * step, 0.5 - 0.04 * step], "luck": [luck, -luck]}
        for step, luck in enumerate((0.0, 0.06, 0.0, -0.03))
    ]
    tell(page, {"type": "graph", "at": 0, "points": points})
    bars = "[...document.querySelectorAll('.graph rect')].map((one) => one.outerHTML)"
    wait_for(page, f"{bars}.length > 3")
    before = page.evaluate(bars)
    tell(page, {"type": "marks", "decisions": [decision(1, 0.1)], "mistakes": [1]})
    wait_for(page, "document.querySelector('.graph .mistake')")
    assert page.evaluate(bars) == before


def test_the_exercises_of_a_list_are_those_of_the_list_and_then_the_others(page: Any) -> None:
    mistakes = decisions(page, 9)
    tell(page, {"type": "marks", "decisions": mistakes, "mistakes": [*range(1, 10)]})
    page.click("#review-tab")
    assert page.locator(".costly li").count() == 6
    turns = page.locator(".costly button").all_inner_texts()
    page.get_by_role("button", name="Try these again").click()
    for number in range(1, 7):
        wait_for(
            page, f"document.querySelector('.retry h2')?.textContent.endsWith(': {number} of 6')"
        )
        assert f"Turn {number} " in turns[number - 1]
        assert page.evaluate("Number(document.querySelector('.stepper input').value)") == number - 1
        page.get_by_role("button", name="Show me").click()
        page.wait_for_selector(".retry .buttons + p")  # what may be long is below the buttons
        if number < 6:
            page.get_by_role("button", name="Next", exact=True).click()
    page.get_by_role("button", name="3 more mistakes").click()
    wait_for(page, "document.querySelector('.retry h2')?.textContent.endsWith(': 7 of 9')")


def test_the_move_that_a_solved_puzzle_names_is_in_its_table(page: Any) -> None:
    """Also beyond the first ones, which alone are in it otherwise."""
    script = f"""async (message) => {{
      const board = {{ offer() {{}}, labels: {{ nameWalls() {{}} }} }};
      new ({MODULES}['practice.js'].Practice)(board, () => {{}}, () => {{}}).solved(message);
      const rows = document.querySelectorAll('#steps .ranked li[data-move]');
      return [...rows].map((row) => row.dataset.move);
    }}"""
    (choice, *_) = ranking(["wall:1"], 1)["choices"]
    moves = [f"wall:{line}" for line in range(1, 7)]
    why = {
        "move": "wall:1", "against": "wall:5", "is_clear": True, "reasons": [], "bare": [],
        "is_middling": False, "end": None, "points": 1, "is_even": False, "given_up": 0,
    }  # fmt: skip
    standing = {"rating": 1500, "interval": 90, "streak": 1, "longest": 1, "days": 1}
    message = {
        "number": 0, "is_solved": True, "is_whole": True, "why": why, "gain": None,
        "rating": None, "themes": [], "days": 1, "standing": {**standing, "today": [1, 1]},
        "choices": [
            {**choice, "move": move, "yours": move == "wall:1", "played": False} for move in moves
        ],
    }  # fmt: skip
    assert page.evaluate(script, message) == [*moves[:3], "wall:5"]


def test_a_review_lists_moves_that_only_cost_many_points_after_the_mistakes(page: Any) -> None:
    script = f"""async (message) => {{
      const review = new ({MODULES}['verdicts.js'].Review)();
      review.hear(message, ['You', 'Engine'], {{ go() {{}}, retry() {{}}, practice() {{}} }});
      return [...review.element.querySelectorAll('.costly .num')].map((one) => one.textContent);
    }}"""
    first, second = decisions(page, 2)
    dear = {**second, "mark": "good", "loss": 0.001, "points": 26.0, "points_interval": 0.3}
    message = {
        "type": "review", "players": [], "results": [], "mistakes": [first["number"]],
        "dear": [dear["number"]], "decisions": [dear, first],
    }  # fmt: skip
    mistake, *costs = page.evaluate(script, message)
    assert mistake.endswith("%")
    assert costs == ["\u221226 points"]


def test_a_look_back_begins_with_the_mistakes_of_the_reader(page: Any) -> None:
    script = f"""async (decisions) => {{
      const review = new ({MODULES}['verdicts.js'].Review)();
      const act = {{ go() {{}}, retry() {{}}, review() {{}} }};
      const moments = new Map(decisions.map((one) => [one.number - 1, one]));
      review.lookBack(moments, ['You', 'Engine'], act);
      return [...review.element.querySelectorAll('.costly button')].map((one) => one.textContent);
    }}"""
    moments = [decision(1, 0.2, seat=1, is_gift=True), decision(2, 0.1, is_gift=False)]
    texts = page.evaluate(script, moments)
    assert ["You" in text for text in texts] == [True, False]


def test_a_verdict_names_the_player_if_that_is_not_the_reader(page: Any) -> None:
    moments = [decision(1, 0.1), decision(2, 0.09, seat=1)]
    tell(page, {"type": "marks", "decisions": moments, "mistakes": [1, 2]})
    names = page.locator("#seats b").all_inner_texts()
    assert "You" not in names
    for key, name in zip(("Home", "ArrowRight"), names, strict=True):
        page.keyboard.press(key)
        page.wait_for_selector(f"#study .judgement b:text-is('{name}: ? Error')")


def test_a_list_says_how_many_mistakes_and_how_many_other_moves_it_has_folded(page: Any) -> None:
    script = f"""async (message) => {{
      const review = new ({MODULES}['verdicts.js'].Review)();
      review.hear(message, ['You', 'Engine'], {{ go() {{}}, retry() {{}}, practice() {{}} }});
      return review.element.querySelector('details > summary').textContent;
    }}"""
    every = decisions(page, 9)
    message = {"type": "review", "players": [], "results": [], "decisions": every}
    for mistakes, words in (
        (8, "2 more mistakes · 1 more move that costs only points"),
        (4, "3 more moves that cost only points"),
        (9, "3 more mistakes"),
    ):
        numbers = [one["number"] for one in every]
        parts = {"mistakes": numbers[:mistakes], "dear": numbers[mistakes:]}
        assert page.evaluate(script, {**message, **parts}) == words
