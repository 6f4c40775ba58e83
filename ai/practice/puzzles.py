"""Puzzles: a decision, what its seat saw, and what a few moves are worth.

A puzzle's candidates are worth what a search says that sees what the seat sees; all of them were
searched and played on alike, with the same luck. Those that come with the program were checked by
games played on to their ends, too (`benchmarks/ruler/practice_positions.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from masons.ai.review.decision_loss import MARKS, SURE, Verdict
from masons.ai.review.review_work import Work
from masons.ai.search.known_error import NORMAL
from masons.ai.search.limits import Limits
from masons.ai.search.results import WIDEST, MoveStats
from masons.ai.session import analyse
from masons.engine.board.geometry import Board
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table

FORMAT: Final = "masons-practice"
VERSION: Final = 1
_CANDIDATES: Final = 6
_ID: Final = 12
_DECIMALS: Final = 5


@dataclass(frozen=True)
class Candidate:
    """A move and what it is worth to the seat that decides; probabilities from 0 to 1."""

    move: str
    win: float
    error: float  # the standard error of what it loses against the best; of that one, of `win`
    scores: tuple[float, ...]  # expected final score of each seat


@dataclass(frozen=True)
class Puzzle:
    """A decision; the candidates are sorted, the best first."""

    id: str
    table: Table
    view: Observation
    candidates: tuple[Candidate, ...]
    played: str = ""  # the move that was played, in a game of one's own

    @staticmethod
    def move_of(candidate: Candidate) -> Move:
        """The move of a candidate."""
        return parse_move(candidate.move)

    def verdict(self, chosen: Candidate) -> Verdict:
        """What a choice costs against the best candidate."""
        best = self.candidates[0]
        return Verdict(
            played=chosen.move, best=best.move, win_played=chosen.win, win_best=best.win,
            difference=best.win - chosen.win,
            error=0.0 if chosen is best else chosen.error,
            scores_played=chosen.scores, scores_best=best.scores,
        )  # fmt: skip

    def is_found(self, chosen: Candidate) -> bool:
        """Whether a choice is as good as the best: less lost than an inaccuracy, or unsure."""
        verdict = self.verdict(chosen)
        least = min(loss for loss, _ in MARKS)
        return verdict.difference < max(least, SURE * verdict.error)


def candidate_of(stats: MoveStats) -> dict[str, Any]:
    """What a search of all candidates found of one of them, as plain data."""
    error = stats.loss_interval / NORMAL if stats.loss_interval else stats.error
    return {
        "move": str(stats.move),
        "win": round(stats.win, _DECIMALS),
        "error": round(WIDEST if error is None else error, _DECIMALS),
        "scores": [round(score, 2) for score in stats.scores],
    }


def bundled(board: Board) -> list[Puzzle]:
    """The puzzles that come with the program."""
    text = files("masons.ai.practice").joinpath("data/positions.json").read_text(encoding="utf-8")
    return puzzles_from(text, board)


def puzzles_from(text: str, board: Board) -> list[Puzzle]:
    """Puzzles of a file. Raises MasonsError for a text that holds none."""
    table = Table(board)
    try:
        data = json.loads(text)
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise MasonsError("it holds no puzzles")
        return [_puzzle(table, own) for own in data["puzzles"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise MasonsError("it holds no puzzles") from None


def _puzzle(table: Table, data: Mapping[str, Any]) -> Puzzle:
    _, position = parse_position(data["position"], table.board)
    candidates = [
        Candidate(own["move"], float(own["win"]), float(own["error"]), tuple(own["scores"]))
        for own in data["candidates"]
    ]
    for own in candidates:
        parse_move(own.move)
    return Puzzle(str(data["id"]), table, table.view(position), _sorted(candidates))


def _sorted(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    return tuple(sorted(candidates, key=lambda own: -own.win))


def mistakes(work: Work) -> list[int]:
    """The steps of a reviewed game whose decisions have a mark, the dearest first."""
    marks = [name for _, name in MARKS]
    found = [index for index, verdict in work.verdicts.items() if verdict.mark in marks]
    return sorted(found, key=lambda index: -work.verdicts[index].loss)


def id_of(work: Work, index: int) -> str:
    """The name of a decision as a puzzle: the same wherever the position comes up."""
    text = format_position(work.timeline.observe(index).position, work.timeline.table.board)
    return hashlib.sha256(text.encode()).hexdigest()[:_ID]


def puzzle_of(work: Work, index: int, limits: Limits) -> Puzzle:
    """The decision of step `index` as a puzzle: the best moves, and the one played."""
    table, view = work.timeline.table, work.timeline.observe(index)
    verdict = work.verdicts[index]
    seed = limits.seed or 0
    first = analyse(table, view, limits=limits.part(1, 2), seed=seed, top=0).moves
    moves: list[Move] = [*verdict.moves, *(stats.move for stats in first)]
    chosen = list(dict.fromkeys(moves))[:_CANDIDATES]
    found = analyse(
        table, view, limits=limits.part(1, 2), seed=seed + 1, only=chosen, also=chosen, top=0
    ).moves
    candidates = [Candidate(**candidate_of(stats)) for stats in found]
    return Puzzle(
        id_of(work, index), table, view,
        _sorted(candidates), verdict.played,
    )  # fmt: skip
