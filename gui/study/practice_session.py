"""Puzzles on the board: those that come with the program, or the mistakes of a reviewed game."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from masons.ai.practice.progress import keep_answer, progress_path, read_progress
from masons.ai.practice.puzzles import Puzzle, answer_title, bundled, why_missed
from masons.engine.board.geometry import builtin_boards
from masons.gui.study.study_page import StudyPage
from masons.match.playing.scored_view import ScoredView
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board

Made = tuple[str, Callable[[], Puzzle | None]]


class PracticeSession:
    """One page's puzzles. What was found and missed is kept, as by `practice`."""

    def __init__(self, board: Board, own: Sequence[Made] | None = None) -> None:
        """`own`: the puzzles; those of the program without. Raises MasonsError, OSError."""
        self._own = own is not None
        if own is None:
            if board.name not in builtin_boards():
                raise Refused("illegal", f"there are no puzzles on the board {board.name}")
            made = {puzzle.id: puzzle for puzzle in bundled(board)}
            ids = list(made)
            random.Random(0).shuffle(ids)
            due = read_progress(progress_path()).order(ids, date.today())
            own = [(one, lambda one=one: made[one]) for one in due]  # type: ignore[misc]
        self._left = list(own)
        self._total = len(self._left)
        self._puzzle: Puzzle | None = None
        self.found = 0

    def take(self) -> Puzzle | None:
        """The next puzzle, made here (which may take seconds); None where none is left.

        Mistakes that new games don't confirm are left out.
        """
        self._puzzle = None
        while self._left and self._puzzle is None:
            self._puzzle = self._left.pop(0)[1]()
        return self._puzzle

    def question(self, puzzle: Puzzle | None) -> dict[str, Any]:
        """The puzzle for a page; what its moves are worth is not in it."""
        if puzzle is None:
            return {"type": "puzzle", "number": self._total, "total": self._total, "moves": None}
        position = puzzle.view.position
        choices = [own.move for own in puzzle.candidates]
        random.Random(puzzle.id).shuffle(choices)
        scored = ScoredView(puzzle.table, position)
        names = [f"seat {seat}" for seat in range(position.players)]
        words = {own.move: scored.words(puzzle.move_of(own)) for own in puzzle.candidates}
        return {
            "type": "puzzle",
            "number": self._total - len(self._left),
            "total": self._total,
            "moves": [[move, words[move]] for move in choices],
            "position": StudyPage(puzzle.table).message(position, names, practice=True),
        }

    def answer(self, move: str) -> dict[str, Any]:
        """How good a move is; the answer is kept. Raises Refused, MasonsError, OSError."""
        puzzle = self._puzzle
        if puzzle is None:
            raise Refused("state", "there is no puzzle to answer")
        chosen = next((own for own in puzzle.candidates if own.move == move), None)
        if chosen is None:
            raise Refused("illegal", "answer.move is none of the moves of the puzzle")
        found = chosen.is_right
        if not self._own:
            keep_answer(progress_path(), puzzle.id, date.today(), is_solved=found)
        self._puzzle = None
        self.found += found
        scored = ScoredView(puzzle.table, puzzle.view.position)
        return {
            "type": "solved",
            "found": found,
            "title": answer_title(puzzle, chosen),
            "words": why_missed(puzzle, chosen),
            "choices": [
                {
                    "move": own.move,
                    "words": scored.words(puzzle.move_of(own)),
                    "win": own.win,
                    "interval": own.interval,
                    "loss": own.loss,
                    "loss_interval": own.loss_interval,
                    "is_equal": own.is_equal,
                    "yours": own is chosen,
                    "played": own.move == puzzle.played,
                }
                for own in puzzle.candidates
            ],
        }
