"""What a block is: the seatings in which the engines of a match meet under equal luck.

A *line-up* is the list of seatings of one block. The blocks of a match go round its line-ups. Every
line-up holds, with a seating, all its rearrangements; so within each block every engine that plays
in it sits equally often in every seat. How often each engine plays is the same for all engines
within a round of line-ups, except where the names given say otherwise (A B B: B twice as often).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations, product

from masons.engine.board.components import MAX_PLAYERS, MIN_PLAYERS
from masons.engine.errors import MasonsError

Seating = tuple[int, ...]
"""The index of the engine in each seat."""

Lineup = list[Seating]


def distinct(names: Sequence[str]) -> list[str]:
    """The engines that the names of a match mean: equal names are one engine, in order of names.

    The indices of seatings are places in this list.
    """
    return list(dict.fromkeys(names))


def blocks(names: Sequence[str], players: int) -> list[Lineup]:
    """The line-ups of a match between engines of these names, for games of so many players.

    - As many names as players: one line-up, all distinct rearrangements of the names.
    - Fewer distinct engines than players: one line-up, all seatings in which every engine sits.
    - More: a line-up for each choice of so many engines, all its rearrangements (a round robin).

    Seatings and line-ups are in lexicographic order. All line-ups of a match are equally long.
    Raises MasonsError without a name, or for a number of players that the game does not have.
    """
    if not names:
        raise MasonsError("a match needs an engine")
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise MasonsError(f"{players} players: it must be from {MIN_PLAYERS} to {MAX_PLAYERS}")
    engines = distinct(names)
    if len(names) == players:
        entries = [engines.index(name) for name in names]
        return [sorted(set(permutations(entries)))]
    if len(engines) < players:
        seatings = product(range(len(engines)), repeat=players)
        return [[seating for seating in seatings if len(set(seating)) == len(engines)]]
    return [list(permutations(chosen)) for chosen in combinations(range(len(engines)), players)]
