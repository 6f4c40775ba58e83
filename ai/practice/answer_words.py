"""An answer to a puzzle in words: what it loses, and why."""

from __future__ import annotations

from typing import Final

from masons.ai.explain.explanation import differences
from masons.ai.explain.why_words import why_words
from masons.ai.practice.puzzles import Candidate, Puzzle
from masons.ai.session import analyse
from masons.engine.plain_words import percent, spread

# Of the search behind the words alone: what a choice loses was measured with far more.
_SIMS: Final = 500
_SEED: Final = 1


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
    """What the best move has over the choice; nothing where that is as good."""
    if puzzle.is_found(chosen):
        return []
    table, view, (played, best) = puzzle.table, puzzle.view, puzzle.verdict(chosen).moves
    found = analyse(table, view, sims=_SIMS, seed=_SEED, only=[best, played], top=0)
    (apart,) = differences(table, view, found, [(best, played)], seed=_SEED)
    return why_words(apart, [f"seat {seat}" for seat in range(view.players)])
