"""SVG to PNG by resvg, which needs no system library; the extra `png` brings it and a font."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from masons.engine.checks import check_text, check_whole
from masons.engine.errors import MasonsError

MIN_WIDTH: Final = 16
MAX_WIDTH: Final = 10_000
FAMILY: Final = "Source Sans Pro"
_STYLES: Final = ("Regular", "Bold")


def png_of(svg: str, width: int | None = None) -> bytes:
    """A picture as PNG, `width` pixels wide (None: as many as the SVG has units).

    The font comes with the extra, so the result is the same on every machine, except for
    characters that the font lacks. Raises MasonsError without the extra, and for a width that is
    out of range.
    """
    if width is not None:
        width = check_whole(
            "width", width, MIN_WIDTH, MAX_WIDTH, f"from {MIN_WIDTH} to {MAX_WIDTH}"
        )
    check_text("svg", svg, "the text of an SVG")
    try:
        import resvg_py
        from font_source_sans_pro import font_directory
    except ImportError:
        raise MasonsError("PNG needs the extra png: pip install 'masons-engine[png]'") from None
    fonts = [str(Path(font_directory) / f"SourceSansPro-{style}.ttf") for style in _STYLES]
    try:
        made = resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            font_files=fonts,
            font_family=FAMILY,
            sans_serif_family=FAMILY,
        )
    except ValueError as error:
        raise MasonsError(f"this SVG cannot be drawn: {error}") from None
    return bytes(made)
