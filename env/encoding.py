"""How actions and observations of a board are encoded, and the fingerprint of it.

Data that were made under one encoding mean nothing under another. So every file of them carries the
fingerprint, and is refused where it is not that of the reader.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from typing import Final

from masons.engine.board.geometry import Board
from masons.engine.errors import MasonsError
from masons.engine.given import shown
from masons.env.action_encoding import ActionEncoding
from masons.env.observation_layout import Graph, ObservationLayout, graph_of

# Raised when the meaning of a number changes while names and places stay as they are.
VERSION: Final = 1
_DIGITS: Final = 16


class Encoding:
    """The actions and observations of a board, with or without `beliefs`."""

    def __init__(self, board: Board, *, beliefs: bool = False) -> None:
        self.board = board
        self.actions = ActionEncoding(board)
        self.layout = ObservationLayout(board, beliefs=beliefs)

    @cached_property
    def graph(self) -> Graph:
        """What lies beside what on the board."""
        return graph_of(self.board)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits: the same where every number means the same."""
        content = [VERSION, self.board.sha256, self.actions.names, self.layout.sections]
        text = json.dumps(content, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]

    @property
    def number(self) -> int:
        """The fingerprint as a number of 64 bits."""
        return int(self.fingerprint, 16)

    def check(self, fingerprint: object, what: str) -> None:
        """Raise MasonsError where `what`, made under an encoding, was made under another one."""
        if fingerprint != self.fingerprint:
            raise MasonsError(
                f"{what} has the encoding {shown(fingerprint)}, but this version's for the board "
                f"{self.board.name} is {self.fingerprint}: make the data anew"
            )
