"""Lists of legal moves as Python objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import overload

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.packed_board import PackedBoard
from masons.engine.formats.move_text import Move, swap_move
from masons.engine.rules.legal_moves import MAX_CITIES, MAX_MOVES, WORK_WORDS, list_moves
from masons.engine.state import layout
from masons.engine.state.position import kinds


class Swaps(Sequence[Move]):
    """All swap moves of a hand, one for each of its sub-multisets, except for those in `without`.

    There can be millions of moves, so each move is made only when it is accessed.
    """

    def __init__(self, hand: Sequence[int], without: Iterable[Move] = ()) -> None:
        self._hand = sorted(hand)
        self._kinds = sorted(set(hand))
        self._counts = [self._hand.count(kind) for kind in self._kinds]
        self._left_out = sorted({self._number(move) for move in without})
        self._len = prod(count + 1 for count in self._counts) - len(self._left_out)

    def without(self, moves: Iterable[Move]) -> Swaps:
        """Return all swaps of the hand except for `moves`, which are swaps of the hand."""
        return Swaps(self._hand, moves)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Swaps):
            return False
        return (self._hand, self._left_out) == (other._hand, other._left_out)

    def __hash__(self) -> int:
        return hash((*self._hand, *self._left_out))

    def __len__(self) -> int:
        return self._len

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Move]: ...
    def __getitem__(self, index: int | slice) -> Move | Sequence[Move]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._len))]
        if index < 0:
            index += self._len
        if not 0 <= index < self._len:
            raise IndexError(index)
        for number in self._left_out:
            index += number <= index
        cards: list[int] = []
        for kind, count in zip(self._kinds, self._counts, strict=True):
            index, some = divmod(index, count + 1)
            cards += [kind] * some
        return swap_move(cards)

    def __contains__(self, move: object) -> bool:
        if not isinstance(move, int) or move < 0:
            return False
        some = Move(move)
        cards = some.cards
        if some != swap_move(cards) or any(cards.count(k) > self._hand.count(k) for k in cards):
            return False
        return not self._left_out or self._number(some) not in self._left_out

    def _number(self, move: Move) -> int:
        """Return the index of a swap among all swaps of the hand."""
        number, step, cards = 0, 1, move.cards
        for kind, count in zip(self._kinds, self._counts, strict=True):
            number += step * cards.count(kind)
            step *= count + 1
        return number


class MoveLists:
    """The legal moves of states on a board, with workspaces; each thread needs its own."""

    def __init__(self, packed: PackedBoard) -> None:
        self._packed = packed
        self._work = np.zeros(WORK_WORDS, dtype=np.uint64)
        self._roots = np.zeros(MAX_CITIES, dtype=np.uint64)
        self._moves = np.zeros(MAX_MOVES, dtype=np.uint64)

    def packed_moves(self, state: layout.State) -> NDArray[np.uint64]:
        """Return the legal moves of a sound state; the next call overwrites the result."""
        count = list_moves(state, self._packed, self._work, self._roots, self._moves)
        return self._moves[: int(count)]

    def moves(self, state: layout.State) -> Sequence[Move]:
        """Return the legal moves of a sound state."""
        small = state.view(np.uint8)
        if small[int(layout.PHASE)] == layout.PHASE_SWAP:
            return Swaps(kinds(int(state[int(layout.HANDS) + small[int(layout.SEAT)]])))
        return [Move(move) for move in self.packed_moves(state).tolist()]
