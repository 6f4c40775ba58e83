"""The encoding of actions and observations on a board, and its fingerprint.

`masons.env.stepping.actions` describes the actions and the steps of a decision.
`masons.env.stepping.env_layout` describes the features of an observation. Data that were written in
one encoding are meaningless in another. Every data file therefore contains the fingerprint of its
encoding, and readers reject files with a different fingerprint.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.components import CARDS, HOUSE_COLORS, MAX_PLAYERS, TOWER_COLORS
from masons.engine.board.geometry import Board
from masons.engine.checks import refuse, shown, whole
from masons.engine.errors import MasonsError, MoveError
from masons.engine.formats.move_text import Move
from masons.engine.game.table import Table
from masons.engine.state import layout, packed_move
from masons.engine.state.position import byte_in, kinds
from masons.env.stepping import env_layout
from masons.env.stepping.actions import (
    DISCARDS,
    EARLY_ROLL_ACTION,
    HOUSES_ACTION,
    OTHER_ACTIONS,
    PLAYS,
    TOWERS_ACTION,
)
from masons.env.stepping.env_layout import Feature

# Increase this number if values change their meaning but features keep their names and places.
VERSION: Final = 1
_DIGITS: Final = 16  # length of a fingerprint
_WORD: Final = 8
ByteArray = NDArray[np.uint8]
Scalar = TypeVar("Scalar", bound=np.generic)

_NAMES: Final = (
    *(f"play:{card}" for card in CARDS),
    *(f"discard:{card}" for card in CARDS),
    *(f"tower:{color}" for color in TOWER_COLORS),
    *(f"house:{color}" for color in HOUSE_COLORS),
    "nothing",
    "early-roll",
)
assert len(_NAMES) == OTHER_ACTIONS


class ActionEncoding:
    """The actions on a board, which can be looked up by number or by name."""

    def __init__(self, board: Board) -> None:
        self._board = board
        lines, spaces = len(board.line_spaces), len(board.space_lines)
        self.cities = lines
        """The number of the first action that names a city."""
        self.others = lines + spaces
        """The number of the first action that names neither a line nor a city."""
        self.names: tuple[str, ...] = (
            *(f"wall:{line}" for line in range(lines)),
            *(f"city:{space}" for space in range(spaces)),
            *_NAMES,
        )
        """The name of each action."""
        self.count = len(self.names)
        self._numbers = {name: number for number, name in enumerate(self.names)}
        self.nothing = self._numbers["nothing"]
        """The number of the action that places nothing, names no card or city, or passes."""

    def name(self, action: object) -> str:
        """Return the name of an action. Raises MoveError for an unknown number."""
        number = whole(action)
        if number is None or not 0 <= number < self.count:
            raise MoveError(f"action is {shown(action)}: it must be from 0 to {self.count - 1}")
        return self.names[number]

    def number(self, name: object) -> int:
        """Return the number of the action with this name. Raises MoveError for an unknown name."""
        if not isinstance(name, str) or name not in self._numbers:
            raise MoveError(
                f"{shown(name)} is not an action: choose one of {self.names[0]} to {self.names[-1]}"
            )
        return self._numbers[name]

    def actions_of(self, table: Table, state: layout.State, move: Move) -> list[int]:
        """Return the actions that together make a legal move.

        No step of the decision may have been made in `state`. Forced steps are left out, because
        an environment makes them itself.
        """
        if move.kind in (packed_move.WALL, packed_move.EARLY_ROLL):
            return [move.place if move.kind == packed_move.WALL else self._other(EARLY_ROLL_ACTION)]
        if move.kind == packed_move.MERGE:
            return [self.nothing if move.place == packed_move.NONE else self.cities + move.place]
        if move.kind in (packed_move.TOWERS, packed_move.HOUSES):
            return self._placed(table, state, move)
        if move.kind == packed_move.ABSTAIN:
            return [self._other(DISCARDS) + move.cards[0]]
        hand = kinds(int(state[int(layout.HANDS) + byte_in(state, layout.SEAT)]))
        if move.kind == packed_move.SWAP:
            return list(self._chosen(hand, move.cards, DISCARDS, len(hand)))
        actions = list(self._chosen(hand, move.cards, PLAYS, 2))
        if move.kind == packed_move.FINAL and move.cards:
            move = table.listed_as(state, move)
            listed = [other for other in table.moves_of_sound(state) if other.cards == move.cards]
            if len(listed) > 1:
                assert move.city is not None
                actions.append(self.cities + move.city)
        return actions

    def _other(self, number: int) -> int:
        return self.others + int(number)

    def _chosen(
        self, hand: Sequence[int], cards: Sequence[int], begin: int, most: int
    ) -> Iterator[int]:
        """Yield the actions that name the cards, and then `nothing` if more cards could follow."""
        left = list(hand)
        for card in cards:
            yield self._other(begin) + card
            left.remove(card)
        more = [kind for kind in left if not cards or kind >= cards[-1]]
        if len(cards) < most and (more or not cards):
            yield self.nothing

    def _placed(self, table: Table, state: layout.State, move: Move) -> list[int]:
        """Return the actions that place the two pieces, leaving out places that offer no choice."""
        line = byte_in(state, layout.LINE)
        is_tower = move.kind == packed_move.TOWERS
        places = self._board.line_towers[line] if is_tower else self._board.line_spaces[line]
        begin = self._other(TOWERS_ACTION if is_tower else HOUSES_ACTION)

        def colors(some: Move) -> tuple[int, int]:
            put = dict(some.put)
            first, second = (
                packed_move.NO_COLOR if place is None else put.get(place, packed_move.NO_COLOR)
                for place in places
            )
            return first, second

        outcomes = [colors(other) for other in table.moves_of_sound(state)]
        first, second = colors(move)
        actions = []
        if len({outcome[0] for outcome in outcomes}) > 1:
            actions.append(first)
        if len([outcome for outcome in outcomes if outcome[0] == first]) > 1:
            actions.append(second)
        return [
            self.nothing if color == packed_move.NO_COLOR else begin + color for color in actions
        ]


class Features(NamedTuple):
    """The parts of an observation, as views. Leading axes, such as that of a batch, are kept."""

    game: Any  # [..., features]
    seats: Any  # [..., 4, features]: first the observing seat, then clockwise
    kinds: Any  # [..., 30, features]: the kinds of card, in the order of the rules
    spaces: Any  # [..., spaces, features]
    lines: Any  # [..., lines, features]
    towers: Any  # [..., tower spaces, features]


class Graph(NamedTuple):
    """The neighbors of each space, line and tower space; -1 stands for no neighbor."""

    space_lines: NDArray[np.int64]  # [spaces, 3]
    space_towers: NDArray[np.int64]  # [spaces, 3]
    line_spaces: NDArray[np.int64]  # [lines, 2]
    line_towers: NDArray[np.int64]  # [lines, 2]
    space_region: NDArray[np.int64]  # [spaces]: the space's region, numbered from 1
    tower_shore: NDArray[np.bool_]  # [tower spaces]: True at the shore
    tower_xy: NDArray[np.float64]  # [tower spaces, 2]: in sides of a triangle; y grows southwards


class Section(NamedTuple):
    """A part of an observation: records of equal size, for example one for each seat.

    A record begins with its features, one byte each. Its other bytes are unused.
    """

    name: str
    begin: int  # offset of the first byte of the section
    records: int
    record: int  # size of a record in bytes
    features: tuple[Feature, ...]


class ObservationLayout:
    """The meaning of the bytes of an observation on a board."""

    def __init__(self, board: Board) -> None:
        spaces, lines, towers = map(len, (board.space_lines, board.line_spaces, board.tower_xy))
        parts = [
            ("game", 1, env_layout.GAME_BYTES, env_layout.GAME_FEATURES),
            ("seats", MAX_PLAYERS, env_layout.SEAT_BYTES, env_layout.SEAT_FEATURES),
            ("kinds", len(CARDS), env_layout.KIND_BYTES, env_layout.KIND_FEATURES),
            ("spaces", spaces, env_layout.SPACE_BYTES, env_layout.SPACE_FEATURES),
            ("lines", lines, env_layout.LINE_BYTES, env_layout.LINE_FEATURES),
            ("towers", towers, env_layout.TOWER_BYTES, env_layout.TOWER_FEATURES),
        ]
        sections, end = [], 0
        for name, records, record, features in parts:
            sections.append(Section(name, end, records, record, features))
            end += -(-records * record // _WORD) * _WORD
        self.sections = tuple(sections)
        """The sections of an observation, in order."""
        self.words = end // _WORD
        """The size of an observation in words of 64 bits."""
        self.size = end
        """The size of an observation in bytes."""
        self.most: ByteArray = np.zeros(self.size, dtype=np.uint8)
        """The greatest value of each byte as uint8[size], which is 0 for unused bytes."""
        for part, view in zip(self.sections, self.features(self.most), strict=True):
            view[...] = [feature.most for feature in part.features]

    def features(self, observation: Any) -> Features:
        """Return the parts of observations. The last axis of `observation` holds the bytes.

        Raises MasonsError for anything but an array or a tensor of this size.
        """
        self._need_bytes(observation)
        ahead = tuple(observation.shape[:-1])
        views = []
        for part in self.sections:
            view = observation[..., part.begin : part.begin + part.records * part.record]
            if part.name != "game":
                view = view.reshape((*ahead, part.records, part.record))
            views.append(view[..., : len(part.features)])
        return Features(*views)

    def records(self, observation: NDArray[Scalar]) -> dict[str, NDArray[Scalar]]:
        """Return the parts of one observation by name, as views of all their bytes.

        Unlike the result of `features`, these parts also contain the unused bytes.
        Raises MasonsError for anything but an array of this size.
        """
        self._need_bytes(observation)
        begins = [part.begin for part in self.sections]
        return {
            part.name: observation[part.begin : end]
            for part, end in zip(self.sections, [*begins[1:], self.size], strict=True)
        }

    def _need_bytes(self, observation: Any) -> None:
        shape = getattr(observation, "shape", None)
        what = f"an array or a tensor whose last axis has {self.size} bytes"
        if not isinstance(shape, tuple):
            refuse("observation", observation, what)
        if shape[-1:] != (self.size,):
            raise MasonsError(f"observation has the shape {tuple(shape)}: it must be {what}")

    def names(self) -> list[str]:
        """Return a name for each byte, such as `spaces.12.red-houses`, or "" for unused bytes."""
        names = [""] * self.size
        for part in self.sections:
            for number in range(part.records):
                at = part.begin + number * part.record
                for feature in part.features:
                    place = "" if part.name == "game" else f".{number}"
                    names[at] = f"{part.name}{place}.{feature.name}"
                    at += 1
        return names


class Encoding:
    """The encoding of the actions and observations of a board.

    The attribute `actions` is the ActionEncoding, with `name(number)`, `number(name)`, `names` and
    `count`. `layout` is the ObservationLayout, with `features(observation)`, `names()` and `size`.
    `board` is the argument.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        self.actions = ActionEncoding(board)
        self.layout = ObservationLayout(board)

    @cached_property
    def graph(self) -> Graph:
        """The neighbors of each space, line and tower space on the board."""
        board = self.board
        beside = [[-1 if space is None else space for space in pair] for pair in board.line_spaces]
        numbers = partial(np.array, dtype=np.int64)
        return Graph(
            numbers(board.space_lines), numbers(board.space_towers), numbers(beside),
            numbers(board.line_towers), numbers(board.space_region),
            np.array(board.tower_shore), np.array(board.tower_xy),
        )  # fmt: skip

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits, equal for two encodings if all their numbers mean the same."""
        content = [VERSION, self.board.sha256, self.actions.names, self.layout.sections]
        text = json.dumps(content, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]

    @property
    def number(self) -> int:
        """The fingerprint as a 64-bit number."""
        return int(self.fingerprint, 16)

    def check(self, fingerprint: object, what: str) -> None:
        """Raise MasonsError if a fingerprint belongs to another encoding.

        `what` names the place where the fingerprint was found.
        """
        if fingerprint != self.fingerprint:
            raise MasonsError(
                f"{what} has the encoding {shown(fingerprint)}, but this version's for the board "
                f"{self.board.name} is {self.fingerprint}: make the data anew"
            )
