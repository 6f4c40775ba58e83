"""A game as one self-contained HTML page: a board whose parts are switched by data.

Names and words out of a record are data: the script writes them as text, never as markup.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, Final
from xml.etree.ElementTree import Element, SubElement, tostring

from masons.engine.board.board_picture import FRESH, Picture
from masons.engine.board.board_svg import FONTS, MASONRY, WALL_WIDTH, Canvas, clean, number
from masons.engine.board.components import HOUSE_COLORS, TOWER_COLORS
from masons.engine.errors import RecordError
from masons.engine.plain_text import distinct_names, plain_name
from masons.pictures.game_steps import Fragments, game_steps
from masons.pictures.page_shell import whole_page

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.formats.record_events import Event
    from masons.engine.game.record import Replay

_ICON: Final = 34.0


def game_page(
    replay: Replay,
    event_words: Callable[[Event], str],
    *,
    ending: Callable[[Replay], Sequence[str]],
    title: str = "",
    hands: bool = False,
    start: int = 0,
) -> str:
    """The page of a record that stands at its beginning.

    `event_words` says an event in words, `ending` how the game ended; `hands` puts the hands into
    the page, `start` is the step (decisions made) at which it opens. Raises RecordError where the
    record leaves the rules.
    """
    fragments = Fragments()
    names = distinct_names([plain_name(name) for name in replay.record["names"]])
    steps = list(game_steps(replay, names, event_words, fragments, hands=hands))
    steps[-1]["say"] += [[-1, words] for words in ending(replay)]
    if start >= len(steps):
        raise RecordError(f"there is no decision {start + 1}: {len(steps) - 1} were made")
    heading = clean(title) or clean(f"Masons: {', '.join(names)}")
    data = {
        "names": names, "start": start,
        "result": list(replay.winners), "steps": steps,
    }  # fmt: skip
    web = files(__package__) / "web"
    style, script = ((web / name).read_text("utf-8") for name in ("replay.css", "replay.js"))
    body = Template((web / "replay.html").read_text("utf-8")).substitute(
        title=html.escape(heading),
        about=html.escape(f"{replay.game.board.name}, {len(names)} players"),
        board=tostring(_board(replay.game.board, steps, fragments), "unicode"),
        supply=_supply(replay.game.board),
        data=_for_script(data),
    )
    return whole_page(heading, style, body, script)


def _for_script(data: object) -> str:
    """JSON that cannot end the element in which it stands."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _board(board: Board, steps: Sequence[dict[str, Any]], fragments: Fragments) -> Element:
    """The board with an element for each switch that the game uses."""
    used = {key for step in steps for key in step["set"]}
    canvas = Canvas(board, "")
    canvas.root.set("id", "board")
    del canvas.root.attrib["width"], canvas.root.attrib["height"]
    _defs(canvas, fragments)
    canvas.water()
    # The regions' numerals keep clear of all that will ever stand in a space.
    crowded = [space for kind in "pc" for space in _places(used, kind)]
    canvas.spaces(Picture(houses={space: {} for space in crowded}))
    for space, polygon in enumerate(layer_of(canvas, "spaces")):
        if f"c{space}" in used:
            polygon.set("id", f"c{space}")
    canvas.lines(Picture())
    for name in ("highlights", "fresh", *MASONRY):
        canvas.root.remove(layer_of(canvas, name))
    add_walls(canvas, _places(used, "w"))
    canvas.tower_spaces({})
    for kind, where in (("t", "standing"), ("p", "pieces")):
        layer = canvas.layer(where, stroke_linejoin="round", font_weight="bold")
        for place in _places(used, kind):
            x, y = canvas.corners[place] if kind == "t" else (0.0, 0.0)
            canvas.add(layer, "use", id=f"{kind}{place}", x=x, y=y, data_v="")
    return canvas.root


def add_walls(canvas: Canvas, lines: Iterable[int]) -> None:
    """A wall on each line, with a halo for a fresh one; a page shows and hides them (`w3`...)."""
    layer = canvas.layer("masonry")
    for line in lines:
        wall = canvas.add(layer, "g", id=f"w{line}", data_v="")
        canvas.segment(
            wall, line, **{"class": "halo"}, stroke=FRESH, stroke_width=WALL_WIDTH + 11,
            stroke_linecap="round",
        )  # fmt: skip
        for look in MASONRY.values():
            canvas.segment(wall, line, **look)


def _places(used: set[str], kind: str) -> list[int]:
    return sorted(int(key[1:]) for key in used if key[0] == kind)


def layer_of(canvas: Canvas, name: str) -> Element:
    """A layer that a canvas has already."""
    return next(group for group in canvas.root if group.get("class") == name)


def _defs(canvas: Canvas, fragments: Fragments) -> None:
    """Towers round the origin, and the contents of spaces where they stand."""
    defs = SubElement(canvas.root, "defs")
    for color, name in enumerate(TOWER_COLORS):
        for kind, shore in (("T", False), ("S", True)):
            tower = canvas.add(defs, "g", id=f"{kind}{color}", stroke_width=1.6)
            canvas.tower(tower, (0, 0), name, shore=shore)
    for (space, (houses, palaces)), name in fragments.known.items():
        canvas.stock(canvas.add(defs, "g", id=name), space, dict(houses), dict(palaces))


def _supply(board: Board) -> str:
    """The pieces in the box, each with a place for its number, in the order of the data."""
    canvas = Canvas(board, "")
    middle = (_ICON / 2, _ICON / 2)
    icons: list[tuple[str, Callable[[Element], None]]] = [
        ("walls", lambda icon: canvas.bar(icon, (2, _ICON / 2), (_ICON - 2, _ICON / 2)))
    ]
    icons += [
        (f"{name} towers", partial(canvas.tower, at=middle, colour=name, shore=False))
        for name in TOWER_COLORS
    ]
    icons += [
        (
            f"{name} {kind}s",
            partial(canvas.piece, kind=kind, colour=name, count=1, at=middle, size=size),
        )
        for kind, size in (("house", 26.0), ("palace", 22.0))
        for name in HOUSE_COLORS
    ]
    return "".join(_item(name, draw) for name, draw in icons)


def _item(name: str, draw: Callable[[Element], None]) -> str:
    side = number(_ICON)
    icon = Element(
        "svg", {"viewBox": f"0 0 {side} {side}", "aria-hidden": "true", "font-family": FONTS}
    )
    draw(icon)
    return (
        f'<li title="{name}">{tostring(icon, "unicode")}'
        f'<span class="sr">{name}: </span><b class="n"></b></li>'
    )
