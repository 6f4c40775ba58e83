"""Pictures of decisions that went wrong: the board, the move played, and the best one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any, Final
from xml.etree.ElementTree import Element, tostring

from masons.engine.board.board_svg import draw_board
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import parse_position
from masons.engine.state.packed_move import WALL
from masons.engine.state.position import picture_of

_NAMESPACE: Final = "http://www.w3.org/2000/svg"
BEST: Final = "#009e73"
PLAYED: Final = "#d55e00"
_MIN_SHARED: Final = 200  # characters of a layer that is written once


class Album:
    """The pictures of some decisions; what several of them have in common stands there once."""

    def __init__(self, board: Board, decisions: Sequence[dict[str, Any]]) -> None:
        pictures = {decision["number"]: _mistake(board, decision) for decision in decisions}
        layers = [[_text(layer) for layer in root] for root in pictures.values()]
        often = Counter(text for texts in layers for text in texts)
        self._shared = {
            text: f"shared-{number}"
            for number, (text, times) in enumerate(often.items())
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
        """An invisible picture that holds what the others have in common."""
        parts = "".join(f'<g id="{name}">{text}</g>' for text, name in self._shared.items())
        return (
            f'<svg xmlns="{_NAMESPACE}" width="0" height="0" class="shared" '
            f'aria-hidden="true"><defs>{parts}</defs></svg>'
        )

    def picture(self, number: int | str) -> str:
        """The picture (SVG) of the decision, or stroke of luck, of a number."""
        return self._pictures[number]


def _text(layer: Element) -> str:
    """A layer as text."""
    return tostring(layer, encoding="unicode")


def _mistake(board: Board, decision: dict[str, Any]) -> Element:
    """The position of a decision of a report, with the walls that were to choose from."""
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
    """The lines of walls played and best, with their colours."""
    moves = ((parse_move(played), PLAYED), (parse_move(best), BEST))
    return {move.place: color for move, color in moves if move.kind == WALL}


def _paint(root: Element, marked: dict[int, str]) -> None:
    """Give each marked line its colour; they stand in the picture in ascending order."""
    for layer in root:
        if layer.get("class") == "highlights":
            for line, (_, color) in zip(layer, sorted(marked.items()), strict=True):
                line.set("stroke", color)
                if color == PLAYED:
                    line.set("stroke-dasharray", "1 24")
