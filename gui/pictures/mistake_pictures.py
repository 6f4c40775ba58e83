"""The pictures of a review: boards with the move played and the best one, and the graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Any, Final
from xml.etree.ElementTree import Element, tostring

from masons.engine.board.board_svg import draw_board
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import parse_position
from masons.engine.plain_text import percent
from masons.engine.state.packed_move import WALL
from masons.engine.state.position import picture_of

_NAMESPACE: Final = "http://www.w3.org/2000/svg"
BEST: Final = "#009e73"
PLAYED: Final = "#d55e00"
_MIN_SHARED: Final = 200  # characters of a layer that is written once
# Told apart by people with any kind of color vision (Okabe and Ito 2008).
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


class Album:
    """The pictures of some decisions and strokes of luck; layers that several share stand once."""

    def __init__(self, board: Board, decisions: Sequence[dict[str, Any]]) -> None:
        pictures = {decision["number"]: _mistake(board, decision) for decision in decisions}
        layers = [[_text(layer) for layer in root] for root in pictures.values()]
        counts = Counter(text for texts in layers for text in texts)
        self._shared = {
            text: f"shared-{number}"
            for number, (text, times) in enumerate(counts.items())
            if times > 1 and len(text) > _MIN_SHARED
        }
        self._pictures = {
            number: self._put_together(root, texts)
            for (number, root), texts in zip(pictures.items(), layers, strict=True)
        }

    def _put_together(self, root: Element, layers: Sequence[str]) -> str:
        inside = "".join(
            f'<use href="#{self._shared[text]}"/>' if text in self._shared else text
            for text in layers
        )
        font = escape(root.get("font-family", ""))
        return (
            f'<svg xmlns="{_NAMESPACE}" viewBox="{root.get("viewBox")}" role="img" '
            f'font-family="{font}">{inside}</svg>'
        )

    def shared(self) -> str:
        """Return an invisible picture with the shared layers."""
        parts = "".join(f'<g id="{name}">{text}</g>' for text, name in self._shared.items())
        return (
            f'<svg xmlns="{_NAMESPACE}" width="0" height="0" class="shared" '
            f'aria-hidden="true"><defs>{parts}</defs></svg>'
        )

    def picture(self, number: int | str) -> str:
        """Return the picture (SVG) of a decision or stroke of luck by its number."""
        return self._pictures[number]


def _text(layer: Element) -> str:
    """Return a layer as text."""
    return tostring(layer, encoding="unicode")


def _mistake(board: Board, decision: dict[str, Any]) -> Element:
    """Draw the position of a decision of a report; the walls played and best are marked."""
    _, position = parse_position(decision["position"], board)
    marked = _marked(decision["played"], decision["best"]) if "played" in decision else {}
    picture = replace(picture_of(position), highlight_lines=dict.fromkeys(marked, 1.0))
    root = draw_board(board, picture).root
    for child in root:
        if child.tag == "title":
            child.text = _title(decision)
    _paint(root, marked)
    return root


def _title(decision: dict[str, Any]) -> str:
    if "title" in decision:
        return str(decision["title"])
    return f"Before decision {decision['number']}; green: best, dashed: played"


def _marked(played: str, best: str) -> dict[int, str]:
    """Return the lines of the walls played and best, with their colors."""
    moves = ((parse_move(played), PLAYED), (parse_move(best), BEST))
    return {move.place: color for move, color in moves if move.kind == WALL}


def _paint(root: Element, marked: dict[int, str]) -> None:
    """Give each marked line its color; they stand in the picture in ascending order."""
    for layer in root:
        if layer.get("class") == "highlights":
            for line, (_, color) in zip(layer, sorted(marked.items()), strict=True):
                line.set("stroke", color)
                if color == PLAYED:
                    line.set("stroke-dasharray", "1 24")


def graph_svg(report: dict[str, Any]) -> str:
    """Return the win probability of each seat over a game as one SVG element."""
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


def _x(report: dict[str, Any], moment: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * moment / max(len(report["moments"]) - 1, 1)


def _y(share: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - share)


def _grid(report: dict[str, Any]) -> Iterator[str]:
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


def _ticks(report: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """Yield turns with the moments at which they begin."""
    begins: dict[int, int] = {}
    for index, moment in enumerate(report["moments"]):
        begins.setdefault(moment["turn"], index)
    between = next((n for n in _TURNS_BETWEEN if len(begins) / n <= _MOST_TICKS), len(begins))
    return ((turn, moment) for turn, moment in begins.items() if turn % between == 0)


def _lines(report: dict[str, Any]) -> Iterator[str]:
    for seat, name in enumerate(report["names"]):
        points = " ".join(
            f"{_x(report, index):.1f},{_y(moment['wins'][seat]):.1f}"
            for index, moment in enumerate(report["moments"])
        )
        yield f'<polyline points="{points}" stroke="{SEAT_COLORS[seat]}">'
        yield f"<title>{escape(name)}</title></polyline>"


def _dots(report: dict[str, Any]) -> Iterator[str]:
    """Draw errors and blunders, each on the line of its seat."""
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
