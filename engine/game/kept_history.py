"""The action history of one game: made when somebody asks for it, and kept up to date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from masons.engine.formats.move_text import Move
from masons.engine.formats.record_events import Log
from masons.engine.game.action_history import ActionHistory, new_history
from masons.engine.game.table import Table
from masons.engine.state import layout as at


class Moment(NamedTuple):
    """What there was before a decision, and the decision."""

    move: Move
    state: at.State
    log: Log
    rng: object


class KeptHistory:
    """What all decisions of a game so far say about hands.

    `is_new`: the game is known from its first turn on; else there is no history.
    """

    def __init__(self, table: Table, *, is_new: bool) -> None:
        self._table = table
        self._is_new = is_new
        self._history, self._decisions = new_history(), 0

    def after(self, past: Sequence[Moment]) -> ActionHistory | None:
        """The history (float64[HISTORY_SIZE], not to be modified) after some decisions."""
        if not self._is_new:
            return None
        if self._decisions < len(past):
            history = self._history.copy()
            for moment in past[self._decisions :]:
                self._table.add_sound_choice(moment.state, moment.move, history)
            self._history, self._decisions = history, len(past)
        return self._history

    def forget(self, decisions: int) -> None:
        """Let only the first so many decisions stand: later ones were taken back."""
        if self._decisions > decisions:
            self._history, self._decisions = new_history(), 0
