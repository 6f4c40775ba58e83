"""Whether a packed state that a caller brings can be given to kernels, which check nothing.

Everything that a kernel uses as an index or a count is looked at, so that none reads or writes
beside its arrays. Whether a game can reach the state is not asked: see `position_checks`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from masons.engine.board.components import MAX_PLAYERS, MIN_PLAYERS
from masons.engine.board.geometry import Board
from masons.engine.errors import PositionError
from masons.engine.rules.legal_moves import MAX_CITIES
from masons.engine.state import layout as at
from masons.engine.state.phases import PHASE_NAMES

_HANDS: Final = slice(int(at.HANDS), int(at.DISCARD) + 1)
_SETS: Final = slice(0, int(at.HANDS))
_HEADER: Final = slice(int(at.PLAYERS), int(at.QUEUE) + 1)
_SPACES: Final = slice(int(at.SPACES_HALF), int(at.SPACES_HALF) + 128)
_LABELS: Final = slice(int(at.LABELS_BYTE), int(at.SPACES) * 8)
_NO_CARDS: Final = sum(0xF << (64 * word + 60) for word in range(6))


def is_array(value: object, dtype: type[np.generic], size: int) -> bool:
    """Whether a value is an array as kernels take it: so many items in a row, aligned, writable."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype == dtype
        and value.shape == (size,)
        and value.flags.carray
    )


def need_state(state: object) -> None:
    """Raise PositionError for what is no array of a state."""
    if not is_array(state, np.uint64, at.STATE_WORDS):
        raise PositionError(
            f"a state is an array of {at.STATE_WORDS} uint64 as Game.state gives it, "
            f"not {type(state).__name__}"
        )


class StateChecks:
    """What the states of one board must keep to."""

    def __init__(self, board: Board) -> None:
        self._spaces, self._lines = len(board.space_lines), len(board.line_spaces)
        towers, words = len(board.tower_xy), int(at.HANDS)
        starts = [64 * word for word in (*range(0, 24, 4), *range(24, words, 2), words)]
        self._outside = sum(
            (1 << end) - (1 << min(start + (self._lines if start < 64 * 24 else towers), end))
            for start, end in pairwise(starts)
        )
        self._towers = towers
        self._last = b""  # the last state that was found good

    def check(self, state: object) -> None:
        """Raise PositionError for a state that kernels cannot work with."""
        need_state(state)
        assert isinstance(state, np.ndarray)
        content = state.tobytes()
        if content != self._last:
            fault = self._header_fault(content[_HEADER]) or self._set_fault(state)
            if fault:
                raise PositionError(f"this is no state of the board: {fault}")
            self._last = content

    def _header_fault(self, header: bytes) -> str:
        players, active, seat, phase, end, _, _, _, line, _, die, first, second, city = header[:14]
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            return f"{players} players"
        if active >= players or seat >= players or header[-1] >> players:
            return "a seat that does not play"
        if phase >= len(PHASE_NAMES) or end >= len(at.END_NAMES):
            return f"phase {phase}, end {end}"
        if line != at.NONE and line >= self._lines:
            return f"line {line}"
        due = PHASE_NAMES[phase]
        if due in ("roll", "towers", "houses") and line == at.NONE:
            return "no line for its wall"
        if (die > 2 and (die != at.NONE or due == "towers")) or max(first, second) > at.JOKER:
            return "dice that there are not"
        if city != at.NONE and city >= self._spaces:
            return f"city {city}"
        if due in ("merge", "score") and city == at.NONE:
            return "no city that counts"
        return ""

    def _set_fault(self, state: at.State) -> str:
        if int.from_bytes(state[_SETS].tobytes(), "little") & self._outside:
            return "walls or towers beside the board"
        if int.from_bytes(state[_HANDS].tobytes(), "little") & _NO_CARDS:
            return "cards that there are not"
        labels = state.view(np.uint8)[_LABELS]
        if ((labels >= self._towers) & (labels != int(at.NONE))).any():
            return "towers beside the board"
        spaces = state.view(np.uint32)[_SPACES]
        inside = spaces >> np.uint32(31) != 0
        if (inside & (spaces & np.uint32(255) >= self._spaces)).any():
            return "a city beside the board"
        roots = spaces & np.uint32(int(at.IS_CITY)) != 0
        if spaces[self._spaces :].any() or np.count_nonzero(roots & ~inside) > MAX_CITIES:
            return "too many spaces or cities"
        return ""
