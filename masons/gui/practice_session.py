"""The puzzles of a page, which are bundled puzzles or the mistakes of reviewed games."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from masons.ai.practice.progress import (
    DAYS,
    Card,
    PracticeProgress,
    keep_answer,
    progress_path,
    read_progress,
)
from masons.ai.practice.puzzles import (
    Candidate,
    Mistake,
    Puzzle,
    bundled,
    compared,
    mistakes,
    own_puzzles,
    puzzle_of,
)
from masons.engine.board.geometry import builtin_boards
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import parse_move
from masons.engine.game.table import Table
from masons.gui.background import Declined
from masons.gui.explanation_messages import why_of
from masons.gui.position_messages import names_for, study_position
from masons.match.playing.kept_games import people_in
from masons.protocol.messages.error_codes import Refused
from masons.words.scored_view import ScoredView

if TYPE_CHECKING:
    from masons.ai.explain.explanation import Difference
    from masons.ai.review.review_work import Work
    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position

_HARD: Final = 1700  # the highest rating of a puzzle of the day
_MOST_DAYS: Final = 60  # of the curve of ratings

LatePuzzle = Callable[[], Puzzle | None]
"""A function that makes and returns a puzzle, or returns None if it cannot be made."""


class PracticeSession:
    """The puzzles of one page, whose results are saved in the file of the command `practice`."""

    def __init__(
        self, board: Board, late: Sequence[LatePuzzle] | None = None, *, daily: bool = False,
        theme: str = "",
    ) -> None:  # fmt: skip
        """Begin with the given puzzles, or if `late` is None with those that come with the program.

        The latter include the user's mistakes that are due. The puzzle of the day comes first if it
        is new, or with `daily`. `theme` leaves out the puzzles without it. Raises MasonsError or
        OSError.
        """
        self._late = list(late or ())
        self._is_own = late is not None
        self._pool: dict[str, Puzzle] = {}
        self._progress = read_progress(progress_path())
        self._daily = ""
        if late is None:
            self._fill(board, theme)
            today = daily_puzzle(board).id
            is_first = daily or not (theme or today in self._progress.cards)
            self._daily = today if is_first else ""
        self._left = len(self._late) + len(self._next(all_due=True))
        self._number = 0
        self._puzzle: Puzzle | None = None
        self.view: Position | None = None  # the position of the last puzzle

    def _fill(self, board: Board, theme: str) -> None:
        if board.name not in builtin_boards():
            text = f"there are no puzzles on the board {board.name}"
            raise Declined("illegal", text, "noPuzzles", board=board.name)
        table, mistakes_by_id = Table(board), self._progress.mistakes
        made = bundled(board)
        if theme:
            made = [puzzle for puzzle in made if theme in puzzle.themes]
        else:
            due = self._progress.due(mistakes_by_id, date.today())
            made += own_puzzles((mistakes_by_id[each] for each in due), table)
        self._pool = {puzzle.id: puzzle for puzzle in made}

    def _next(self, *, all_due: bool = False) -> list[str]:
        """Return the ids of the puzzles that are left, in the order in which they come."""
        ratings = {puzzle.id: puzzle.rating for puzzle in self._pool.values()}
        order = self._progress.order(ratings, date.today())
        return [self._daily] if self._daily and not all_due else order

    def take(self) -> Puzzle | None:
        """Make and return the next puzzle, or None if none is left.

        This may take seconds. A mistake is left out if new games between engines do not confirm it.
        """
        self._puzzle = None
        while self._late and self._puzzle is None:
            self._puzzle = self._late.pop(0)()
            self._left -= 1
        if self._puzzle is None and (ids := self._next()):
            self._puzzle = self._pool.pop(ids[0])
            self._left -= 1
        self._number += self._puzzle is not None
        return self._puzzle

    def question(self, puzzle: Puzzle | None) -> dict[str, Any]:
        """Return the `puzzle` message, which does not reveal the values of the moves."""
        about = {
            "type": "puzzle", "number": self._number, "total": self._number + self._left,
            "standing": _standing(self._progress), "is_daily": False, "is_own": False, "tries": 0,
        }  # fmt: skip
        if puzzle is None:
            return {**about, "is_own": self._is_own}
        is_daily, self._daily = puzzle.id == self._daily, ""
        position = self.view = puzzle.view.position
        names = names_for(position.players, position.seat)
        card = self._progress.cards.get(puzzle.id)
        shown = study_position(puzzle.table, position, names, practice=True)
        if walls := shown["moves"].get("walls"):  # which lines complete a city is to be seen
            shown["moves"] |= {"walls": dict.fromkeys(walls, 0), "closing": {}}
        return {
            **about,
            "is_daily": is_daily,
            "is_own": puzzle.is_own,
            "tries": card.attempts if card else 0,
            "position": shown,
        }

    def answer(self, move: str) -> tuple[dict[str, Any], Callable[[], dict[str, Any]]]:
        """Return the verdict on a move, and a function that adds the reasons, which takes longer.

        An empty `move` gives up: the puzzle is not solved, and the best move is shown. Saves
        the result. Raises MasonsError or OSError.
        """
        puzzle = self._puzzle
        if puzzle is None:
            raise Refused("state", "there is no puzzle to answer")
        chosen = puzzle.answer(move) if move else None
        is_solved = chosen is not None and chosen.is_right
        before = self._progress.rating
        card, self._progress = keep_answer(
            progress_path(), puzzle.id, date.today(), is_solved=is_solved, rating=puzzle.rating,
            mistake=puzzle.to_data() if puzzle.is_own else None,
        )  # fmt: skip
        self._puzzle = None
        is_rated = puzzle.rating is not None and card.attempts == 1
        message = {
            "type": "solved",
            "number": self._number,
            "is_solved": is_solved,
            "why": None,
            "is_whole": False,
            "choices": _choices(puzzle, move, chosen),
            "gain": round(self._progress.rating.rating) - round(before.rating)
            if is_rated
            else None,
            "rating": puzzle.rating,
            "themes": list(puzzle.themes),
            "days": DAYS[card.box],
            "standing": _standing(self._progress),
        }
        return message, partial(_explained, message, puzzle, move, chosen)


def _explained(
    message: dict[str, Any], puzzle: Puzzle, move: str, chosen: Candidate | None
) -> dict[str, Any]:
    """Return a `solved` message with the reasons for the best move."""
    tried = chosen.move if chosen else move or puzzle.candidates[0].move
    split = compared(puzzle, parse_move(tried))
    choices = _choices(puzzle, move, chosen, split)
    return {**message, "choices": choices, "why": split and why_of(split), "is_whole": True}


def _choices(
    puzzle: Puzzle, move: str, chosen: Candidate | None, split: Difference | None = None
) -> list[dict[str, Any]]:
    """Return the candidates, the chosen move and that of `split`, by their losses."""
    scored = ScoredView(puzzle.table, puzzle.view.position)
    yours = chosen.move if chosen else move
    measured = {each.move: each for each in (*puzzle.candidates, *([chosen] if chosen else []))}
    if split is not None and (other := str(split.other)) not in measured:
        best = puzzle.candidates[0]
        loss = max(split.win, 0.0)
        also = Candidate(other, max(best.win - loss, 0.0), best.interval, loss, split.win_interval)
        if other != yours or not also.is_equal:  # few games don't make a wrong answer equal
            measured[other] = also
    # Of equals, the best one stays first.
    ordered = sorted(measured.values(), key=lambda each: each.loss)
    figures = [{**asdict(each), "is_equal": each.is_equal} for each in ordered]
    if yours and yours not in measured:
        unknown = dict.fromkeys(("win", "interval", "loss", "loss_interval"))
        figures.append({"move": yours, **unknown, "is_equal": False})
    return [
        {
            **each,
            "facts": scored.facts(parse_move(each["move"])),
            "yours": each["move"] == yours,
            "played": each["move"] == puzzle.played,
        }
        for each in figures
    ]


def _standing(progress: PracticeProgress) -> dict[str, Any]:
    """Return the user's rating and successes."""
    rating, today = progress.rating, date.today()
    last = progress.days[-1] if progress.days else None
    return {
        "rating": round(rating.rating),
        "interval": round(rating.interval),
        "streak": progress.streak,
        "longest": progress.longest,
        "days": progress.days_in_a_row(today),
        "today": (last.solved, last.attempts) if last and last.day == str(today) else (0, 0),
    }


def puzzle_profile(board: Board) -> dict[str, Any] | None:
    """Return what the user has reached in puzzles, or None if that is nothing or unreadable."""
    try:
        progress = read_progress(progress_path())
        puzzles = bundled(board) if board.name in builtin_boards() else []
    except (MasonsError, OSError):
        return None
    if not progress.cards:
        return None
    themes: dict[str, list[Card]] = {}
    for puzzle in puzzles:
        if card := progress.cards.get(puzzle.id):
            for theme in puzzle.themes:
                themes.setdefault(theme, []).append(card)
    rows = [
        (theme, len(cards), round(100 * sum(each.solved for each in cards) / tries))
        for theme, cards in themes.items()
        if (tries := sum(each.attempts for each in cards))
    ]
    ids = [*progress.mistakes, *(puzzle.id for puzzle in puzzles)]
    return {
        "standing": _standing(progress),
        "days": [(day.day, day.rating) for day in progress.days[-_MOST_DAYS:]],
        "themes": sorted(rows, key=lambda row: row[2]),
        "due": len(progress.due(ids, date.today())),
    }


def daily_puzzle(board: Board, today: date | None = None) -> Puzzle:
    """Return the puzzle of a day (None: of today), a wall that is not too hard to find.

    Raises MasonsError.
    """
    walls = [each for each in bundled(board) if each.kind == "wall"]
    puzzles = [each for each in walls if (each.rating or 0) <= _HARD] or walls
    return puzzles[(today or date.today()).toordinal() % len(puzzles)]


def learners(names: Sequence[str]) -> Collection[int]:
    """Return the seats that a review is for: those of people, or all if no people played."""
    return people_in(names) or range(len(names))


def own_mistakes(review: Work) -> list[int]:
    """Return the step indices of the mistakes of `learners`, costliest first.

    The review is finished.
    """
    steps, seats = review.timeline.steps, learners(review.timeline.names)
    return [index for index in mistakes(review) if steps[index].seat in seats]


def mistake_puzzles(review: Work) -> list[LatePuzzle]:
    """Return the mistakes of `own_mistakes` as puzzles."""
    timeline, seed = review.timeline, review.settings.seed
    return [
        partial(puzzle_of, timeline, index, Mistake.of(review.verdicts[index]), seed)
        for index in own_mistakes(review)
    ]
