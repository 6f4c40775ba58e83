"""Files of the page that take a while to make."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from masons.gui import made_files, page_fonts
from masons.gui.made_files import made
from masons.gui.page_fonts import FONTS, font


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(made_files, "user_cache_path", lambda _: tmp_path)
    return tmp_path / "page"


def test_a_file_is_made_once_for_each_source_and_only_the_last_is_kept(folder: Path) -> None:
    calls = []

    def make() -> bytes:
        calls.append(1)
        return b"made %d" % len(calls)

    assert made("a", b"x", make) == made("a", b"x", make) == b"made 1"
    assert made("b", b"x", make) == b"made 2"
    assert made("a", b"y", make) == b"made 3"
    assert sorted(path.read_bytes() for path in folder.iterdir()) == [b"made 2", b"made 3"]


def test_a_file_is_made_if_nothing_can_be_kept(folder: Path) -> None:
    folder.write_text("no folder")
    assert made("a", b"x", lambda: b"made") == b"made"


@pytest.mark.parametrize("name", FONTS)
def test_a_font_has_what_names_and_texts_need(name: str, folder: Path) -> None:
    """And is a small part of the font that it comes from."""
    from fontTools.ttLib import TTFont

    font.cache_clear()
    assert len(font(name)) < len(FONTS[name]) / 10
    (path,) = folder.iterdir()
    known = TTFont(path).getBestCmap()
    assert set(map(ord, "AZaz09äöüßñé¿„“…≈±\u2212")) <= set(known)


@pytest.mark.usefixtures("folder")
def test_fonts_are_made_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page asks for all of them at once, each in a thread of its own."""
    at_work: list[bytes] = []
    most = []

    def subset(font: bytes) -> bytes:
        at_work.append(font)
        most.append(len(at_work))
        Event().wait(0.05)
        at_work.remove(font)
        return b"made"

    font.cache_clear()
    monkeypatch.setattr(page_fonts, "_subset", subset)
    with ThreadPoolExecutor() as threads:
        assert list(threads.map(font, FONTS)) == [b"made"] * len(FONTS)
    font.cache_clear()
    assert most == [1] * len(FONTS)
