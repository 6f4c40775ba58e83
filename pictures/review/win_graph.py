"""The win probability of each seat over a game, as a picture for a page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from masons.engine.plain_text import percent
from masons.pictures.review.review_tables import Report

# Told apart by people with any kind of colour vision (Okabe and Ito 2008).
SEAT_COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
# Units of the picture.
_WIDTH: Final = 960.0
_HEIGHT: Final = 300.0
_LEFT: Final = 44.0
_RIGHT: Final = 12.0
_TOP: Final = 12.0
_BOTTOM: Final = 34.0
_DOTTED: Final = {"error": 3.5, "blunder": 5.5}
_TURNS_BETWEEN: Final = (1, 2, 5, 10, 20, 50, 100)
_MOST_TICKS: Final = 12


def graph_svg(report: Report) -> str:
    """The graph as one SVG element; its text and lines take the page's colours."""
    words = "Win probability of each seat from the deal to the end"
    return "".join(
        (
            f'<svg class="graph" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" '
            f'aria-label="{words}">',
            *_grid(report),
            *_lines(report),
            *_dots(report),
            "</svg>",
        )
    )


def _x(report: Report, moment: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * moment / max(len(report["moments"]) - 1, 1)


def _y(share: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - share)


def _grid(report: Report) -> Iterator[str]:
    for mark in (0, 25, 50, 75, 100):
        y = _y(mark / 100)
        yield f'<line class="grid" x1="{_LEFT:g}" x2="{_WIDTH - _RIGHT:g}" y1="{y:g}" y2="{y:g}"/>'
        yield f'<text x="{_LEFT - 6:g}" y="{y + 4:g}" text-anchor="end">{mark}%</text>'
    bottom = _y(0)
    for turn, moment in _ticks(report):
        x = _x(report, moment)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{bottom:g}" y2="{bottom + 5:g}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 18:g}" text-anchor="middle">{turn}</text>'
    yield f'<text x="{_LEFT:g}" y="{_HEIGHT - 3:g}">turn</text>'


def _ticks(report: Report) -> Iterator[tuple[int, int]]:
    """Turns, and where they begin."""
    begins: dict[int, int] = {}
    for moment, there in enumerate(report["moments"]):
        begins.setdefault(there["turn"], moment)
    between = next((n for n in _TURNS_BETWEEN if len(begins) / n <= _MOST_TICKS), len(begins))
    return ((turn, moment) for turn, moment in begins.items() if turn % between == 0)


def _lines(report: Report) -> Iterator[str]:
    for seat, name in enumerate(report["names"]):
        points = " ".join(
            f"{_x(report, moment):.1f},{_y(there['wins'][seat]):.1f}"
            for moment, there in enumerate(report["moments"])
        )
        yield f'<polyline points="{points}" stroke="{SEAT_COLORS[seat]}">'
        yield f"<title>{escape(name)}</title></polyline>"


def _dots(report: Report) -> Iterator[str]:
    """Errors and blunders, each on the line of its seat."""
    for decision in report["decisions"]:
        if decision["mark"] not in _DOTTED:
            continue
        seat, moment = decision["seat"], decision["moment"]
        y = _y(report["moments"][moment]["wins"][seat])
        title = (
            f"{decision['mark']}, {percent(decision['loss'])} %: "
            f"{report['names'][seat]}, {decision['played_words']}"
        )
        yield f'<a href="#d{decision["number"]}"><circle cx="{_x(report, moment):.1f}" '
        yield f'cy="{y:.1f}" r="{_DOTTED[decision["mark"]]:g}" fill="{SEAT_COLORS[seat]}">'
        yield f"<title>{escape(title)}</title></circle></a>"
