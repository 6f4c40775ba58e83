"""The page's texts: every key that a script uses has a text, and every text is used."""

from __future__ import annotations

import re
from typing import get_args

from masons.ai.explain.explanation import PARTS
from masons.ai.review.decision_loss import MARK_NAMES
from masons.engine.board.components import CARD_MEANINGS
from masons.gui.background import ErrorKey
from masons.gui.pictures.review_tables import KINDS
from masons.match.playing.game_words import END_WORDS
from masons.match.playing.played_game import NO_UNDO
from tests.support.paths import ROOT

STATIC = ROOT / "gui" / "static"
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


def test_the_english_meanings_of_cards_are_those_of_the_engine() -> None:
    english = entries("words-en.js")
    said = {k.removeprefix("means."): v for k, v in english.items() if k.startswith("means.")}
    assert said == {card: f'"{meaning}"' for card, meaning in CARD_MEANINGS.items()}


def test_every_id_that_the_server_sends_has_a_text() -> None:
    english = TEXTS["words-en.js"]
    for prefix, ids in (
        ("error", get_args(ErrorKey)),
        ("why", [f"{part}.{much}" for part in PARTS for much in ("more", "fewer")]),
        ("mark", MARK_NAMES),
        ("kind", KINDS),
        ("undo", NO_UNDO),
        ("result", END_WORDS),
        ("means", CARD_MEANINGS),
    ):
        assert {f"{prefix}.{each}" for each in ids} <= english, prefix


def entries(name: str) -> dict[str, str]:
    """Return each entry of a language as it is written."""
    return dict(re.findall(r'^  "([\w.-]+)": (.*),$', (STATIC / name).read_text("utf-8"), re.M))


PARAMETER = re.compile(r"\{(\w+)\}")
# A text literal with a word in it, where only the reader's language belongs.
LITERAL = re.compile(
    r"""(?:textContent: |\.textContent = |title: |"aria-label": |label: |placeholder: """
    r"""|\b(?:button|toast|open|ask|field|picker|fixed)\(|\bcheck\(\w+, )"""
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
