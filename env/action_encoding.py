"""The numbers of the actions of a board, their names, and moves as the actions they are made of.

`masons.env.stepping.action_numbers` has the table, and says what the steps of a decision are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from masons.engine.board.components import CARDS, HOUSE_COLORS, TOWER_COLORS
from masons.engine.board.geometry import Board
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import Move
from masons.engine.game.table import Table
from masons.engine.given import shown, whole
from masons.engine.state import layout as at
from masons.engine.state.packed_move import (
    ABSTAIN,
    EARLY_ROLL,
    FINAL,
    HOUSES,
    MERGE,
    NO_COLOR,
    NONE,
    SWAP,
    TOWERS,
    WALL,
)
from masons.engine.state.position import byte_in, kinds
from masons.env.stepping.action_numbers import (
    DISCARDS,
    EARLY_ROLL_ACTION,
    HOUSES_ACTION,
    OTHER_ACTIONS,
    PLAYS,
    TOWERS_ACTION,
)

_NAMES: Final = (
    *(f"play:{card}" for card in CARDS),
    *(f"discard:{card}" for card in CARDS),
    *(f"tower:{color}" for color in TOWER_COLORS),
    *(f"house:{color}" for color in HOUSE_COLORS),
    "nothing",
    "early-roll",
)


class ActionEncoding:
    """The actions on a board: `count` of them, by number and by name."""

    def __init__(self, board: Board) -> None:
        self._board = board
        lines, spaces = len(board.line_spaces), len(board.space_lines)
        self.cities = lines
        """The first action that names a city."""
        self.others = lines + spaces
        """The first action that names neither a line nor a city."""
        self.names: tuple[str, ...] = (
            *(f"wall:{line}" for line in range(lines)),
            *(f"city:{space}" for space in range(spaces)),
            *_NAMES,
        )
        """The name of each action."""
        self.count = len(self.names)
        self._numbers = {name: number for number, name in enumerate(self.names)}
        self.nothing = self._numbers["nothing"]
        """The action that puts nothing, ends a choice of cards, passes, merges with no city."""

    def name(self, action: object) -> str:
        """The name of an action. Raises MoveError where there is none of this number."""
        number = whole(action)
        if number is None or not 0 <= number < self.count:
            raise MoveError(f"action is {shown(action)}: it must be from 0 to {self.count - 1}")
        return self.names[number]

    def number(self, name: object) -> int:
        """The action of a name. Raises MoveError for another name."""
        if not isinstance(name, str) or name not in self._numbers:
            raise MoveError(
                f"{shown(name)} is no action: one of {self.names[0]} to {self.names[-1]}"
            )
        return self._numbers[name]

    def actions_of(self, table: Table, state: at.State, move: Move) -> list[int]:
        """The actions that make a legal move, in a state where its decision begins.

        Those that leave no choice are not among them: an environment makes them itself.
        """
        if move.kind in (WALL, EARLY_ROLL):
            return [move.place if move.kind == WALL else self._other(EARLY_ROLL_ACTION)]
        if move.kind == MERGE:
            return [self.nothing if move.place == NONE else self.cities + move.place]
        if move.kind in (TOWERS, HOUSES):
            return self._placed(table, state, move)
        if move.kind == ABSTAIN:
            return [self._other(DISCARDS) + move.cards[0]]
        hand = kinds(int(state[int(at.HANDS) + byte_in(state, at.SEAT)]))
        if move.kind == SWAP:
            return list(self._chosen(hand, move.cards, DISCARDS, len(hand)))
        actions = list(self._chosen(hand, move.cards, PLAYS, 2))
        if move.kind == FINAL and move.cards:
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
        """Cards named one by one, and that there are no more where there could be."""
        left = list(hand)
        for card in cards:
            yield self._other(begin) + card
            left.remove(card)
        more = [kind for kind in left if not cards or kind >= cards[-1]]
        if len(cards) < most and (more or not cards):
            yield self.nothing

    def _placed(self, table: Table, state: at.State, move: Move) -> list[int]:
        """What is put at the first place and at the second, as far as there is a choice."""
        line = byte_in(state, at.LINE)
        is_tower = move.kind == TOWERS
        places = self._board.line_towers[line] if is_tower else self._board.line_spaces[line]
        begin = self._other(TOWERS_ACTION if is_tower else HOUSES_ACTION)

        def colors(some: Move) -> tuple[int, int]:
            put = dict(some.put)
            first, second = (
                NO_COLOR if place is None else put.get(place, NO_COLOR) for place in places
            )
            return first, second

        outcomes = [colors(other) for other in table.moves_of_sound(state)]
        first, second = colors(move)
        actions = []
        if len({outcome[0] for outcome in outcomes}) > 1:
            actions.append(first)
        if len([outcome for outcome in outcomes if outcome[0] == first]) > 1:
            actions.append(second)
        return [self.nothing if color == NO_COLOR else begin + color for color in actions]


assert len(_NAMES) == OTHER_ACTIONS
