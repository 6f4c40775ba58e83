"""The pictures of a review: boards that show the move played and the best move, and a graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html import escape
from itertools import pairwise
from typing import Any, Final
from xml.etree.ElementTree import tostring

from masons.ai.review.timeline import DECISION
from masons.engine.board.board_svg import FONTS, draw_board
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import parse_position
from masons.engine.plain_text import percent
from masons.engine.state.packed_move import WALL
from masons.engine.state.position import picture_of

_NAMESPACE: Final = "http://www.w3.org/2000/svg"
BEST: Final = "#009e73"
PLAYED: Final = "#d55e00"
_MIN_SHARED: Final = 200  # a layer with fewer characters is repeated in each picture
# People with any kind of color vision can tell these colors apart (Okabe and Ito 2008).
SEAT_COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
# The sizes of the graph, in units of the picture.
_WIDTH: Final = 960.0
_HEIGHT: Final = 340.0
_LEFT: Final = 44.0
_RIGHT: Final = 12.0
_TOP: Final = 12.0
_BOTTOM: Final = 74.0
_BAND: Final = 34.0  # height of the band of luck, which ends at the bottom of the picture
_MOST_LUCK: Final = 0.12  # the change of a win probability that fills the band
_DOTTED: Final = {"inaccuracy": 3.5, "error": 4.5, "blunder": 5.5}
_TURNS_BETWEEN: Final = (1, 2, 5, 10, 20, 50, 100)
_MOST_TICKS: Final = 12


class Album:
    """The pictures of a page. A layer of an earlier picture is referred to, not repeated."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._names: dict[str, str] = {}  # the name of each layer that was drawn, by its text

    def picture(self, decision: dict[str, Any]) -> str:
        """Return a picture of the position of a report's decision, as SVG.

        If the decision has `played` and `best`, walls among these moves are marked. If it has a
        `title`, the picture has this title.
        """
        _, position = parse_position(decision["position"], self._board)
        marked: dict[int, str] = {}
        if "played" in decision:
            moves = ((parse_move(decision["played"]), PLAYED), (parse_move(decision["best"]), BEST))
            marked = {move.place: color for move, color in moves if move.kind == WALL}
        picture = replace(picture_of(position), highlight_lines=dict.fromkeys(marked, 1.0))
        root = draw_board(self._board, picture).root
        for layer in list(root):
            if layer.tag == "title":
                layer.text = decision.get("title") or (
                    f"Before decision {decision['number']}; green: best, dashed: played"
                )
            if layer.get("class") == "highlights":
                for line, (_, color) in zip(layer, sorted(marked.items()), strict=True):
                    line.set("stroke", color)
                    if color == PLAYED:
                        line.set("stroke-dasharray", "1 24")
            if layer.tag == "defs" and self._names:
                root.remove(layer)  # the first picture has the symbols of all
        layers = "".join(self._layer(tostring(layer, "unicode")) for layer in root)
        return (
            f'<svg xmlns="{_NAMESPACE}" class="board" viewBox="{root.get("viewBox")}" role="img" '
            f'font-family="{escape(FONTS)}">{layers}</svg>'
        )

    def _layer(self, text: str) -> str:
        if len(text) < _MIN_SHARED:
            return text
        if text in self._names:
            return f'<use href="#{self._names[text]}"/>'
        self._names[text] = name = f"layer-{len(self._names)}"
        return f'<g id="{name}">{text}</g>'


def graph_svg(report: dict[str, Any]) -> str:
    """Return the graph of each seat's win probability over a game as an SVG element.

    The band below has a bar for each roll, draw and the deal, in the color of the seat that gained
    most. Dots on the line of a seat are its mistakes, in the colors of their marks.
    """
    moments = report["moments"]
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def x_of(moment: int) -> str:
        return f"{_LEFT + (right - _LEFT) * moment / max(len(moments) - 1, 1):.1f}"

    def y_of(share: float) -> float:
        return _TOP + (bottom - _TOP) * (1 - share)

    parts = []
    for mark in (0, 25, 50, 75, 100):
        y = y_of(mark / 100)
        parts.append(f'<line class="grid" x1="{_LEFT:g}" x2="{right:g}" y1="{y:g}" y2="{y:g}"/>')
        parts.append(f'<text x="{_LEFT - 6:g}" y="{y + 4:g}" text-anchor="end">{mark}%</text>')
    for turn, x in ((turn, x_of(moment)) for turn, moment in _ticks(moments)):
        parts.append(
            f'<line class="grid" x1="{x}" x2="{x}" y1="{bottom:g}" y2="{bottom + 5:g}"/>'
            f'<text x="{x}" y="{bottom + 18:g}" text-anchor="middle">{turn}</text>'
        )
    parts.append(f'<text x="{_LEFT - 6:g}" y="{bottom + 18:g}" text-anchor="end">turn</text>')
    parts.append(
        f'<text x="{_LEFT - 6:g}" y="{_HEIGHT - _BAND / 2:g}" text-anchor="end">luck</text>'
    )
    for index, (before, moment) in enumerate(pairwise(moments), 1):
        if moment["cause"] == DECISION:
            continue
        gains = [now - then for now, then in zip(moment["wins"], before["wins"], strict=True)]
        gain = max(gains)
        high = _BAND * min(gain / _MOST_LUCK, 1)
        parts.append(
            f'<rect x="{float(x_of(index)) - 1:.1f}" y="{_HEIGHT - high:.1f}" width="2" '
            f'height="{high:.1f}" fill="{SEAT_COLORS[gains.index(gain)]}">'
            f"<title>{escape(moment['words'])}</title></rect>"
        )
    for seat, name in enumerate(report["names"]):
        points = " ".join(
            f"{x_of(index)},{y_of(moment['wins'][seat]):.1f}"
            for index, moment in enumerate(moments)
        )
        parts.append(
            f'<polyline points="{points}" stroke="{SEAT_COLORS[seat]}">'
            f"<title>{escape(name)}</title></polyline>"
        )
    for decision in report["decisions"]:
        if decision["mark"] in _DOTTED:
            seat, moment = decision["seat"], decision["moment"]
            title = (
                f"{decision['mark']}, {percent(decision['loss'])} %: "
                f"{report['names'][seat]}, {decision['played_words']}"
            )
            parts.append(
                f'<a href="#d{decision["number"]}"><circle cx="{x_of(moment)}" '
                f'cy="{y_of(moments[moment]["wins"][seat]):.1f}" '
                f'r="{_DOTTED[decision["mark"]]:g}" class="{decision["mark"]}">'
                f"<title>{escape(title)}</title></circle></a>"
            )
    return (
        f'<svg class="graph" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" aria-label='
        f'"Win probability of each seat from the deal to the end">{"".join(parts)}</svg>'
    )


def _ticks(moments: list[dict[str, Any]]) -> Iterator[tuple[int, int]]:
    """Yield (turn, moment at which the turn begins) for each turn that is labeled."""
    begins: dict[int, int] = {}
    for index, moment in enumerate(moments):
        begins.setdefault(moment["turn"], index)
    between = next((n for n in _TURNS_BETWEEN if len(begins) / n <= _MOST_TICKS), len(begins))
    return ((turn, moment) for turn, moment in begins.items() if turn % between == 0)
