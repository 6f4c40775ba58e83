"""Puzzles: decisions as the deciding seats see them, with the values of their best moves.

The candidates of a puzzle are the moves that were measured: after each of them, games were played
to the end from the same determinizations (see `masons.ai.rollout`). In a bundled puzzle, the best
candidate beats all other moves of the decision, and only it is right. A puzzle from a game may have
several right answers. The module also puts the answers into words.
`benchmarks/ruler/practice_positions.py` makes the puzzles that come with the program.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from importlib.resources import files
from typing import Any, Final

from masons.ai.explain.explanation import Difference, difference
from masons.ai.review.decision_loss import MARKED, MARKS, LossVerdict
from masons.ai.review.review_work import Work
from masons.ai.review.timeline import Timeline
from masons.ai.rollout.evidence import NORMAL
from masons.ai.search.limits import Limits
from masons.ai.session import Session, analyze
from masons.engine.board.geometry import Board
from masons.engine.errors import READ_ERRORS, MasonsError
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.plain_text import percent, spread
from masons.words.scored_view import ScoredView

FORMAT: Final = "masons-practice"
VERSION: Final = 3
ANSWERS: Final = 6
_SIMS: Final = 2000
_GAMES: Final = 12_000  # half of these games find the best moves, the others measure the answers
_QUICK: Final = 3000  # games that measure one more answer
_SEED: Final = 1
_LEAST_LOSS: Final = min(loss for loss, _ in MARKS)  # smallest loss of a wrong answer
_ID: Final = 12
_DECIMALS: Final = 4


@dataclass(frozen=True)
class Candidate:
    """A move and its value for the seat that decides; probabilities range from 0 to 1.

    Intervals are half widths of 95 % confidence intervals. `loss` is the difference from the best
    candidate, and 0 for the best candidate itself.
    """

    move: str
    win: float
    interval: float
    loss: float
    loss_interval: float

    @property
    def is_equal(self) -> bool:
        """True if the candidate cannot be distinguished from the best one."""
        return self.loss <= self.loss_interval

    @property
    def is_right(self) -> bool:
        """True if the loss is not significant, or smaller than the loss of an inaccuracy."""
        return self.is_equal or self.loss < _LEAST_LOSS


@dataclass(frozen=True)
class Puzzle:
    """A decision with its candidates, best first."""

    id: str
    table: Table
    position: str  # the text of the deciding seat's view
    candidates: tuple[Candidate, ...]
    played: str = ""  # the move played in the user's game, if the puzzle comes from one
    rating: int | None = None  # of a bundled puzzle, on the scale of `PracticeProgress.rating`
    themes: tuple[str, ...] = ()

    @cached_property
    def view(self) -> Observation:
        """The view of the seat that decides, without the actions before."""
        return self.table.view(parse_position(self.position, self.table.board)[1])

    @property
    def kind(self) -> str:
        """The phase of the decision, or `pieces` for towers and houses."""
        return kind_of(self.position.partition(" phase=")[2].partition(" ")[0])

    @property
    def is_own(self) -> bool:
        """True if the puzzle is a mistake of the user."""
        return bool(self.played)

    @staticmethod
    def move_of(candidate: Candidate) -> Move:
        """Return the move of a candidate."""
        return parse_move(candidate.move)

    def listed(self, move: str) -> Candidate | None:
        """Return the candidate for a legal move, or None if it was not measured.

        In the final scoring, moves that name cities with the same score are the same move. Raises
        MasonsError for an illegal move.
        """
        state = self.view.state
        if not self.table.is_legal(state, parse_move(move)):
            raise MasonsError(self.table.refusal(state, parse_move(move)))
        listed = str(self.table.listed_as(state, move))
        return next((each for each in self.candidates if each.move in (move, listed)), None)

    def answer(self, move: str) -> Candidate | None:
        """Return the candidate for a legal move, or None if it is wrong and was not measured.

        In a puzzle from a game, a move that is no candidate is measured now, against the best one.
        Raises MasonsError for an illegal move.
        """
        listed = self.listed(move)
        if listed is not None or not self.is_own:
            return listed
        best = self.candidates[0]
        moves = [self.move_of(best), parse_move(move)]
        answers = {
            each.move: each for each in measured(self.table, self.view, moves, _QUICK, _SEED)
        }
        return _against(answers[move], answers[best.move], best.win)

    def to_data(self) -> dict[str, Any]:
        """Return this puzzle as a dict that can be written as JSON, and read by `puzzle_from`."""
        answers = [astuple(candidate) for candidate in self.candidates]
        data: dict[str, Any] = {"id": self.id, "position": self.position, "candidates": answers}
        if self.rating is not None:
            data |= {"rating": self.rating, "themes": self.themes}
        return data | ({"played": self.played} if self.played else {})


def kind_of(phase: str) -> str:
    """Return the kind of a puzzle: its phase, or `pieces` for towers and houses."""
    return "pieces" if phase in ("towers", "houses") else phase


def measured(
    table: Table, view: Observation, moves: Sequence[Move], games: int, seed: int
) -> tuple[Candidate, ...]:
    """Return moves as candidates, best first, after playing about `games` games in all.

    All moves get the same number of games.
    """
    limits = Limits(sims=_SIMS, rollouts=games)
    rows = analyze(table, view, limits=limits, seed=seed, only=moves, also=moves[1:], top=0).moves
    return tuple(
        Candidate(
            str(row.move),
            *(
                round(figure or 0.0, _DECIMALS)
                for figure in (row.win, row.interval, row.loss, row.loss_interval)
            ),
        )
        for row in rows
    )


def bundled(board: Board) -> list[Puzzle]:
    """Return the puzzles that come with the program."""
    file = files("masons.ai.practice").joinpath("data/puzzles.json.gz")
    return puzzles_from(gzip.decompress(file.read_bytes()).decode("utf-8"), board)


def puzzles_from(text: str, board: Board) -> list[Puzzle]:
    """Return the puzzles in a text. Raises MasonsError if the text contains no puzzles."""
    table = Table(board)
    try:
        data = json.loads(text)
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise MasonsError("it holds no puzzles")
        return [puzzle_from(puzzle, table) for puzzle in data["puzzles"]]
    except READ_ERRORS:
        raise MasonsError("it holds no puzzles") from None


def puzzle_from(data: Mapping[str, Any], table: Table) -> Puzzle:
    """Return a puzzle from its data. Raises one of READ_ERRORS for other data."""
    best, *others = (Candidate(*answer) for answer in data["candidates"])
    candidates = best, *sorted(others, key=lambda each: each.loss)
    return Puzzle(
        str(data["id"]), table, str(data["position"]), candidates, data.get("played", ""),
        data.get("rating"), tuple(data.get("themes", ())),
    )  # fmt: skip


def own_puzzles(data: Iterable[Mapping[str, Any]], table: Table) -> list[Puzzle]:
    """Return stored mistakes as puzzles, without those that are damaged or of another board."""
    puzzles = []
    for each in data:
        with suppress(*READ_ERRORS):
            puzzle = puzzle_from(each, table)
            legal = table.legal_moves(puzzle.view.state)
            if all(puzzle.move_of(answer) in legal for answer in puzzle.candidates):
                puzzles.append(puzzle)
    return puzzles


def mistakes(work: Work) -> list[int]:
    """Return the step indices of the marked decisions in a reviewed game, costliest first."""
    marked = [index for index, verdict in work.verdicts.items() if verdict.mark in MARKED]
    return sorted(marked, key=lambda index: -work.verdicts[index].difference)


def id_of(timeline: Timeline, index: int) -> str:
    """Return the puzzle id of a decision; equal positions have equal ids."""
    return hashlib.sha256(_position(timeline, index).encode()).hexdigest()[:_ID]


def _position(timeline: Timeline, index: int) -> str:
    return format_position(timeline.observe(index).position, timeline.table.board)


@dataclass(frozen=True)
class Mistake:
    """A marked decision, with what its review has measured."""

    played: Move
    best: Move
    loss: float
    interval: float  # half width of the 95 % interval of the loss; 0 if that is unknown
    equal: tuple[Move, ...] = ()  # moves that can't be told apart from the best one

    @classmethod
    def of(cls, verdict: LossVerdict) -> Mistake:
        """Return the mistake on which a review has given its verdict."""
        interval = NORMAL * verdict.error
        equal = tuple(parse_move(move) for move in verdict.equal)
        return cls(*verdict.moves, verdict.difference, interval, equal)

    def candidate(self, best: Candidate) -> Candidate:
        """Return the move played as a candidate, with the loss that the review has measured."""
        win = round(max(best.win - self.loss, 0.0), _DECIMALS)
        loss, interval = (round(figure, _DECIMALS) for figure in (self.loss, self.interval))
        return Candidate(str(self.played), win, best.interval, loss, interval)


def puzzle_of(timeline: Timeline, index: int, mistake: Mistake, seed: int) -> Puzzle | None:
    """Return the decision of step `index` as a puzzle.

    The loss of the move played is the one that the review has measured, so the best move is given
    at least that win probability. New games measure only the other moves: those equal to the best,
    and the best ones of a new analysis. Returns None if they find a move that is clearly better
    than the review's best.
    """
    table, view = timeline.table, timeline.observe(index)
    limits = Limits(sims=_SIMS, rollouts=_GAMES // 2)
    first = analyze(table, view, limits=limits, seed=seed, top=0).moves
    moves = dict.fromkeys([mistake.best, *mistake.equal, *(stats.move for stats in first)])
    tried = [move for move in moves if move != mistake.played][: ANSWERS - 1]
    if not mistake.interval:
        tried.append(mistake.played)
    answers = measured(table, view, tried, _GAMES // 2, seed + 1)
    best = next(answer for answer in answers if answer.move == str(mistake.best))
    if not best.is_right:
        return None
    win = max(best.win, round(mistake.loss, _DECIMALS)) if mistake.interval else best.win
    others = [_against(answer, best, win) for answer in answers if answer is not best]
    best = replace(best, win=win)
    if mistake.interval:
        others.append(mistake.candidate(best))
    others.sort(key=lambda answer: answer.loss)
    candidates = (replace(best, loss=0.0, loss_interval=0.0), *others)
    played = str(mistake.played)
    return Puzzle(id_of(timeline, index), table, _position(timeline, index), candidates, played)


def _against(answer: Candidate, best: Candidate, win: float) -> Candidate:
    """Return a candidate with its loss against the best move known, and not that of new games.

    What these found better can't be told apart from it. `win` is the best move's win probability,
    from which the loss is taken.
    """
    loss = round(max(answer.loss - best.loss, 0.0), _DECIMALS)
    interval = max(answer.loss_interval, best.loss_interval)
    return replace(
        answer, win=round(max(win - loss, 0.0), _DECIMALS), loss=loss, loss_interval=interval
    )


# These limits apply only to the games for explanations, because losses were measured before.
_LIMITS: Final = Limits(sims=200, rollouts=_QUICK)


def answer_title(puzzle: Puzzle, chosen: Candidate) -> str:
    """Return a sentence about the chosen move and its loss."""
    if chosen is puzzle.candidates[0]:
        return "The best move."
    lost = f"{percent(chosen.loss)} {spread(chosen.loss_interval)} %"
    if chosen.is_equal:
        return f"Can't be told apart from the best: the difference is {lost}."
    if chosen.is_right:
        return f"Good: you win only {lost} less often than with the best."
    return f"You win {lost} less often than with the best move."


def compared(puzzle: Puzzle, move: Move) -> Difference | None:
    """Return the difference between the best move and another, after playing some games.

    If `move` is the best move itself, the other move is the one whose cards score most in this
    turn, if it scores more and there is a reason against it, else the second-best.
    """
    best, second, *others = (puzzle.move_of(each) for each in puzzle.candidates)
    if move != best:
        return _compared(puzzle, best, [move])[0]
    scored, legal = ScoredView(puzzle.table, puzzle.view.position), puzzle.table.legal_moves
    moves = [best, second, *others, *legal(puzzle.view.state)]
    most = max(moves, key=lambda each: sum(scored.move_points(each)))
    rivals = [second] if most in (best, second) else [most, second]
    splits = _compared(puzzle, best, rivals)
    return next((split for split in splits if split and split.given_up), splits[-1])


def _compared(puzzle: Puzzle, best: Move, moves: Sequence[Move]) -> list[Difference | None]:
    """Return the differences between the best move and some others, with losses that are known."""
    session = Session(puzzle.table, seed=_SEED)
    session.search(puzzle.view, limits=_LIMITS, only=[best, *moves], also=moves)
    known = {puzzle.move_of(each): each for each in puzzle.candidates}
    splits = []
    for move in moves:
        split = None if session.rollout is None else difference(session.rollout, best, move)
        if split is not None and (before := known.get(move)) is not None:
            split = replace(split, win=before.loss, win_interval=before.loss_interval)
        splits.append(split)
    return splits


def why_best(puzzle: Puzzle, chosen: Candidate) -> list[str]:
    """Return the advantages of the best move over the choice, or if that is it, over another."""
    split = compared(puzzle, puzzle.move_of(chosen))
    if split is None:
        return []
    said = split.words([f"seat {number}" for number in range(puzzle.view.players)])
    is_chosen = str(split.other) == chosen.move
    if split.given_up:
        scores = f"{'Your move' if is_chosen else 'It'} scores {round(split.given_up, 1):g} more"
        said = [f"{scores} in this turn, but with the best one:", *said]
    if is_chosen or split.is_even:
        return said
    words = ScoredView(puzzle.table, puzzle.view.position).words(split.other)
    return [f"Compared with: {words}.", *said]
