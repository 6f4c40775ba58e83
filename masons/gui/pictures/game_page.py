"""A self-contained HTML page that steps through a game, and the frame of all such pages.

Step 0 is the start of the game, and step k is the position after decision k. A step names the
elements of the board (see `page_board`) that it changes, each with a new value. The value 0 hides
an element. The other values are:

| element | value |
| --- | --- |
| `w57` | 1, or 2 for this turn's wall |
| `t12` | a symbol such as `tower-white`, or `shore-white` on the shore |
| `c40` | 1 in a city, or 2 in the city that is being scored |
| `p40` | the pieces in space 40, each as symbol, number, x, y and size |

Names and words from a record are data, which the script writes as text and never as markup.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import chain
from string import Template
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import tostring

from masons.engine.board.board_svg import clean
from masons.engine.board.components import CARD_NAMES, FIRST_LAND, HOUSE_COLORS, TOWER_COLORS
from masons.engine.errors import RecordError
from masons.engine.plain_text import distinct_names, plain_name
from masons.gui.pictures.page_board import page_board, page_pieces
from masons.words.events import ending_words, event_words, visible_event
from masons.words.positions import supply_of, task_words

if TYPE_CHECKING:
    from masons.engine.game.replay import Replay
    from masons.engine.state.position import Position


def whole_page(title: str, style: str, body: str, script: str) -> str:
    """Return a self-contained page. Of the arguments, only the title is escaped here.

    The page needs no network. Its security policy names the hashes of its script and its style, so
    that a browser uses no others. For this reason an element cannot have a `style` attribute.
    """
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{html.escape(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
"""


def _hash(text: str) -> str:
    """Return the hash that names an inline text in a content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def board_style() -> str:
    """Return the style of a board, also in the dark."""
    shown, dark = (static_file(name) for name in ("board.css", "board-dark.css"))
    return f"{shown}@media (prefers-color-scheme: dark) {{{dark}}}"


def static_file(name: str) -> str:
    """Return the text of a file of the page in the browser."""
    return (files("masons.gui") / "static" / name).read_text("utf-8")


def web_file(name: str) -> str:
    """Return the text of a script, style or template of the pages."""
    return (files(__package__) / "web" / name).read_text("utf-8")


def game_page(replay: Replay, *, title: str = "", hands: bool = False, start: int = 0) -> str:
    """Return the page of a recorded game.

    `replay` must be at the beginning of the game. With `hands`, the page contains the hands and
    names the cards that were drawn. The page opens at the step `start`, after this number of
    decisions. Raises RecordError if the record breaks the rules or there is no such step.
    """
    board = replay.game.board
    names = distinct_names([plain_name(name) for name in replay.record["names"]])
    steps = list(_steps(replay, names, hands=hands))
    steps[-1]["say"] += [[-1, words] for words in ending_words(replay)]
    if start >= len(steps):
        raise RecordError(f"there is no decision {start + 1}: {len(steps) - 1} were made")
    heading = clean(title) or clean(f"Masons: {', '.join(names)}")
    data: dict[str, Any] = {
        "names": names,
        "start": start,
        "result": list(replay.winners),
        "steps": steps,
    }
    if hands:
        data["cards"] = [[name, k >= FIRST_LAND] for k, name in enumerate(CARD_NAMES.values())]
    used = {key for step in steps for key in step["set"]}
    svg = page_board(
        board,
        sorted(int(key[1:]) for key in used if key[0] == "w"),
        crowded=[int(key[1:]) for key in used if key[0] in "pc"],
    )
    body = Template(web_file("replay.html")).substitute(
        title=html.escape(heading),
        about=html.escape(f"{board.name}, {len(names)} players"),
        board=tostring(svg, "unicode"),
        supply=_supply_icons(),
        data=_for_script(data),
    )
    shared = static_file("pieces.js")
    script = '"use strict";\n' + shared.replace("\nexport ", "\n") + web_file("replay.js")
    return whole_page(heading, web_file("replay.css") + board_style(), body, script)


def _for_script(data: object) -> str:
    """Return JSON that cannot end the HTML element that contains it."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _steps(replay: Replay, names: Sequence[str], *, hands: bool) -> Iterator[dict[str, Any]]:
    """Yield the steps of a record. Raises RecordError if the record breaks the rules."""
    game = replay.game
    shown: dict[str, Any] = {}
    logged = 0
    while True:
        position = game.position
        wanted = _switches(page_pieces(game.board, position))
        events = game.log.events(logged)
        logged += len(events)
        seen = events if hands else [visible_event(event, ()) for event in events]
        say = [[event.get("p", -1), event_words(game.board, event)] for event in seen]
        yield {
            **_figures(position, names, hands=hands),
            "say": say
            + [[-1, each.words(names, replay.stopped)] for each in replay.new_forfeits()],
            "set": dict.fromkeys((key for key in shown if key not in wanted), 0)
            | {key: value for key, value in wanted.items() if shown.get(key) != value},
        }
        shown = wanted
        if replay.is_done:
            replay.finish()
            return
        replay.step()


def _switches(pieces: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the elements that are not hidden (see the table of this module)."""
    fresh, scored = pieces["fresh"], pieces["scored"]
    shown: dict[str, Any] = {f"w{line}": 1 + (line == fresh) for line in pieces["walls"]}
    shown |= {f"t{place}": name for place, name in pieces["towers"].items()}
    shown |= {f"c{space}": 1 + (space in scored) for space in chain(*pieces["cities"])}
    return shown | {f"p{space}": shapes for space, shapes in pieces["stocks"].items()}


def _figures(position: Position, names: Sequence[str], *, hands: bool) -> dict[str, Any]:
    """Return the facts that are shown beside the board."""
    supply = supply_of(position)
    figures: dict[str, Any] = {
        "turn": position.turn + 1,
        "active": position.active,
        "seat": -1 if position.phase == "over" else position.seat,
        "due": task_words(position, names),
        "scores": list(position.scores),
        "cards": list(position.hand_sizes),
        "piles": [position.deck_size, len(position.discard)],
        "supply": [supply.walls, *supply.towers, *supply.houses, *supply.palaces],
    }
    if hands:
        figures["hands"] = [[] if isinstance(hand, int) else list(hand) for hand in position.hands]
    return figures


def _supply_icons() -> str:
    """Return icons for the pieces in the supply, each with a place for its number.

    The icons are in the order of `supply` in `_figures` and use the symbols of the board.
    """
    icons = [("walls", "wall-piece", "-25 -13 50 26")]
    icons += [(f"{color} towers", f"tower-{color}", "-22 -28 48 48") for color in TOWER_COLORS]
    icons += [
        (f"{color} {kind}s", f"{kind}-{color}", box)
        for kind, box in (("house", "-58 -56 128 116"), ("palace", "-76 -96 166 160"))
        for color in HOUSE_COLORS
    ]
    return "".join(
        f'<li title="{name}"><svg viewBox="{box}" aria-hidden="true"><use href="#{piece}"/></svg>'
        f'<span class="sr">{name}: </span><b class="n"></b></li>'
        for name, piece, box in icons
    )
