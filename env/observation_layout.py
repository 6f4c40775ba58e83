"""The parts of an observation by name, and the board as a graph.

`masons.env.stepping.observation_words` names the features; here they become views.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.components import CARDS, MAX_PLAYERS
from masons.engine.board.geometry import Board
from masons.env.stepping import observation_words as words
from masons.env.stepping.observation_words import Feature

Bytes = NDArray[np.uint8]
Scalar = TypeVar("Scalar", bound=np.generic)

_WORD: Final = 8


class Features(NamedTuple):
    """An observation by its parts: views, with the axes before the last as they were."""

    game: Any  # [..., features]
    seats: Any  # [..., 4, features]: the seat that decides, then clockwise
    kinds: Any  # [..., 30, features]: the kinds of card, in the order of the rules
    spaces: Any  # [..., spaces, features]
    lines: Any  # [..., lines, features]
    towers: Any  # [..., tower spaces, features]
    beliefs: Any = None  # [..., 4, 30]: where they were asked for


class Graph(NamedTuple):
    """What lies beside what on the board; -1 where there is nothing."""

    space_lines: NDArray[np.int64]  # [spaces, 3]
    space_towers: NDArray[np.int64]  # [spaces, 3]
    line_spaces: NDArray[np.int64]  # [lines, 2]
    line_towers: NDArray[np.int64]  # [lines, 2]
    space_region: NDArray[np.int64]  # [spaces]: from 1
    tower_shore: NDArray[np.bool_]  # [tower spaces]
    tower_xy: NDArray[np.float64]  # [tower spaces, 2]: in sides of a triangle, y growing southwards


class Section(NamedTuple):
    """A part of an observation: `records` of some bytes each, the first of which are features."""

    name: str
    begin: int  # its first byte
    records: int
    record: int  # bytes from a record to the next
    features: tuple[Feature, ...]


def graph_of(board: Board) -> Graph:
    """The graph of a board."""

    def numbers(rows: object) -> NDArray[np.int64]:
        return np.array(rows, dtype=np.int64)

    beside = [[-1 if space is None else space for space in pair] for pair in board.line_spaces]
    return Graph(
        numbers(board.space_lines), numbers(board.space_towers), numbers(beside),
        numbers(board.line_towers), numbers(board.space_region),
        np.array(board.tower_shore), np.array(board.tower_xy),
    )  # fmt: skip


def _sections(board: Board, *, beliefs: bool) -> tuple[Section, ...]:
    spaces, lines, towers = len(board.space_lines), len(board.line_spaces), len(board.tower_xy)
    lines_word, towers_word = words.lines_word(spaces), words.towers_word(spaces, lines)
    beliefs_word = words.beliefs_word(spaces, lines, towers)
    optional = Section(
        "beliefs", _WORD * beliefs_word, MAX_PLAYERS, words.BELIEF_BYTES, words.BELIEFS
    )
    return (
        Section("game", 0, 1, words.GAME_BYTES, words.GAME),
        Section("seats", _WORD * words.SEATS_WORD, MAX_PLAYERS, words.SEAT_BYTES, words.SEATS),
        Section("kinds", _WORD * words.KINDS_WORD, len(CARDS), words.KIND_BYTES, words.KINDS),
        Section("spaces", _WORD * words.SPACES_WORD, spaces, words.SPACE_BYTES, words.SPACES),
        Section("lines", _WORD * lines_word, lines, words.LINE_BYTES, words.LINES),
        Section("towers", _WORD * towers_word, towers, words.TOWER_BYTES, words.TOWERS),
        *([optional] if beliefs else []),
    )


class ObservationLayout:
    """What the bytes of an observation on a board mean, with or without `beliefs`."""

    def __init__(self, board: Board, *, beliefs: bool = False) -> None:
        self.sections = _sections(board, beliefs=beliefs)
        """The parts, in order."""
        spaces, lines = len(board.space_lines), len(board.line_spaces)
        sizes = spaces, lines, len(board.tower_xy)
        self.words = words.observation_words(*sizes, beliefs=beliefs)
        """The size in words of 64 bits."""
        self.size = _WORD * self.words
        """The size in bytes."""
        self.beliefs_word = words.beliefs_word(*sizes) if beliefs else 0
        """The word that the beliefs begin at; 0: there are none."""
        self.most: Bytes = np.zeros(self.size, dtype=np.uint8)
        """uint8[size]: the greatest value of each byte; 0 for those that are never used."""
        for part, view in zip(self.sections, self.features(self.most), strict=False):
            view[...] = [feature.most for feature in part.features]

    def features(self, observation: Any) -> Features:
        """The parts of observations: an array (or a tensor) whose last axis is an observation."""
        ahead = tuple(observation.shape[:-1])
        views = []
        for part in self.sections:
            view = observation[..., part.begin : part.begin + part.records * part.record]
            if part.name != "game":
                view = view.reshape((*ahead, part.records, part.record))
            views.append(view[..., : len(part.features)])
        return Features(*views)

    def records(self, observation: NDArray[Scalar]) -> dict[str, NDArray[Scalar]]:
        """The parts of one observation by name, each with all its bytes: views [records, bytes].

        Unlike those of `features` they make up the whole, those bytes included that are never used.
        """
        begins = [part.begin for part in self.sections]
        return {
            part.name: observation[part.begin : end]
            for part, end in zip(self.sections, [*begins[1:], self.size], strict=True)
        }

    def names(self) -> list[str]:
        """A name for each byte: `spaces.12.red-houses`; empty for those that are never used."""
        found = [""] * self.size
        for part in self.sections:
            for number in range(part.records):
                at = part.begin + number * part.record
                for feature in part.features:
                    place = "" if part.name == "game" else f".{number}"
                    found[at] = f"{part.name}{place}.{feature.name}"
                    at += 1
        return found
