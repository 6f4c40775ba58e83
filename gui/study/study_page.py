"""A position that is studied, as a page is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from masons.engine.formats.position_text import format_position
from masons.gui.pages.board_elements import Pieces
from masons.gui.pages.decision_choices import choices_of, figures, hand_cards
from masons.match.playing.scored_view import ScoredView
from masons.pictures.what_is_due import task_words

if TYPE_CHECKING:
    from masons.engine.game.table import Table
    from masons.engine.state.position import Position


class StudyPage:
    """Makes the `position` messages of a study."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._pieces = Pieces(table.board)

    def message(self, position: Position, names: Sequence[str], **more: Any) -> dict[str, Any]:
        """The position with the hand of whoever decides; `more` is added."""
        table = self._table
        due = position.phase not in ("roll", "draw", "over")
        decides = due and not isinstance(position.hands[position.seat], int)
        scored = ScoredView(table, position)
        moves = table.legal_moves(table.state_of(position)) if decides else []
        seat = position.seat if due else None
        return {
            "type": "position",
            "study": True,
            "text": format_position(position, table.board),
            "names": list(names),
            "task": task_words(position, names),
            "turn": position.turn + 1,
            "phase": position.phase,
            "active": position.active,
            "decider": seat,
            "seat": seat,
            "decides": decides,
            **figures(position),
            **self._pieces.of(position),
            "hand": None if seat is None else hand_cards(scored, seat),
            "hands": [hand_cards(scored, one) for one in range(position.players)],
            "moves": choices_of(scored, moves) if decides else None,
            **more,
        }
