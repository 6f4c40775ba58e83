"""Text for people: safe display of text from outside, and numbers, lists and names in English."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

_LONGEST_NAME: Final = 100


def plain(text: str) -> str:
    r"""Return a text from outside, made safe for display; letters of any script are unchanged.

    The function escapes control and format characters (which steer a terminal or the writing
    direction), lone surrogates and line ends as in a Python string, for example as `\x1b`.
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
    """Return a name read from a file, made safe for display and shortened to 100 characters."""
    return shortened(plain(text), _LONGEST_NAME)


def shortened(text: str, most: int) -> str:
    """Return a text, cut to `most` characters that end with three dots if it is longer."""
    return text if len(text) <= most else text[: most - 3] + "..."


_LEAST: Final = 0.0005  # the least share that rounds to 0.1 %
# Digits, with or without separators of thousands. A fraction needs a unit or an exponent.
_WHOLE: Final = re.compile(
    r"(?P<digits>[0-9]{1,19}|[0-9]{1,3}(?:(?:,[0-9]{3}){1,6}|(?:_[0-9]{3}){1,6}))"
    r"(?:(?P<fraction>\.[0-9]{1,9})?(?P<unit>[kKM]|[eE]\+?[0-9]{1,2}))?",
    re.ASCII,
)
_UNITS: Final = {"k": "e3", "K": "e3", "M": "e6"}


def count(number: int, singular: str, plural: str = "", *, thousands: str = ",") -> str:
    """Return a number with its noun, such as `1 card` or `2 cards`.

    If `plural` is not passed, the plural is the singular with an s. `thousands` separates groups of
    three digits.
    """
    digits = f"{number:,}".replace(",", thousands)
    return f"{digits} {singular if number == 1 else plural or singular + 's'}"


def parse_whole(text: str) -> int | None:
    """Return the number that a person wrote as 20000, 20,000, 20_000, 20k, 2M, 1.5k or 1e4.

    Returns None for a number with a sign, for a number that is not whole, and for any other text.
    """
    match = _WHOLE.fullmatch(text)
    if match is None:
        return None
    unit = match["unit"] or ""
    digits = match["digits"].replace(",", "").replace("_", "")
    number = Decimal(digits + (match["fraction"] or "") + _UNITS.get(unit, unit))
    return int(number) if number == int(number) else None


def listed(items: Sequence[object], last: str = "and") -> str:
    """Return a list in English, such as `a`, `a and b`, or `a, b and c`."""
    words = [str(item) for item in items]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def multiset(names: Counter[str]) -> str:
    """Return names in English, with the number of any repeated name: `Ann and Bob x2`."""
    return listed([f"{name} x{number}" if number > 1 else name for name, number in names.items()])


# Verbs whose plural is not the singular without the final s.
_PLURALS: Final = {"has": "have", "was": "were", "is": "are", "does": "do"}


def verb(name: str, words: str) -> str:
    """Return a verb phrase in the form that fits a name: `wins`, but `win` after You.

    `words` is in the third person. The command `play` uses the name You for a person who gave no
    name.
    """
    if name.casefold() != "you":
        return words
    first, blank, rest = words.partition(" ")
    return _PLURALS.get(first, first.removesuffix("s")) + blank + rest


def does(name: str, words: str) -> str:
    """Return a sentence made of a name and a verb phrase: `Ann gives up`, but `You give up`.

    `words` is in the third person.
    """
    return f"{name} {verb(name, words)}"


def owner(name: str) -> str:
    """Return the possessive of a name: `Ann's`, or `Your` for You."""
    return f"{name}r" if name.casefold() == "you" else f"{name}'s"


def joined(items: Iterable[object]) -> str:
    """Return items joined by commas, as positions and the protocol write them."""
    return ",".join(map(str, items))


def victory(winners: Sequence[str], shown: Sequence[str] = ()) -> str:
    """Return who won: `Ann wins`, `You win` or `Ann and Bob share the victory`.

    `shown` lists the names to print if they differ from `winners` (such as names with marks).
    """
    words = verb(winners[0], "wins") if len(winners) == 1 else "share the victory"
    return f"{listed(shown or winners)} {words}"


def fixed(value: float, decimals: int = 1) -> str:
    """Return a number with fixed decimals, such as `1.2`, but never -0.0."""
    return f"{value:z.{decimals}f}"


def signed(value: float, decimals: int = 1) -> str:
    """Return a number with its sign and fixed decimals, such as `+1.2`, but never -0.0."""
    return f"{value:+z.{decimals}f}"


def rounded(value: float) -> float:
    """Return a number rounded for JSON to six decimals, but never -0.0."""
    return round(value, 6) + 0.0


def all_rounded(values: Iterable[float]) -> list[float]:
    """Return numbers as `rounded` rounds them."""
    return [rounded(value) for value in values]


def percent(share: float, decimals: int = 1) -> str:
    """Return a share (0 to 1) in percent, without the percent sign and never as -0.0."""
    return fixed(100 * share, decimals)


def signed_percent(share: float) -> str:
    """Return a change of a share (-1 to 1) in percent, with its sign but without `%`."""
    return signed(100 * share)


def spread(error: float | None) -> str:
    """Return an error of a share (0 to 1) in percent: `± 1.2`, or `± ?` for None.

    `error` is a standard error or the half width of a 95 % interval. A small error is
    shown as `± <0.1`, because no estimate is certain.
    """
    if error is None:
        return "± ?"
    return f"± {percent(error)}" if error >= _LEAST else "± <0.1"


def points_within(interval: float | None) -> str:
    """Return the half width of an interval in points, such as `± 1.2`.

    The number shown is at least 0.1. The text for None is `± ?`.
    """
    return "± ?" if interval is None else f"± {max(interval, 0.1):.1f}"


def quoted(text: str, most: int = 60) -> str:
    """Return a text in quotes, shortened to `most` characters if it is longer."""
    return repr(shortened(text, most))


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return the names of seats, with the seat number added to a repeated or blank name."""
    return [
        name if name.strip() and names.count(name) == 1 else f"{name} (seat {seat})".strip()
        for seat, name in enumerate(names)
    ]
