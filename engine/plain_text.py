"""Text for people: others' text made safe to show, and numbers, lists and quotes in English."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

_LONGEST_NAME: Final = 100


def plain(text: str) -> str:
    r"""Return a text of others, fit to be shown: letters of any script stay as they are.

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
    """Return a name out of a file, fit to be shown: plain, and cut where it is long."""
    shown = plain(text)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 3]}..."


_LEAST: Final = 0.0005  # what is rounded to a tenth of a per cent
# Digits, all together or in threes; a fraction only before what multiplies it.
_WHOLE: Final = re.compile(
    r"(?P<digits>[0-9]{1,19}|[0-9]{1,3}(?:(?:,[0-9]{3}){1,6}|(?:_[0-9]{3}){1,6}))"
    r"(?:(?P<fraction>\.[0-9]{1,9})?(?P<unit>[kKM]|[eE]\+?[0-9]{1,2}))?",
    re.ASCII,
)
_UNITS: Final = {"k": "e3", "K": "e3", "M": "e6"}


def count(number: int, singular: str, plural: str = "", *, thousands: str = ",") -> str:
    """`1 card`, `2 cards`: with the plural given, or with an s; `thousands` are set apart."""
    digits = f"{number:,}".replace(",", thousands)
    return f"{digits} {singular if number == 1 else plural or singular + 's'}"


def parse_whole(text: str) -> int | None:
    """Return the number that a person writes as 20000, 20,000, 20_000, 20k, 2M, 1.5k or 1e4.

    None for anything else: a sign, or what is not a whole number.
    """
    match = _WHOLE.fullmatch(text)
    if match is None:
        return None
    unit = match["unit"] or ""
    digits = match["digits"].replace(",", "").replace("_", "")
    number = Decimal(digits + (match["fraction"] or "") + _UNITS.get(unit, unit))
    return int(number) if number == int(number) else None


def listed(items: Sequence[object], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    words = [str(item) for item in items]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def multiset(names: Counter[str]) -> str:
    """`cities and 2 land-red`: names with their numbers, where there are several."""
    return listed([f"{number} {name}" if number > 1 else name for name, number in names.items()])


# Verbs whose plural is not the word without its s.
_PLURALS: Final = {"has": "have", "was": "were", "is": "are", "does": "do"}


def verb(name: str, words: str) -> str:
    """`wins` behind a name, `win` behind You, which is what `play` calls a person who is alone."""
    if name.casefold() != "you":
        return words
    first, blank, rest = words.partition(" ")
    return _PLURALS.get(first, first.removesuffix("s")) + blank + rest


def does(name: str, words: str) -> str:
    """`Ann gives up`, `You give up`: a name and what is done, in the third person."""
    return f"{name} {verb(name, words)}"


def owner(name: str) -> str:
    """`Ann's`, `Your`: before what belongs to somebody."""
    return f"{name}r" if name.casefold() == "you" else f"{name}'s"


def victory(winners: Sequence[str], shown: Sequence[str] = ()) -> str:
    """`Ann wins`, `You win`, `Ann and Bob share the victory`; `shown`: names with marks."""
    words = verb(winners[0], "wins") if len(winners) == 1 else "share the victory"
    return f"{listed(shown or winners)} {words}"


def fixed(value: float, decimals: int = 1) -> str:
    """Return `1.2`: a number that may be negative, but is never -0.0."""
    return f"{value:z.{decimals}f}"


def signed(value: float, decimals: int = 1) -> str:
    """Return `+1.2`, with the sign of what is rounded: never -0.0."""
    return f"{value:+z.{decimals}f}"


def rounded(value: float, decimals: int = 6) -> float:
    """Return a number as JSON shows it: never -0.0."""
    return round(value, decimals) + 0.0


def percent(share: float, decimals: int = 1) -> str:
    """Return a share (0 to 1) in per cent, without the sign; never -0.0."""
    return fixed(100 * share, decimals)


def signed_percent(share: float) -> str:
    """Return a change of a share (0 to 1) in percent, with its sign but without `%`."""
    return signed(100 * share)


def spread(error: float | None) -> str:
    """`± 1.2`: a standard error (of a share from 0 to 1) in per cent; `± ?` where it is unknown.

    It never says 0.0, as what is estimated is never certain.
    """
    if error is None:
        return "± ?"
    return f"± {percent(error)}" if error >= _LEAST else "± <0.1"


def within(interval: float | None) -> str:
    """`± 1.2`: a half interval of 95 % (of a share from 0 to 1) in per cent, never 0.0."""
    return spread(interval)


def points_within(interval: float | None) -> str:
    """Return the same of points, which are not in per cent."""
    return "± ?" if interval is None else f"± {max(interval, 0.1):.1f}"


def quoted(text: str, most: int = 60) -> str:
    """Return a text in quotes, cut to `most` characters where it is longer."""
    return repr(text if len(text) <= most else text[: most - 3] + "...")


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return the names of the seats, with the seat's number if they are equal or blank."""
    return [
        name if name.strip() and names.count(name) == 1 else f"{name} (seat {seat})".strip()
        for seat, name in enumerate(names)
    ]
