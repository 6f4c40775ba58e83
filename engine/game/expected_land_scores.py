"""What the land cards can be expected to score after a wall, before the dice have fallen."""

from __future__ import annotations

from typing import Final

from masons.engine.board.components import CARDS, FIRST_LAND, HOUSE_COLORS, LANDS, TOWER_COLORS
from masons.engine.board.packed_board import LINE_PLACES, SHORE
from masons.engine.kernels.bits import U, has
from masons.engine.kernels.jit import Floats, Word, Words, bytes_of, copy_words, inner
from masons.engine.rules.placement import put_wall
from masons.engine.rules.scoring import score_cards, score_new_city
from masons.engine.state.layout import CLOSES, LABELS_BYTE, NONE, STATE_WORDS, VALUES_BYTE

_LANDS = U(LANDS)
_VALUES = VALUES_BYTE + U(FIRST_LAND)
_STATE = U(STATE_WORDS)


def _land(name: str) -> int:
    return CARDS.index(name) - FIRST_LAND


_REGIONS = U(_land("land-region-1"))
_TOWERS = U(_land("land-towers"))
_TOWERS_COLOR = U(_land("land-towers-white"))
_SHORE = U(_land("land-shore"))
_HOUSES = U(len(HOUSE_COLORS))
_COLORS = U(len(TOWER_COLORS))
_HOUSE_PART: Final = 1.0 / len(HOUSE_COLORS)
_TOWER_PART: Final = 2.0 / len(TOWER_COLORS)


@inner
def land_prospects(state: Words, board: Words, line: Word, workspace: Words, out: Floats) -> Word:
    """Fill `out` (float64[LANDS]) with what the land cards can be expected to score after a wall.

    All colours are taken to be as likely. Returns whether the wall completes a city: then nothing
    is expected of the dice, as what they bring falls to the city for the most part. Workspace:
    `workspace` (uint64[STATE_WORDS]).
    """
    copy_words(workspace, state, _STATE)
    put_wall(workspace, board, line, False)
    r, table = bytes_of(workspace), bytes_of(board)
    closes = U(r[CLOSES])
    if closes:
        score_new_city(workspace, board)
    else:
        score_cards(workspace, board, NONE)
    for land in range(_LANDS):
        out[land] = float(r[_VALUES + land])
    if closes:
        return closes
    at = LINE_PLACES + U(8) * line
    for side in range(U(2)):
        end = U(table[at + side])
        if U(r[LABELS_BYTE + end]) == NONE:
            out[_TOWERS] += 1.0
            for color in range(_COLORS):
                out[_TOWERS_COLOR + color] += _TOWER_PART
            if has(board, SHORE, end):
                out[_SHORE] += 2.0
    spaces = U(1) if table[at + U(2)] == table[at + U(3)] else U(2)
    for side in range(spaces):
        out[_REGIONS + U(table[at + U(4) + side])] += 1.0
        for color in range(_HOUSES):
            out[color] += _HOUSE_PART
    return closes
