"""The puzzles of a page, which are bundled puzzles or the mistakes of reviewed games."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from masons.ai.practice.progress import keep_answer, progress_path, read_progress
from masons.ai.practice.puzzles import Puzzle, bundled, missed_by, mistakes, puzzle_of
from masons.engine.board.geometry import builtin_boards
from masons.engine.formats.move_text import parse_move
from masons.gui.background import Declined
from masons.gui.explanation_messages import why_of
from masons.gui.position_messages import names_for, study_position
from masons.match.playing.kept_games import people_in
from masons.protocol.messages.error_codes import Refused
from masons.words.scored_view import ScoredView

if TYPE_CHECKING:
    from masons.ai.review.review_work import Work
    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position

LatePuzzle = Callable[[], Puzzle | None]
"""A function that makes and returns a puzzle, or returns None if it cannot be made."""


class PracticeSession:
    """The puzzles of one page.

    The results of bundled puzzles are saved in the file of the command `practice`.
    """

    def __init__(
        self, board: Board, puzzles: Sequence[LatePuzzle] | None = None, *, daily: bool = False
    ) -> None:
        """Begin with the given puzzles, or with the bundled puzzles if `puzzles` is None.

        With `daily`, the puzzle of the day is the first of the bundled puzzles. Raises MasonsError
        or OSError.
        """
        self._is_bundled = puzzles is None
        if puzzles is None:
            if board.name not in builtin_boards():
                text = f"there are no puzzles on the board {board.name}"
                raise Declined("illegal", text, "noPuzzles", board=board.name)
            made = {puzzle.id: puzzle for puzzle in bundled(board)}
            # The easiest puzzles come first: those whose best move is farthest ahead of the second.
            ids = sorted(made, key=lambda each: -made[each].candidates[1].loss)
            due = read_progress(progress_path()).order(ids, date.today())
            if daily:
                first = daily_puzzle(board).id
                due = [first, *(each for each in due if each != first)]
            puzzles = [partial(made.__getitem__, each) for each in due]
        self._left = list(puzzles)
        self._total = len(self._left)
        self._puzzle: Puzzle | None = None
        self.view: Position | None = None  # the position of the last puzzle

    def take(self) -> Puzzle | None:
        """Make and return the next puzzle, or None if none is left.

        This may take seconds. A mistake is left out if new games between engines do not confirm it.
        """
        self._puzzle = None
        while self._left and self._puzzle is None:
            self._puzzle = self._left.pop(0)()
            self._total -= self._puzzle is None
        return self._puzzle

    def question(self, puzzle: Puzzle | None) -> dict[str, Any]:
        """Return the `puzzle` message, which does not reveal the values of the moves."""
        if puzzle is None:
            return {"type": "puzzle", "number": self._total, "total": self._total, "moves": None}
        position = self.view = puzzle.view.position
        scored = ScoredView(puzzle.table, position)
        moves = [[each.move, scored.facts(puzzle.move_of(each))] for each in puzzle.candidates]
        random.Random(puzzle.id).shuffle(moves)
        names = names_for(position.players, position.seat)
        return {
            "type": "puzzle",
            "number": self._total - len(self._left),
            "total": self._total,
            "moves": moves,
            "position": study_position(puzzle.table, position, names, practice=True),
        }

    def answer(self, move: str) -> dict[str, Any]:
        """Return the verdict on a move, and save the result. Raises MasonsError or OSError."""
        puzzle = self._puzzle
        if puzzle is None:
            raise Refused("state", "there is no puzzle to answer")
        chosen = next((each for each in puzzle.candidates if each.move == move), None)
        if chosen is None:
            raise Refused("illegal", "answer.move is not one of the moves of the puzzle")
        if self._is_bundled:
            keep_answer(progress_path(), puzzle.id, date.today(), is_solved=chosen.is_right)
        self._puzzle = None
        scored, missed = ScoredView(puzzle.table, puzzle.view.position), missed_by(puzzle, chosen)
        return {
            "type": "solved",
            "found": chosen.is_right,
            "why": missed and why_of(missed),
            "choices": [
                {
                    **asdict(each),
                    "facts": scored.facts(puzzle.move_of(each)),
                    "is_equal": each.is_equal,
                    "yours": each is chosen,
                    "played": each.move == puzzle.played,
                }
                for each in puzzle.candidates
            ],
        }


def daily_puzzle(board: Board) -> Puzzle:
    """Return the puzzle of the day, which is about a wall. Raises MasonsError."""
    puzzles = [each for each in bundled(board) if each.view.position.phase == "wall"]
    return puzzles[date.today().toordinal() % len(puzzles)]


def mistake_puzzles(review: Work) -> list[LatePuzzle]:
    """Return the mistakes of people in a finished review as puzzles."""
    people = people_in(review.timeline.names)
    return [
        partial(
            puzzle_of,
            review.timeline,
            index,
            review.verdicts[index].moves,
            review.settings.seed,
            [parse_move(move) for move in review.verdicts[index].equal],
        )
        for index in mistakes(review)
        if review.timeline.steps[index].seat in people
    ]
