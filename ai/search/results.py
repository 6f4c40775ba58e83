"""What a search found out, in figures."""

from __future__ import annotations

from dataclasses import dataclass

from masons.engine.formats.move_text import Move


@dataclass(frozen=True)
class MoveStats:
    """What the search found out about one move.

    `visits` and `win` include what a session kept from earlier decisions. What is told of the
    other seats and of scores comes from the `sampled` iterations of this decision, and is empty
    where there are none.
    """

    move: Move
    visits: int
    win: float  # win probability of the seat that decides, from 0 to 1
    error: float  # its standard error
    sampled: int
    wins: tuple[float, ...]  # win probability of each seat
    scores: tuple[float, ...]  # expected final score of each seat
    line: tuple[str, ...]  # principal variation: moves, rolls, own draws; empty if not asked for


@dataclass(frozen=True)
class Analysis:
    """What the search found out about a position, for the seat that decides."""

    seat: int
    phase: str
    iterations: int  # of this decision
    kept: int  # iterations of earlier decisions that the trees still know of
    seconds: float
    tree_bytes: int
    moves: tuple[MoveStats, ...]  # best first: most visits
    wins: tuple[float, ...]  # over the iterations of this decision
    scores: tuple[float, ...]
    stopped: bool  # ended by Ctrl-C or `Stop`

    @property
    def best(self) -> Move:
        """The move with the most visits."""
        return self.moves[0].move
