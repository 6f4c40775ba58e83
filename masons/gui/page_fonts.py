"""The fonts of the page, as small as it needs them.

The packages have each font with all its languages. What the page loads are the characters of the
languages that it speaks, and of names in them, as WOFF2.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import Final

from masons.gui.made_files import made

_ROBOTO: Final = files("xstatic.pkg.roboto_fontface") / "data" / "fonts"
_SOURCE_SANS: Final = files("font_source_sans_pro") / "files"
# Whole, by the names in the style sheets. Headings are in a slab, all else in a sans.
FONTS: Final[Mapping[str, bytes]] = {
    "headings.woff2": (_ROBOTO / "Roboto-Slab" / "Roboto-Slab-Bold.ttf").read_bytes(),
    "text.woff2": (_SOURCE_SANS / "SourceSansPro-Regular.ttf").read_bytes(),
    "text-bold.woff2": (_SOURCE_SANS / "SourceSansPro-Semibold.ttf").read_bytes(),
}
_LETTERS: Final = "".join(map(chr, (*range(0x20, 0x7F), 0xA0, *range(0xC0, 0x100))))
_SIGNS: Final = "¡¿±·«»–—“”„…•≈\u2018\u2019\u2212"  # single quotes and minus by number
_FEATURES: Final = ("kern", "liga", "lnum", "tnum")
_one_at_a_time = Lock()  # fontTools loads its modules as it needs them, which threads disturb


@cache
def font(name: str) -> bytes:
    """Return a font of `FONTS` as WOFF2.

    Characters that it lacks come from the browser's fonts.
    """
    wanted = repr((_LETTERS, _SIGNS, _FEATURES)).encode()
    with _one_at_a_time:
        return made(name, FONTS[name] + wanted, lambda: _subset(FONTS[name]))


def _subset(font: bytes) -> bytes:
    """Return a font with the characters that the page needs; this takes a tenth of a second."""
    from fontTools import subset

    options = subset.Options(
        layout_features=[*_FEATURES], hinting=False, name_IDs=[], notdef_outline=False,
        drop_tables=[*subset.Options().drop_tables, "FFTM", "webf"],
    )  # fmt: skip
    with io.BytesIO(font) as read, io.BytesIO() as written:
        loaded = subset.load_font(read, options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(text=_LETTERS + _SIGNS)
        subsetter.subset(loaded)
        loaded.flavor = "woff2"
        loaded.save(written)
        return written.getvalue()
