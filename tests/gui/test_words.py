"""The page's texts, and a walk through the page in German and Spanish, which looks at each screen.

Every key has a text in every language. On no screen is anything English, cut off, or hard to use
with a screen reader (as axe-core finds).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from masons.ai.explain.explanation import PARTS
from masons.ai.review.decision_loss import MARK_NAMES
from masons.engine.board.components import CARDS
from masons.gui.background import ErrorKey
from masons.gui.card_reference import CARD_TEXTS
from masons.gui.pictures.review_tables import KINDS
from masons.match.playing.played_game import NO_UNDO
from masons.words.events import END_WORDS
from tests.support.browser import PHONE, WIDE, begin, check_access, gui_of, wait_for
from tests.support.gui_pages import GAME, cut
from tests.support.paths import PACKAGE
from tests.support.scenes import solve

STATIC = PACKAGE / "gui" / "static"
SCRIPTS = {
    path.name: path.read_text(encoding="utf-8")
    for path in STATIC.glob("*.js")
    if not path.name.startswith("words")
}
PAGE = (STATIC / "index.html").read_text(encoding="utf-8")
TEXTS = {
    path.name: set(re.findall(r'^  "([\w.-]+)":', path.read_text(encoding="utf-8"), re.M))
    for path in STATIC.glob("words-*.js")
}
assert not TEXTS["words-en.js"] & CARD_TEXTS.keys()
TEXTS["words-en.js"] |= CARD_TEXTS.keys()  # which the server sends
# t("key" and t(`prefix.${, or a call with anything else.
PAGE_KEY = re.compile(r'\bdata-t(?:-title|-label)?="([^"]+)"')
CALL = re.compile(r"""\bt\((?:"(?P<key>[\w.-]+)"|`(?P<prefix>[\w.-]+)\$\{|(?P<other>.))""")


def test_every_key_has_a_text_and_every_text_is_used() -> None:
    english = TEXTS["words-en.js"]
    page_keys = set(PAGE_KEY.findall(PAGE))
    assert page_keys - english == set()
    unused = english - page_keys
    for name, script in SCRIPTS.items():
        for call in CALL.finditer(script):
            assert call["other"] is None, f"{name}: a key is no literal in {call[0]}"
            if (prefix := call["prefix"]) is None:
                assert call["key"] in english, f"{name}: no text for {call['key']}"
                unused.discard(call["key"])
            else:
                matching = {key for key in english if key.startswith(prefix)}
                assert matching, f"{name}: no text begins with {prefix}"
                unused -= matching
    assert unused == set()


def test_every_language_has_the_same_keys() -> None:
    assert TEXTS["words-en.js"]
    assert len(TEXTS) == 3
    for name, keys in TEXTS.items():
        assert keys == TEXTS["words-en.js"], name


def test_every_language_has_the_same_parameters_and_plurals() -> None:
    english = entries("words-en.js")
    for name in TEXTS:
        for key, text in entries(name).items():
            assert set(PARAMETER.findall(text)) == set(PARAMETER.findall(english[key])), (name, key)
            assert text.startswith("{ one: ") == english[key].startswith("{ one: "), (name, key)


def test_every_card_has_a_name_of_its_own_in_every_language() -> None:
    for name in TEXTS:
        texts = entries(name)
        names = [texts[f"card.{card}"].strip('"') for card in CARDS]
        assert len({each.casefold() for each in names}) == len(CARDS), name
        assert all(each[0].isupper() and each not in CARDS for each in names), name


CARD_ID = re.compile(rf"(?<![\w-])({'|'.join(card for card in CARDS if '-' in card)})(?![\w-])")


def test_no_text_has_the_id_of_a_card() -> None:
    for name in TEXTS:
        for key, text in entries(name).items():
            assert not CARD_ID.search(text), (name, key)
            assert not re.search(r"\bcities\b", text) or name == "words-en.js", (name, key)


def test_every_id_that_the_server_sends_has_a_text() -> None:
    english = TEXTS["words-en.js"]
    for prefix, ids in (
        ("error", get_args(ErrorKey)),
        ("why.when", PARTS),
        ("mark", MARK_NAMES),
        ("kind", KINDS),
        ("undo", NO_UNDO),
        ("result", END_WORDS),
        ("means", CARDS),
        ("card", CARDS),
    ):
        assert {f"{prefix}.{each}" for each in ids} <= english, prefix


def entries(name: str) -> dict[str, str]:
    """Return each entry of a language as it is written."""
    text = (STATIC / name).read_text("utf-8")
    sent = {key: f'"{text}"' for key, text in CARD_TEXTS.items()} if name == "words-en.js" else {}
    return sent | dict(re.findall(r'^  "([\w.-]+)": (.*),$', text, re.M))


PARAMETER = re.compile(r"\{(\w+)\}")
# A text literal with a word in it, where only the reader's language belongs.
LITERAL = re.compile(
    r"""(?:textContent: |\.textContent = |title: |"aria-label": |label: |placeholder: """
    r"""|\b(?:button|toast|open|ask|field|check|fixed)\()"""
    r"""(?P<text>"[^"]*"|`[^`]*`)"""
)
PLAIN = ('"SVG"', '"PNG"')  # the same in every language
# Two words in a row: a sentence, wherever it stands in a script.
SENTENCE = re.compile(r"""["`][A-Z][a-z]+(?: [a-z]+)+[^"`]*["`]""")
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//.*?$", re.S | re.M)


def test_no_script_has_a_text_of_its_own() -> None:
    for name, script in SCRIPTS.items():
        code = COMMENT.sub("", script)
        while (shorter := re.sub(r"\$\{(?:[^{}$]|\{[^{}$]*\})*\}", "", code)) != code:
            code = shorter
        for match in LITERAL.finditer(code):
            is_plain = match["text"] in PLAIN or not re.search(r"[A-Za-z]{2}", match["text"])
            assert is_plain, f"{name}: {match[0]}"
        assert (sentence := SENTENCE.search(code)) is None, f"{name}: {sentence}"


def test_the_page_has_no_text_of_its_own() -> None:
    body = PAGE[PAGE.index("<body") :].replace("<h1>Masons</h1>", "")
    without_scripts = re.sub(r"<noscript>.*?</noscript>", "", body)
    assert re.findall(r">([^<>]*[a-z]{2}[^<>]*)<", without_scripts) == []
    assert re.findall(r' (?:title|aria-label)="[^"]*"', body) == []


# --- in a browser

# All that a page says: its texts, those of its pictures, and those that only a screen reader reads.
SAID = """() => [document.body.innerText,
  ...[...document.querySelectorAll("svg text, svg title")].map((one) => one.textContent),
  ...["title", "aria-label", "placeholder", "aria-valuetext"].flatMap((name) =>
    [...document.querySelectorAll(`[${name}]`)].map((one) => one.getAttribute(name))),
].join("\\n")"""
# A word; names of cards such as city-red are none.
WORD = re.compile(r"(?<![\w-])[^\W\d_]{2,}(?![\w-])")
LESSONS = PACKAGE / "engine" / "lessons" / "data"
MOMENTS_SECONDS = 180
# Each language in one look, or in two with MASONS_GAMES=full.
FULL = os.environ.get("MASONS_GAMES") == "full"
WALKS = [("de", PHONE, "dark"), ("es", WIDE, "light")]
if FULL:
    WALKS += [("de", PHONE, "light"), ("es", WIDE, "dark")]


def words_in(name: str) -> set[str]:
    """Return the words of all texts of a language, in lower case."""
    texts = [re.sub(r"\{\w+\}", "", text) for text in entries(name).values()]
    said = [part for text in texts for part in re.findall(r'"([^"]*)"', text)]
    return {word.lower() for text in said for word in WORD.findall(text)}


class Reader:
    """Somebody who goes through the page in a language, and presses buttons by their texts."""

    def __init__(self, page: Any, language: str) -> None:
        self.page = page
        self.language = language
        self.stops = 0
        texts = entries(f"words-{language}.js").items()
        self.texts = {key: text.strip('"') for key, text in texts}
        lessons = " ".join(path.read_text("utf-8") for path in (LESSONS / language).iterdir())
        native = words_in(f"words-{language}.js") | {w.lower() for w in WORD.findall(lessons)}
        self.foreign = words_in("words-en.js") - native

    def press(self, key: str) -> None:
        button = self.page.get_by_role("button", name=self.texts[key], exact=True)
        button.first.evaluate("(one) => one.click()")  # wherever a phone has scrolled to

    def press_at(self, place: str, number: int = 0) -> None:
        self.page.locator(place).nth(number).evaluate("(one) => one.click()")

    def check(self, place: str, seconds: float = 60) -> None:
        """Read the page, and hold it against axe-core, in one of the two languages at each stop."""
        self.read(place, seconds)
        self.stops += 1
        if FULL or self.stops % 2 == (self.language == "de"):
            check_access(self.page, place)

    def read(self, place: str, seconds: float = 60) -> None:
        """Wait for a place on the page. Then no word is English, and nothing is cut off."""
        self.page.wait_for_selector(place, timeout=1000 * seconds)
        said = self.page.evaluate(SAID)
        assert not CARD_ID.search(said), CARD_ID.search(said)
        foreign_words = {word for word in WORD.findall(said) if word.lower() in self.foreign}
        lines = [line for line in said.splitlines() if foreign_words & set(WORD.findall(line))]
        assert lines == [], (place, foreign_words)
        assert self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    def check_toast(self, key: str) -> None:
        wait_for(self.page, f"document.querySelector('#toast').textContent === `{self.texts[key]}`")


@pytest.mark.slow
@pytest.mark.parametrize(("language", "look", "scheme"), WALKS)
def test_no_screen_has_english_or_is_hard_to_use(
    language: str, look: dict[str, Any], scheme: str, tmp_path: Path, open_page: Callable[..., Any]
) -> None:
    with gui_of(tmp_path, cut(GAME, 4)) as running:
        page = open_page(running.address, **look, locale=language, color_scheme=scheme)
        reader = Reader(page, language)
        reader.check(".steps li")
        reader.press("page.close")
        reader.check(".offers")
        reader.press_at("#do-more")
        reader.check("#more-panel")
        reader.press_at("#do-more")
        begin(page, people=2)
        reader.check("dialog.curtain")
        reader.press("game.leave")
        page.wait_for_selector(".offers")
        for part in (befriended, learned, played, looked_back, analyzed, practiced, explored):
            part(reader)


def befriended(reader: Reader) -> None:
    """The terms of a game of two, the link, and the question for the network."""
    reader.press_at("#do-friend")
    reader.check("#friend-begin")
    reader.press_at("#friend-begin")
    reader.check("dialog.invite #address")
    reader.press_at("#open-network")
    reader.check("dialog.network")
    reader.press("dialog.no")
    reader.page.wait_for_selector("dialog.invite #address")
    reader.press("invite.cancel")
    reader.page.wait_for_selector("dialog.curtain")
    reader.press("game.leave")
    reader.page.wait_for_selector(".offers")


def learned(reader: Reader) -> None:
    """A lesson, with a hint and an error."""
    reader.press_at("#do-learn")
    reader.check("#next-lesson")
    reader.press_at("#next-lesson")
    reader.page.wait_for_selector("#lesson h2")
    while not reader.page.locator("#lesson .task").count():
        reader.press("lesson.goOn")
        reader.page.wait_for_timeout(50)
    reader.page.keyboard.press("h")
    reader.check("#lesson .hint")
    reader.page.keyboard.press("u")
    reader.check_toast("error.firstMove")
    reader.press("lesson.show")
    reader.check("#lesson .good")
    reader.press("lesson.all")
    reader.press("lesson.home")


def played(reader: Reader) -> None:
    """A hint, the dialogs, a move that the coach rates, and an error of play."""
    page = reader.page
    reader.press_at("#do-play")
    page.wait_for_selector("#task.mine")
    for language in ("en", reader.language):
        page.keyboard.press("m")
        with page.expect_navigation():
            page.select_option("#language", language)
        turn = entries(f"words-{language}.js")["task.turn"].partition("{")[0].strip('" ')
        wait_for(page, f"document.querySelector('#task.mine')?.textContent.includes('{turn} ')")
    reader.check("#task.mine")
    page.keyboard.press("h")
    reader.check("#advice .verdict")
    reader.press_at("#advice summary")
    reader.press_at("#advice ol button")
    reader.check("dialog[open]")
    reader.press("dialog.no")
    for key in "mgr":
        page.keyboard.press(key)
        reader.check("dialog[open]")
        page.keyboard.press("Escape")
    page.focus("#board .live >> nth=0")
    page.keyboard.press("Enter")
    if page.locator("#choices button.main").count():
        reader.press_at("#choices button.main")
    reader.check("#coach p:not(.evidence)")
    if page.locator("#coach button").count():
        reader.press("lesson.show")
        reader.read("#coach ol")
        reader.press("coach.back")
    page.keyboard.press("u")
    reader.check_toast("undo.revealed")


def looked_back(reader: Reader) -> None:
    page = reader.page
    page.keyboard.press("m")
    reader.press("menu.resign")
    reader.press("resign.yes")
    reader.check("#after li", MOMENTS_SECONDS)


def analyzed(reader: Reader) -> None:
    """The review of the game, the analysis, a comparison of two moves, the hands of others."""
    page = reader.page
    reader.press("game.analyze")
    page.wait_for_selector(".steps li")
    page.wait_for_selector(".graph polyline")
    review = page.get_by_role("button", name=reader.texts["study.review"], exact=True)
    if review.is_visible():
        reader.press("study.review")
    else:  # the look back has mistakes, and offers the review
        reader.press_at("#review-tab")
        reader.press("retry.review")
    page.wait_for_selector(".report table", timeout=1000 * MOMENTS_SECONDS)
    reader.press_at("#log-tab")
    reader.press_at(".steps button")
    reader.check("#study .why p")
    reader.press("start.analyze")
    reader.check("#study > .ranked .loss:not(.blank)")
    reader.press("study.stopEngine")
    reader.press_at("#study .ranked button.small", 0)
    reader.press_at("#study .ranked button.small", 1)
    reader.check("#study > details h2 ~ p")
    reader.press("study.tools")
    reader.check("dialog .stack")
    reader.press("study.hold")
    reader.check("#study .why .chip")
    reader.press("study.tools")
    reader.press("share.button")
    reader.check("dialog.sharing")
    page.keyboard.press("Escape")
    if page.locator(".report .buttons .main").count():
        reader.press_at("#review-tab")
        reader.press("retry.these")
        reader.check(".retry h2")
        reader.press("lesson.show")
        reader.check(".retry p")
        reader.press("retry.leave")
    reader.press("page.close")


def practiced(reader: Reader) -> None:
    reader.page.wait_for_selector("#table, #start:not([hidden])")
    reader.page.evaluate("document.getElementById('do-home').click()")
    reader.page.wait_for_selector(".offers")
    reader.press_at("#do-puzzles")
    reader.check("#steps .quiet")
    solve(reader.page)
    reader.check("#steps .themes")
    reader.check("#steps .standing")
    reader.page.evaluate("document.querySelector('#steps details').open = true")
    reader.check("#steps ol.ranked")
    reader.press("puzzle.leave")


def explored(reader: Reader) -> None:
    """The openings, the profile, the file that is watched, and a position that is set up."""
    reader.page.wait_for_selector(".offers")
    reader.press("openings.title")
    reader.check("#openings .ranked tbody tr")
    reader.press("lesson.home")
    reader.page.wait_for_selector(".offers")
    reader.press_at("#do-profile")
    reader.check("#profile .evidence")
    reader.press("lesson.home")
    reader.page.wait_for_selector(".offers")
    reader.press("start.watch")
    reader.check(".steps .turn .part")
    reader.press("page.close")
    reader.page.wait_for_selector(".offers")
    reader.press("start.setUp")
    reader.page.get_by_label(reader.texts["setup.phase"]).select_option("houses")
    reader.check("#choices .swatch")
