"""What the pages of reviews have in common: tables, numbers with a sign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from masons.engine.plain_text import signed_percent

MINUS: Final = "\u2212"


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are HTML; the first of a row is its head."""
    body = "".join(_row(row) for row in rows)
    head = _row(titles, "th")
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


def _row(cells: Sequence[str], tag: str = "td") -> str:
    head = f'<th scope="{"col" if tag == "th" else "row"}">{cells[0]}</th>'
    return f"<tr>{head}{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells[1:])}</tr>"


def signed(share: float) -> str:
    """A change in per cent with its sign, a real minus sign; next to nothing is 0."""
    text = signed_percent(share)
    return "0.0" if text == "+0.0" else text.replace("-", MINUS)
