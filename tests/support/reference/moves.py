"""Every distinct legal move of every decision (rules, section 8), as plain tuples.

("wall", line)  ("early-roll",)
("towers", ((tower space, colour), ...))      ascending; one entry for each tower placed
("houses", ((space, colour), ...))            likewise
("merge", lowest space of the other city, or None)
("play", (card, ...))  ("abstain", card)      cards in the order of section 6, here and below
("swap", (card, ...))
("final", lowest space of the city or None, (card, ...))
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from math import prod
from typing import Any

from tests.support.reference.cards import card_values
from tests.support.reference.material import ANY_COLOR, CARDS
from tests.support.reference.position import City, Position

Move = tuple[Any, ...]
Put = tuple[tuple[int, str], ...]


def legal_lines(position: Position) -> list[int]:
    """Empty wall lines that are not inside a completed city (rules, section 3), ascending."""
    inside = set()
    for city in position.cities:
        for space in city:
            for line, other in position.board.neighbors[space]:
                if other in city:
                    inside.add(line)
    lines = range(len(position.board.line_spaces))
    return [line for line in lines if line not in position.walls and line not in inside]


def wall_moves(position: Position, early_roll: bool) -> set[Move]:
    """The walls; and the early roll where it is on and not yet made this turn."""
    moves: set[Move] = {("wall", line) for line in legal_lines(position)}
    return moves | {("early-roll",)} if early_roll else moves


def tower_moves(position: Position, line: int, rolled: str | None) -> set[Move]:
    """The outcomes of step 3 (rules, section 3) for a wall on `line` and the tower die."""
    empty = [tower for tower in position.board.line_towers[line] if tower not in position.towers]
    supply = position.towers_left()
    if len(empty) == 0:
        return {("towers", ())}
    if sum(supply.values()) < len(empty):
        return {("towers", put) for place in empty for put in _outcomes(supply, [place], ["?"])}
    # The other end of two gets any colour, as if its die showed "?".
    dice = [rolled or ANY_COLOR, ANY_COLOR][: len(empty)]
    return {("towers", put) for put in _outcomes(supply, empty, dice)}


def house_moves(position: Position, line: int, dice: list[str]) -> set[Move]:
    """The outcomes of step 4 (rules, section 3) for a wall on `line` and the two house dice."""
    spaces = position.board.line_spaces[line]
    supply = position.houses_left()
    if sum(supply.values()) < len(spaces):
        return {("houses", put) for place in spaces for put in _outcomes(supply, [place], ["?"])}
    if len(spaces) == 1:
        return {("houses", put) for die in dice for put in _outcomes(supply, spaces, [die])}
    return {("houses", put) for put in _outcomes(supply, spaces, dice)}


def _outcomes(supply: dict[str, int], places: list[int], dice: list[str]) -> set[Put]:
    """What can come out: either die to either place, and either of them first."""
    return {
        tuple(sorted(laid))
        for dealt in permutations(dice)
        for due in permutations(zip(places, dealt, strict=True))
        for laid in _lay(supply, list(due))
    }


def _lay(supply: dict[str, int], due: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Lay one piece after the other, looking at the supply each time.

    A colour that is not in supply, and "?", is replaced by any that is.
    """
    if not due:
        yield []
        return
    place, die = due[0]
    there = [color for color, left in supply.items() if left > 0]
    for color in [die] if die in there else there:
        for rest in _lay({**supply, color: supply[color] - 1}, due[1:]):
            yield [(place, color), *rest]


def merge_moves(position: Position, city: City) -> set[Move]:
    """One for each city that can be merged with the just-completed one, and none."""
    others: set[Move] = {("merge", min(other)) for other in position.mergeable(city)}
    return others | {("merge", None)}


def in_order(cards: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """Cards in the order of rules, section 6."""
    return tuple(sorted(cards, key=CARDS.index))


def _plays(hand: list[str]) -> set[tuple[str, ...]]:
    """Each distinct single card and each distinct pair of cards of a hand."""
    cards = in_order(hand)
    return {*combinations(cards, 1), *combinations(cards, 2)}


def score_moves(hand: list[str]) -> set[Move]:
    """Singles, pairs, and single cards to abstain with."""
    plays: set[Move] = {("play", cards) for cards in _plays(hand)}
    return plays | {("abstain", card) for card in hand}


def swap_moves(hand: list[str]) -> set[Move]:
    """The distinct sub-multisets of a hand; for small hands, as they double with each card."""
    cards = in_order(hand)
    return {("swap", out) for size in range(len(cards) + 1) for out in combinations(cards, size)}


def swap_count(hand: list[str]) -> int:
    """How many swap moves there are: of each kind, none up to all of its cards."""
    return prod(hand.count(card) + 1 for card in set(hand))


def final_moves(position: Position, hand: list[str]) -> set[Move]:
    """Passing, and each single or pair with each city that gives it a total of its own."""
    cities: list[City | None] = [*position.cities] or [None]
    values = [(city, card_values(position, city)) for city in cities]
    moves: set[Move] = {("final", None, ())}
    for cards in _plays(hand):
        lowest: dict[int, int | None] = {}
        for city, points in values:
            lowest.setdefault(sum(points[card] for card in cards), min(city) if city else None)
        moves |= {("final", name, cards) for name in lowest.values()}
    return moves
