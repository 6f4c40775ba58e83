"""Text for people: safe display of foreign text; numbers, lists and names in English."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

_LONGEST_NAME: Final = 100


def plain(text: str) -> str:
    r"""Return a foreign text made safe for display; letters of any script stay unchanged.

    Control, escape and format characters (which steer a terminal or the writing direction), lone
    surrogates and line ends are escaped as in a Python string, for example `\x1b`.
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
    """Return a name read from a file, made safe for display and cut to 100 characters."""
    shown = plain(text)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 3]}..."


_LEAST: Final = 0.0005  # the least share that rounds to 0.1 %
# Digits, with or without separators of thousands; a fraction needs a unit or exponent.
_WHOLE: Final = re.compile(
    r"(?P<digits>[0-9]{1,19}|[0-9]{1,3}(?:(?:,[0-9]{3}){1,6}|(?:_[0-9]{3}){1,6}))"
    r"(?:(?P<fraction>\.[0-9]{1,9})?(?P<unit>[kKM]|[eE]\+?[0-9]{1,2}))?",
    re.ASCII,
)
_UNITS: Final = {"k": "e3", "K": "e3", "M": "e6"}


def count(number: int, singular: str, plural: str = "", *, thousands: str = ",") -> str:
    """Return a number with its noun: `1 card`, `2 cards`.

    The plural is the singular with an s unless it is passed; `thousands` separates thousands.
    """
    digits = f"{number:,}".replace(",", thousands)
    return f"{digits} {singular if number == 1 else plural or singular + 's'}"


def parse_whole(text: str) -> int | None:
    """Return the number that a person writes as 20000, 20,000, 20_000, 20k, 2M, 1.5k or 1e4.

    Returns None for a sign, for a number that is not whole and for any other text.
    """
    match = _WHOLE.fullmatch(text)
    if match is None:
        return None
    unit = match["unit"] or ""
    digits = match["digits"].replace(",", "").replace("_", "")
    number = Decimal(digits + (match["fraction"] or "") + _UNITS.get(unit, unit))
    return int(number) if number == int(number) else None


def listed(items: Sequence[object], last: str = "and") -> str:
    """Return a list in English: `a`, `a and b`, or `a, b and c`."""
    words = [str(item) for item in items]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def multiset(names: Counter[str]) -> str:
    """Return names in English, with a number where a name counts twice: `cities and 2 land-red`."""
    return listed([f"{number} {name}" if number > 1 else name for name, number in names.items()])


# Verbs whose plural is not the singular without its s.
_PLURALS: Final = {"has": "have", "was": "were", "is": "are", "does": "do"}


def verb(name: str, words: str) -> str:
    """Return a verb phrase in the form that a name needs: `wins`, but `win` after You.

    `words` is in the third person. The command `play` uses the name You for a person without a
    name.
    """
    if name.casefold() != "you":
        return words
    first, blank, rest = words.partition(" ")
    return _PLURALS.get(first, first.removesuffix("s")) + blank + rest


def does(name: str, words: str) -> str:
    """Return a sentence of a name and a verb phrase: `Ann gives up`, but `You give up`.

    `words` is in the third person.
    """
    return f"{name} {verb(name, words)}"


def owner(name: str) -> str:
    """Return a possessive: `Ann's`, or `Your` for You."""
    return f"{name}r" if name.casefold() == "you" else f"{name}'s"


def victory(winners: Sequence[str], shown: Sequence[str] = ()) -> str:
    """Return who won: `Ann wins`, `You win` or `Ann and Bob share the victory`.

    `shown`: the names to print, where they differ from `winners` (such as names with marks).
    """
    words = verb(winners[0], "wins") if len(winners) == 1 else "share the victory"
    return f"{listed(shown or winners)} {words}"


def fixed(value: float, decimals: int = 1) -> str:
    """Return a number with fixed decimals, such as `1.2`; never -0.0."""
    return f"{value:z.{decimals}f}"


def signed(value: float, decimals: int = 1) -> str:
    """Return a number with its sign and fixed decimals, such as `+1.2`; never -0.0."""
    return f"{value:+z.{decimals}f}"


def rounded(value: float, decimals: int = 6) -> float:
    """Return a rounded number for JSON, never -0.0."""
    return round(value, decimals) + 0.0


def percent(share: float, decimals: int = 1) -> str:
    """Return a share (0 to 1) in percent, without the percent sign; never -0.0."""
    return fixed(100 * share, decimals)


def signed_percent(share: float) -> str:
    """Return a change of a share (-1 to 1) in percent, with + or - but without `%`."""
    return signed(100 * share)


def spread(error: float | None) -> str:
    """Return a standard error of a share (0 to 1) in percent: `± 1.2`, or `± ?` for None.

    A small error is `± <0.1`, because no estimate is certain.
    """
    if error is None:
        return "± ?"
    return f"± {percent(error)}" if error >= _LEAST else "± <0.1"


def within(interval: float | None) -> str:
    """Return a half width of a 95 % interval of a share (0 to 1) in percent: `± 1.2`.

    Formatted as by `spread`.
    """
    return spread(interval)


def points_within(interval: float | None) -> str:
    """Return a half width of an interval in points: `± 1.2`, at least 0.1, or `± ?` for None."""
    return "± ?" if interval is None else f"± {max(interval, 0.1):.1f}"


def quoted(text: str, most: int = 60) -> str:
    """Return a text in quotes, cut to `most` characters if it is longer."""
    return repr(text if len(text) <= most else text[: most - 3] + "...")


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return the seats' names, with the seat number added to names that are equal or blank."""
    return [
        name if name.strip() and names.count(name) == 1 else f"{name} (seat {seat})".strip()
        for seat, name in enumerate(names)
    ]
