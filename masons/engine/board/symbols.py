"""The symbols of `symbols.svg`, with one symbol for each kind and color of piece."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from masons.engine.board import board_picture as paint
from masons.engine.board.components import HOUSE_COLORS, TOWER_COLORS

LETTERS: Final = {
    **dict(zip(TOWER_COLORS, "WGB", strict=True)), **dict(zip(HOUSE_COLORS, "RSYGB", strict=True))
}  # fmt: skip
_FILE: Final = Path(__file__).with_name("symbols.svg")


@lru_cache(1)
def symbols() -> str:
    """Return the definitions of all symbols, with one symbol for each kind and color of piece."""
    text = _FILE.read_text("utf-8")
    defs = text[text.index("<defs>") : text.index("</svg>")].replace("\n", "")
    kinds = {
        "tower": paint.TOWER_PAINT,
        **dict.fromkeys(("house", "palace"), paint.HOUSE_PAINT),
    }
    pieces = [(kind, *color) for kind, colors in kinds.items() for color in colors.items()]
    for kind, name, (fill, ink) in pieces:
        y, size = (3, 15) if kind == "tower" else (42, 56)
        letter = (
            f'<text class="b-letter" y="{y}" font-size="{size}" font-weight="bold" fill="{ink}" '
            f'stroke="{fill}" stroke-width="{size // 7}" paint-order="stroke" '
            f'text-anchor="middle" display="none">{LETTERS[name]}</text>'
        )
        shape = f'<use href="#{kind}" color="{fill}"/>{letter}'
        defs += f'<g id="{kind}-{name}">{shape}</g>'
        if kind == "tower":
            defs += f'<g id="shore-{name}"><use href="#quay"/>{shape}</g>'
    return defs.replace("</defs>", "") + "</defs>"
