"""An answer to a puzzle in words: what it loses, and why."""

from __future__ import annotations

from typing import Final

from masons.ai.practice.puzzles import Candidate, Puzzle
from masons.ai.review.move_facts import facts_of
from masons.ai.review.reasons import reasons
from masons.engine.plain_words import percent, spread

_FACTS_SEED: Final = 1


def answer_title(puzzle: Puzzle, chosen: Candidate) -> str:
    """How good a choice is."""
    verdict = puzzle.verdict(chosen)
    if chosen is puzzle.candidates[0]:
        return "The best move."
    lost = f"{percent(verdict.difference)} {spread(verdict.error)} %"
    if not puzzle.is_found(chosen):
        return f"Loses {lost} against the best."
    if verdict.loss:
        return f"Good: it loses {lost}."
    return "As good as the best, as far as can be told."


def why_missed(puzzle: Puzzle, chosen: Candidate) -> list[str]:
    """The reasons of a review; none for a choice that is as good as the best."""
    if puzzle.is_found(chosen):
        return []
    verdict, view = puzzle.verdict(chosen), puzzle.view
    names = [f"seat {seat}" for seat in range(view.players)]
    played, best = (facts_of(puzzle.table, view, move, _FACTS_SEED) for move in verdict.moves)
    return reasons(view.seat, names, verdict, played, best)
