"""The page's texts: every key that a script uses has a text, and every text is used."""

from __future__ import annotations

import re

from tests.support.paths import ROOT

STATIC = ROOT / "gui" / "static"
SCRIPTS = {
    path.name: path.read_text(encoding="utf-8")
    for path in STATIC.glob("*.js")
    if not path.name.startswith("words")
}
TEXTS = {
    path.name: set(re.findall(r'^  "([\w.-]+)":', path.read_text(encoding="utf-8"), re.M))
    for path in STATIC.glob("words-*.js")
}
# t("key" and t(`prefix.${, or a call with anything else.
CALL = re.compile(r"""\bt\((?:"(?P<key>[\w.-]+)"|`(?P<prefix>[\w.-]+)\$\{|(?P<other>.))""")


def test_every_key_has_a_text_and_every_text_is_used() -> None:
    english = TEXTS["words-en.js"]
    unused = set(english)
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
    for name, keys in TEXTS.items():
        assert keys == TEXTS["words-en.js"], name
