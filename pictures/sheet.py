"""A sheet of paper for texts and boxes beside a board, as SVG elements.

The width of a text is not known without its font, so it is estimated, rather too wide than too
narrow, and a text that might not fit is wrapped, made smaller or cut.
"""

from __future__ import annotations

from typing import Final
from unicodedata import east_asian_width
from xml.etree.ElementTree import Element, SubElement

from masons.engine.board.board_picture import TEXT_COLOR
from masons.engine.board.board_svg import clean, number

# Widths in parts of the font's size, of the widest font that may be used (DejaVu Sans).
_NARROW: Final = frozenset("iljt.,:;'|!()[]-/ fr")
_WIDE: Final = frozenset("mwMW@%")
_SMALLEST: Final = 0.75  # how much smaller a text may get before it is cut


def width_of(text: str, size: float) -> float:
    """How wide a text may be."""
    return size * sum(map(_em, text))


def _em(char: str) -> float:
    if char in _NARROW:
        return 0.38
    if char in _WIDE or east_asian_width(char) in "WF":
        return 1.0
    return 0.7 if char.isupper() else 0.62


def fitted(text: str, size: float, width: float) -> tuple[str, float]:
    """A text and its size so that it is no wider than `width`: smaller, then cut."""
    wide = width_of(text, size)
    if wide > width:
        size *= max(width / wide, _SMALLEST)
        text = _cut(text, size, width + 1e-6)
    return text, size


def wrapped(text: str, size: float, width: float, most: int = 3) -> list[str]:
    """A text in lines no wider than `width`; the last of `most` lines is cut where it must be."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if width_of(longer, size) <= width or not lines[-1]:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] = longer  # too long: cut below
        else:
            lines.append(word)
    return [_cut(line, size, width) for line in lines]


def _cut(line: str, size: float, width: float) -> str:
    if width_of(line, size) <= width:
        return line
    while line and width_of(f"{line}…", size) > width:
        line = line[:-1]
    return f"{line.rstrip()}…"


class Sheet:
    """An SVG element with tools to write and draw on it. Lengths as in `board_svg`."""

    def __init__(self, root: Element) -> None:
        self.root = root

    def add(self, tag: str, parent: Element | None = None, **attributes: str | float) -> Element:
        """New element; in attribute names `_` stands for `-`."""
        values = {
            key.replace("_", "-"): value if isinstance(value, str) else number(value)
            for key, value in attributes.items()
        }
        return SubElement(self.root if parent is None else parent, tag, values)

    def group(self, name: str) -> Element:
        """A new group on top."""
        return self.add("g", None, **{"class": name})

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, *,
        rx: float = 8, parent: Element | None = None, **attributes: str | float,
    ) -> Element:  # fmt: skip
        """A rectangle with round corners."""
        return self.add(
            "rect", parent, x=x, y=y, width=width, height=height, rx=rx, fill=fill, **attributes
        )

    def text(
        self, x: float, y: float, text: str, size: float, *,
        fill: str = TEXT_COLOR, anchor: str = "start", bold: bool = False, width: float = 0.0,
        parent: Element | None = None,
    ) -> None:  # fmt: skip
        """One line of text on its base line; with `width` no wider than that."""
        words = clean(text)
        if width:
            words, size = fitted(words, size, width)
        element = self.add("text", parent, x=x, y=y, font_size=size, fill=fill, text_anchor=anchor)
        if bold:
            element.set("font-weight", "bold")
        element.text = words
