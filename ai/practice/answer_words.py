"""An answer to a puzzle in words: what it loses, and why."""

from __future__ import annotations

from typing import Final

from masons.ai.explain.reasons import difference
from masons.ai.practice.puzzles import Candidate, Puzzle
from masons.ai.search.limits import Limits
from masons.ai.session import Session
from masons.engine.plain_words import percent, within

# Of the games behind the words alone: what a choice loses was measured before.
_LIMITS: Final = Limits(sims=200, rollouts=3000)
_SEED: Final = 1


def answer_title(puzzle: Puzzle, chosen: Candidate) -> str:
    """How good a choice is, with the loss that stands in the table."""
    if chosen is puzzle.candidates[0]:
        return "The best move."
    lost = f"{percent(chosen.loss)} {within(chosen.loss_interval)} %"
    if chosen.is_equal:
        return f"Not told apart from the best: the difference is {lost}."
    return f"Good: it loses {lost}." if chosen.is_right else f"It loses {lost} against the best."


def why_missed(puzzle: Puzzle, chosen: Candidate) -> list[str]:
    """What the best move has over the choice; nothing where that is right."""
    if chosen.is_right:
        return []
    best, missed = puzzle.move_of(puzzle.candidates[0]), puzzle.move_of(chosen)
    session = Session(puzzle.table, seed=_SEED)
    session.search(puzzle.view, limits=_LIMITS, only=[best, missed], also=[missed])
    apart = None if session.rollout is None else difference(session.rollout, best, missed)
    names = [f"seat {seat}" for seat in range(puzzle.view.players)]
    return [] if apart is None else apart.words(names)
