"""What a move brings about that can be counted, from what its seat could know.

The turn is played to where it scores a city or passes on: with `ROLLS` rolls by chance, forced
placings, and other choices at random, the merge that pays the own cards most. What others could
score is an average over hands by chance from the cards not seen. The same seed gives the same
facts, and nothing hidden enters.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from masons.engine.board.components import (
    CARDS,
    HOUSE_COLORS,
    HOUSE_DIE,
    HOUSES,
    PALACES,
    TOWER_COLORS,
    TOWER_DIE,
    TOWERS,
    WALLS,
)
from masons.engine.formats.move_text import Move
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.game.observer import Observer
from masons.engine.game.table import Table
from masons.engine.state import layout as at
from masons.engine.state import packed_move
from masons.engine.state.enclosed_areas import enclosed_areas
from masons.engine.state.packed_move import ABSTAIN, FINAL, PLAY, SWAP
from masons.engine.state.position import Position, card_values, members

ROLLS: Final = 12
_HANDS: Final = 64
_CARDS_PLAYED: Final = 2  # at most, in one scoring
_BUILDING: Final = ("towers", "houses", "merge")


@dataclass(frozen=True)
class Facts:
    """What was counted; None where there is nothing to count."""

    points: int | None = None  # scored by the cards played now
    kept: tuple[str, ...] | None = None  # the hand afterwards, before drawing
    city_size: float | None = None  # spaces of the city completed in this turn
    merged: bool = False  # where it takes a merge with another city
    city_colors: float | None = None  # colours of houses and palaces in it
    own_points: float | None = None  # what the own cards score in it
    fed: tuple[float, ...] = ()  # what each other seat could score in it, in the order of seats
    openings: float | None = None  # lines that complete a city, left to the next player
    opening_size: int = 0  # spaces of the largest of those cities
    helped: tuple[str, ...] = ()  # the own cards that count the colours built
    left: tuple[float, ...] = ()  # walls, towers, houses, palaces in the supply after this turn
    ends: bool = False  # the game ends with this turn


@dataclass(frozen=True)
class _Turn:
    """How the turn went on with one roll."""

    position: Position
    city: frozenset[int] | None
    values: tuple[int, ...]
    closing: tuple[int, ...]
    merged: bool


def facts_of(table: Table, view: Observation, move: Move, seed: int) -> Facts:
    """The facts about a legal move of a view."""
    position = view.position
    hand = position.hands[view.seat]
    assert not isinstance(hand, int)
    if move.kind in (PLAY, ABSTAIN, SWAP, FINAL):
        return _card_facts(table, view, move, hand)
    rng = random.Random(seed)
    turns = [_play_turn(table, position, move, rng) for _ in range(_rolls_needed(position))]
    cities = [turn for turn in turns if turn.city is not None]
    passed = [turn for turn in turns if turn.city is None]
    ends = all(turn.position.end for turn in turns)
    helped = _helped(move, hand)
    if not cities:
        return replace(_open_facts(table, passed), helped=helped, left=_left(turns), ends=ends)
    others = [seat for seat in range(view.players) if seat != view.seat]
    return Facts(
        city_size=_mean([len(turn.city or ()) for turn in cities]),
        merged=any(turn.merged for turn in cities),
        city_colors=_mean([_colors(turn) for turn in cities]),
        own_points=_mean([_best_two([turn.values[kind] for kind in hand]) for turn in cities]),
        fed=tuple(_fed(view, cities, seat, rng) for seat in others),
        helped=helped,
        left=_left(turns),
        ends=ends,
    )


def _helped(move: Move, hand: Sequence[int]) -> tuple[str, ...]:
    """The cards of a hand that count pieces of the colours that a placing puts down."""
    names = {packed_move.TOWERS: TOWER_COLORS, packed_move.HOUSES: HOUSE_COLORS}.get(move.kind, ())
    colors = {names[color] for _, color in move.put} if names else set()
    held = (CARDS[kind] for kind in sorted(set(hand)))
    return tuple(card for card in held if card.rpartition("-")[2] in colors)


def _rolls_needed(position: Position) -> int:
    return ROLLS if position.phase in ("wall", "towers", "houses") else 1


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _best_two(points: Sequence[int]) -> int:
    return sum(sorted(points)[-_CARDS_PLAYED:])


def _card_facts(table: Table, view: Observation, move: Move, hand: Sequence[int]) -> Facts:
    left = list(hand)
    for kind in move.cards:
        left.remove(kind)
    kept = tuple(CARDS[kind] for kind in left)
    points = None
    if move.kind in (PLAY, FINAL):
        game = Observer.of(table.board, view.position, view.seat)
        before = game.scores[view.seat]
        game.apply(move)
        points = game.scores[view.seat] - before
    elif move.kind == ABSTAIN:
        points = 0
    return Facts(points=points, kept=kept)


def _play_turn(table: Table, position: Position, move: Move, rng: random.Random) -> _Turn:
    """Make a move and play the turn on up to its scoring, or to the next turn."""
    game = Observer.of(table.board, position, position.seat)
    turn = position.turn
    game.apply(move)
    merged = _merges(move)
    while not game.is_over and game.position.turn == turn:
        if game.phase == "roll":
            _roll(game, rng)
        elif game.phase in _BUILDING:
            choice = _choice(game, rng)
            merged = merged or _merges(choice)
            game.apply(choice)
        else:
            break
    state = game.state
    now = game.position
    values = card_values(state)
    city = None
    if game.phase == "score":
        city = next(area for area in now.cities if min(area) == now.city)
    return _Turn(now, city, tuple(values), tuple(members(state, int(at.CLOSING), 4)), merged)


def _merges(move: Move) -> bool:
    return move.kind == packed_move.MERGE and move.place != packed_move.NONE


def _roll(game: Game, rng: random.Random) -> None:
    tower = rng.choice(TOWER_DIE) if game.rolls_tower else None
    game.give_roll(tower, rng.choice(HOUSE_DIE), rng.choice(HOUSE_DIE))


def _choice(game: Game, rng: random.Random) -> Move:
    """A placing at random; of the merges the one that pays the own cards most."""
    moves = game.legal_moves()
    if game.phase != "merge":
        return rng.choice(moves)
    seat, state = game.seat, game.state
    hand = game.position.hands[seat]
    assert not isinstance(hand, int)
    paid = []
    for move in moves:
        game.apply(move)
        values = card_values(game.state)
        paid.append(_best_two([values[kind] for kind in hand]))
        game.undo()
    assert (game.state == state).all()
    return moves[paid.index(max(paid))]


def _left(turns: Sequence[_Turn]) -> tuple[float, ...]:
    """What is left of walls, towers, houses and palaces: the game ends with the last of one."""
    used = [
        (
            len(turn.position.walls),
            len(turn.position.towers),
            sum(map(sum, turn.position.houses.values())),
            sum(map(sum, turn.position.palaces.values())),
        )
        for turn in turns
    ]
    pieces = (WALLS, TOWERS, HOUSES, PALACES)
    return tuple(
        number - _mean(each) for number, each in zip(pieces, zip(*used, strict=True), strict=True)
    )


def _colors(turn: _Turn) -> int:
    """The colours of houses and palaces in the city."""
    return sum(
        any(
            counts[color]
            for where in (turn.position.houses, turn.position.palaces)
            for space, counts in where.items()
            if space in (turn.city or ())
        )
        for color in range(len(HOUSE_COLORS))
    )


def _fed(view: Observation, cities: Sequence[_Turn], seat: int, rng: random.Random) -> float:
    """What a seat could score in the cities, on average over the hands that it may hold."""
    held = view.position.hands[seat]
    unseen = list(view.position.unseen)
    points = []
    for turn in cities:
        for _ in range(max(_HANDS // len(cities), 1)):
            hand = rng.sample(unseen, held) if isinstance(held, int) else held
            points.append(_best_two([turn.values[kind] for kind in hand]))
    return _mean(points)


def _open_facts(table: Table, turns: Sequence[_Turn]) -> Facts:
    """What is left to the next player."""
    return Facts(
        openings=_mean([len(turn.closing) for turn in turns]),
        opening_size=_largest(table, turns[0]),
    )


def _largest(table: Table, turn: _Turn) -> int:
    """The spaces of the largest city that one more wall completes."""
    walls = turn.position.walls
    there = set(enclosed_areas(table.board, walls))
    sizes = [
        len(area)
        for line in turn.closing
        for area in enclosed_areas(table.board, {*walls, line})
        if area not in there
    ]
    return max(sizes, default=0)
