"""Texts of others: names out of records, engines' answers, names of files, what people type.

Whatever is printed to a terminal, into a page or a picture passes `plain` first.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_LONGEST_NAME: Final = 100


def plain(text: str) -> str:
    r"""A text of others, fit to be shown: letters of any script stay as they are.

    What steers a terminal or turns the direction of writing (control characters, escapes, format
    characters), half characters and ends of lines stand as in a string of Python, like `\x1b`.
    """
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or unicodedata.category(letter) == "Zs"
        else repr(letter)[1:-1]
        for letter in text
    )


def plain_name(text: str) -> str:
    """A name out of a file, fit to be shown: plain, and cut where it is long."""
    shown = plain(text)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 3]}..."
