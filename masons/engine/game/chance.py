"""Sources of dice and cards for a game: a seeded generator, a record, or a report from outside.

A game asks its source for a shuffled deck and for rolls. If the source answers `None`, the game
waits until a caller (such as a GUI, or people at a table) reports the roll or the card drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.components import CARD_COPIES, CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.checks import check_list, check_wholes, refuse, whole
from masons.engine.errors import RecordError
from masons.engine.kernels.rng import draw_below, new_rng
from masons.engine.state.position import Roll

ALL_KINDS: Final = tuple(sorted([*range(len(CARDS))] * CARD_COPIES))
"""The kind of every card in the box, in ascending order."""


@runtime_checkable
class Chance(Protocol):
    """The interface that a game needs from a source of dice and cards."""

    def shuffle(self, cards: Sequence[int]) -> list[int] | None:
        """Return the cards (kinds) in the order of drawing, or None if the order is unknown."""

    def roll(self, with_tower: bool) -> Roll | None:
        """Return a roll of the dice, or None if the roll is unknown.

        The roll includes the tower die only if `with_tower` is true.
        """

    def mark(self) -> object:
        """Return a mark of the current point in the sequence of dice and decks, for `back`."""

    def back(self, mark: Any) -> None:
        """Go back to a mark, so that the dice and decks after the mark are repeated."""


class Seeded:
    """Chance from a seeded generator; equal seeds give equal dice and cards."""

    def __init__(self, seed: int) -> None:
        self.rng: NDArray[np.uint64] = new_rng(seed)

    def shuffle(self, cards: Sequence[int]) -> list[int]:
        """Return the cards shuffled by the Fisher-Yates method."""
        left = list(cards)
        order = []
        while left:
            order.append(left.pop(int(draw_below(self.rng, len(left)))))
        return order

    def roll(self, with_tower: bool) -> Roll:
        """Return three fair dice.

        The tower die is always rolled, but it is returned only if `with_tower` is true, so that the
        later dice do not depend on the argument.
        """
        tower = int(draw_below(self.rng, len(TOWER_DIE)))
        first, second = (int(draw_below(self.rng, len(HOUSE_DIE))) for _ in range(2))
        return (tower if with_tower else None), first, second

    def mark(self) -> int:
        """Return the generator's state."""
        return int(self.rng[0])

    def back(self, mark: int) -> None:
        """Restore the generator's state from a mark."""
        self.rng[0] = mark


class Outside:
    """Chance that a caller reports; the game waits in its roll and draw phases."""

    def shuffle(self, cards: Sequence[int]) -> None:
        """Return None, because the order becomes known card by card."""

    def roll(self, with_tower: bool) -> None:
        """Return None, because the roll is reported later."""

    def mark(self) -> None:
        """Return None, because chance from outside cannot be repeated."""

    def back(self, mark: None) -> None:
        """Do nothing, because there is nothing to restore."""


class CheckedChance:
    """A caller's own source of chance, whose answers are checked.

    Raises MasonsError if an answer is impossible.
    """

    def __init__(self, source: Chance) -> None:
        self._source = source

    def shuffle(self, cards: Sequence[int]) -> list[int] | None:
        """Return the cards in the source's order, after checking that they are the cards given."""
        order = self._source.shuffle(cards)
        if order is None:
            return None
        numbers = check_wholes("the deck of chance", order, len(CARDS) - 1, "the cards given")
        if sorted(numbers) != sorted(cards):
            refuse("the deck of chance", order, "the cards given")
        return list(numbers)

    def roll(self, with_tower: bool) -> Roll | None:
        """Return the dice of the source, after checking that they are possible."""
        roll = self._source.roll(with_tower)
        if roll is None:
            return None
        what = "a tower color from 0 to 2 (None where it is not rolled) and two faces from 0 to 5"
        tower, *dice = check_list("the roll of chance", roll, object, what) or [None]
        faces = [whole(die) for die in dice]
        color = whole(tower)
        fits = color in range(len(TOWER_DIE)) if with_tower else tower is None
        if not fits or len(faces) != 2 or any(face not in range(len(HOUSE_DIE)) for face in faces):
            refuse("the roll of chance", roll, what)
        first, second = (face or 0 for face in faces)
        return color, first, second

    def mark(self) -> object:
        """Return the mark of the source."""
        return self._source.mark()

    def back(self, mark: Any) -> None:
        """Move the source back to a mark."""
        self._source.back(mark)


class Scripted:
    """Chance from a script: decks and rolls in the order in which the game needs them."""

    def __init__(
        self, decks: Iterable[Sequence[int]], rolls: Iterable[Roll], *, may_end: bool = False
    ) -> None:
        """Set up a script of decks and rolls.

        If `may_end` is true, the game waits when the script ends; otherwise the end of the script
        raises RecordError.
        """
        self._may_end = may_end
        # Items are read only when needed, so that a fault is reported at the event that needs the
        # item.
        self._more_decks, self._more_rolls = iter(decks), iter(rolls)
        self._decks: list[Sequence[int]] = []
        self._rolls: list[Roll] = []
        self._used = (0, 0)

    def mark(self) -> tuple[int, int]:
        """Return the numbers of decks and rolls used so far."""
        return self._used

    def back(self, mark: tuple[int, int]) -> None:
        """Go back to a mark, so that the decks and rolls after it are used again."""
        self._used = mark

    def shuffle(self, cards: Sequence[int]) -> list[int] | None:
        """Return the next deck; raise RecordError if it is not a permutation of `cards`."""
        decks, rolls = self._used
        if decks == len(self._decks):
            self._decks += islice(self._more_decks, 1)
        if decks == len(self._decks):
            if self._may_end:
                return None
            raise RecordError("the deck runs out here, but no reshuffle follows")
        deck = self._decks[decks]
        self._used = (decks + 1, rolls)
        if sorted(deck) != sorted(cards):
            raise RecordError("the new deck of a reshuffle is not the discard pile shuffled")
        return list(deck)

    def roll(self, with_tower: bool) -> Roll | None:
        """Return the next roll; raise RecordError if its tower die does not fit `with_tower`."""
        decks, rolls = self._used
        if rolls == len(self._rolls):
            self._rolls += islice(self._more_rolls, 1)
        if rolls == len(self._rolls):
            if self._may_end:
                return None
            raise RecordError("a roll is missing")
        roll = self._rolls[rolls]
        self._used = (decks, rolls + 1)
        if (roll[0] is not None) != with_tower:
            needed = "must be rolled" if with_tower else "must not be rolled"
            raise RecordError(f"the tower die {needed} for this wall")
        return roll


class Continued:
    """Chance of a game that is played on: known decks and rolls first, then a seeded generator.

    If moves are taken back and others made, the known decks and dice are used again as far as they
    fit; the generator supplies the rest.
    """

    def __init__(self, decks: Iterable[Sequence[int]], rolls: Iterable[Roll], then: Seeded) -> None:
        self._decks, self._rolls = [tuple(deck) for deck in decks], list(rolls)
        self._then = then
        self._used = (0, 0)

    def mark(self) -> tuple[int, int, int]:
        """Return the numbers of known decks and rolls used so far, and the generator's state."""
        return (*self._used, self._then.mark())

    def back(self, mark: tuple[int, int, int]) -> None:
        """Go back to a mark, so that the decks and dice after it are repeated."""
        decks, rolls, then = mark
        self._used = decks, rolls
        self._then.back(then)

    def shuffle(self, cards: Sequence[int]) -> list[int]:
        """Return the next known deck if it consists of the `cards`, or else the cards shuffled."""
        decks, rolls = self._used
        known = self._decks[decks : decks + 1]
        self._used = (decks + len(known), rolls)
        if known and sorted(known[0]) == sorted(cards):
            return list(known[0])
        return self._then.shuffle(cards)

    def roll(self, with_tower: bool) -> Roll:
        """Return the next known roll, or a new one after the last.

        If a known roll lacks the tower die, that die alone is rolled.
        """
        decks, rolls = self._used
        if rolls == len(self._rolls):
            return self._then.roll(with_tower)
        self._used = (decks, rolls + 1)
        tower, first, second = self._rolls[rolls]
        if with_tower and tower is None:
            tower = self._then.roll(with_tower)[0]
        return (tower if with_tower else None), first, second


def chance_given(chance: object, seed: int | None) -> Chance:
    """Return a game's source of chance: `chance`, or a generator with `seed` if it is None.

    The answers of a caller's own source will be checked. Raises MasonsError if `chance` is not a
    source of chance.
    """
    if chance is None:
        return Seeded(seed or 0)
    if not isinstance(chance, Chance) or isinstance(chance, type):
        refuse("chance", chance, "a source of chance like Outside()")
    built_in = Seeded | Outside | Scripted | Continued
    return chance if isinstance(chance, built_in) else CheckedChance(chance)
