"""Rules by example: those that games by chance seldom meet, and what each card scores.

The numbers are the sections of the rules page. `test_against_reference` has whole games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from masons.engine.board.components import CARDS
from masons.engine.board.geometry import Board
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import Move, swap_move
from masons.engine.formats.record_events import Event
from masons.engine.game.game import Game
from masons.engine.kernels.jit import Words
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.rules.scoring import AREAS, values_if_closed
from masons.engine.rules.transitions import apply_move
from masons.engine.state import layout
from masons.engine.state.packed_move import EXCHANGE, KIND_SHIFT
from masons.engine.state.position import Position, unpack_state
from tests.engine.state.test_state import differences
from tests.support.playing import (
    Fixed,
    around,
    between,
    board_of,
    chain,
    ends_of,
    game_at,
    grown,
    hand,
    neighbors,
    ring_round,
    setting,
    spokes,
    touching,
)

CENTER = 25  # a tower space of `classic` far from the edge
OTHER = 56  # another one
Roll = tuple[str, str, str]
RED: Roll = ("white", "red", "red")
GREEN: Roll = ("white", "green", "green")


def start(position: Position, board: Board, *rolls: Roll, tops: Sequence[Any] = ()) -> Game:
    """A game from a position, with the rolls to come and the cards on top of each deck."""
    return game_at(position, board, Fixed(*rolls, tops=tops))


def build(board: Board, walls: set[int], line: int, roll: Roll = RED, **fields: Any) -> Game:
    """A game in which the active seat has put a wall beside others, and chance has had its way."""
    game = start(setting(board, walls, **fields), board, roll)
    game.apply(f"wall:{line}")
    return game


def settle(game: Game, *phases: str, last: bool = False) -> Game:
    """Let the first (or last) legal move be made as long as one of the phases lasts."""
    while game.phase in phases:
        game.apply(game.legal_moves()[-1 if last else 0])
    return game


def line_of(board: Board, a: int, b: int) -> int:
    return board.line_towers.index((a, b))


def close(
    board: Board, *spaces: int, walls: set[int] | None = None, roll: Roll = RED, **fields: Any
) -> Game:
    """A game just after the wall that completes the city of some spaces."""
    last = min(around(board, *spaces))
    return build(board, (around(board, *spaces) | (walls or set())) - {last}, last, roll, **fields)


def events(game: Game, kind: str) -> list[Event]:
    return [event for event in game.events if event["e"] == kind]


def supply(game: Game, word: Any) -> list[int]:
    """How many of each color are left."""
    return [int(game.state[int(word)]) >> (8 * color) & 255 for color in range(5)]


def kinds_of_events(game: Game) -> list[str]:
    return [event["e"] for event in game.events]


def points(game: Game, *plays: str) -> list[int]:
    """The points of cards, played by the seats in turn."""
    for text in plays:
        game.apply(text)
    return [n for event in game.events if "points" in event for n in event["points"]]


# ---- 1 and 3: material and turn


@pytest.mark.parametrize("players", [2, 3, 4])
def test_everybody_starts_with_six_cards_and_no_points(players: int) -> None:
    """1: 0 points and 6 cards each, the rest is the deck; every kind of card twice."""
    position = Game(players, seed=3).position
    assert position.scores == (0,) * players
    assert position.hand_sizes == (6,) * players
    assert position.deck_size == 60 - 6 * players
    cards = [kind for cards in position.hands for kind in cards]  # type: ignore[union-attr]
    assert Counter([*cards, *position.unseen]) == dict.fromkeys(range(30), 2)


def test_an_early_roll_costs_a_point(classic: Board) -> None:
    """3: at most once a turn, and the wasted dice are not kept."""
    position = setting(classic, early_roll=True, scores=(5, 7), active=1)
    game = start(position, classic, ("gray", "blue", "blue"))
    game.apply("early-roll")
    assert (game.seat, game.phase, game.position.scores) == (1, "wall", (5, 6))
    assert events(game, "early-roll") == [{"e": "early-roll", "p": 1, "points": -1}]
    assert events(game, "roll") == []
    with pytest.raises(MoveError, match="early-roll is not legal"):
        game.apply("early-roll")
    game.apply("wall:169")
    assert len(events(game, "roll")) == 1


def test_an_early_roll_at_no_points_and_in_each_turn(classic: Board) -> None:
    """3: never below 0, legal at 0 too, and again in the next turn."""
    game = start(setting(classic, [0], early_roll=True), classic, RED)
    game.apply("early-roll")
    assert game.position.scores == (0, 0)
    assert events(game, "early-roll") == [{"e": "early-roll", "p": 0, "points": 0}]
    game.apply("wall:2")
    assert (game.phase, game.seat) == ("wall", 1)
    game.apply("early-roll")


def test_an_early_roll_needs_the_option(classic: Board) -> None:
    """3: off by default."""
    with pytest.raises(MoveError, match="not legal"):
        Game(2, board=classic, seed=1).apply("early-roll")


# ---- 4: cities


def test_the_inside_is_cleared(classic: Board) -> None:
    """4: walls with the city on both sides, and towers that no wall touches any more."""
    inside = spokes(classic, CENTER)[0]
    (rim,) = set(classic.line_towers[inside]) - {CENTER}
    border = around(classic, *touching(classic, CENTER))
    game = close(classic, *touching(classic, CENTER), walls={inside})
    (city,) = events(game, "city")
    assert city["spaces"] == sorted(touching(classic, CENTER))
    assert city["walls_back"] == [inside]
    assert city["towers_back"] == [CENTER]
    position = game.position
    assert position.walls == border
    # The other end of the spoke stands on the border and stays.
    assert rim in position.towers
    assert set(position.towers) == set(ends_of(classic, border))
    assert sum(supply(game, layout.TOWER_SUPPLY)) == 30 - 6


def test_one_wall_completes_one_city(classic: Board) -> None:
    """4: the wall between two spaces closes one of them, not both."""
    other = neighbors(classic, 45)[0]
    common = between(classic, 45, other)
    walls = around(classic, 45, other) - {max(around(classic, other) - {common})}
    assert build(classic, walls, common).position.cities == (frozenset({45}),)


def test_a_city_inside_a_city_is_a_hole(classic: Board) -> None:
    """4: the new city lies round the old one; they have walls in common and may merge."""
    ring, outer = ring_round(classic, 45)
    game = build(classic, (outer | around(classic, 45)) - {min(outer)}, min(outer))
    nothing: Event = {"walls_back": [], "towers_back": []}
    assert events(game, "city") == [{"e": "city", "p": 0, "spaces": sorted(ring), **nothing}]
    assert set(game.position.cities) == {frozenset(ring), frozenset({45})}
    game.apply("merge:45")
    (merge,) = events(game, "merge")
    assert merge["walls_back"] == sorted(classic.space_lines[45])
    assert merge["towers_back"] == sorted(classic.space_towers[45])
    assert game.position.cities == (frozenset(ring | {45}),)


def test_the_walls_round_a_hole_belong_to_both_cities(classic: Board) -> None:
    """4: inner borders belong to the city, with the towers at their ends."""
    ring, outer = ring_round(classic, 45)
    hands = (hand("city-towers", "land-walls", "land-towers"), hand("cities", "cities"))
    walls = outer | around(classic, 45)
    position = setting(classic, walls, phase="score", city=min(ring), hands=hands)
    scored = points(start(position, classic), "play:city-towers+land-walls")
    assert scored == [len(ends_of(classic, outer)) + 3, 0]


def merging(board: Board) -> tuple[Game, list[int]]:
    """A game in which one wall has completed the city of space 45 between two cities."""
    first, second, third = neighbors(board, 45)
    walls = around(board, first) | around(board, second)
    houses = {45: (1, 0, 0, 0, 0), first: (1, 1, 0, 0, 0)}
    line = between(board, 45, third)
    game = build(board, walls, line, ("white", "blue", "blue"), houses=houses)
    assert game.phase == "merge"
    return game, [first, second, third]


def test_a_merge_takes_the_walls_between(classic: Board) -> None:
    """4: and the towers that are then inside; the result is the just-completed city."""
    game, (first, _, third) = merging(classic)
    game.apply(f"merge:{first}")
    (merge,) = events(game, "merge")
    # Both ends of the wall between keep another wall.
    assert merge["walls_back"] == [between(classic, 45, first)]
    assert merge["towers_back"] == []
    assert frozenset({45, first}) in game.position.cities
    assert game.position.city == min(45, first)
    # The red houses of both are one pair; blue lay on both sides of the wall.
    assert events(game, "palaces") == [{"e": "palaces", "built": {"red": 1}}]
    assert game.position.houses == {min(45, first): (0, 1, 0, 0, 1), third: (0, 0, 0, 0, 1)}


def test_a_merge_with_one_city_or_with_none(classic: Board) -> None:
    """4: a second neighbor is not asked for."""
    game, (first, second, _) = merging(classic)
    game.apply(f"merge:{second}")
    assert game.phase == "score"
    assert set(game.position.cities) == {frozenset({first}), frozenset({45, second})}
    game, _ = merging(classic)
    game.apply("merge:none")
    (merge,) = events(game, "merge")
    assert merge == {"e": "merge", "p": 0, "with": None, "walls_back": [], "towers_back": []}
    assert len(game.position.cities) == 3


def test_each_pair_of_houses_becomes_a_palace(classic: Board) -> None:
    """4: wherever in the city they stand; an odd house stays one, the others go back."""
    a, b, *_ = spaces = touching(classic, CENTER)
    houses = {a: (4, 1, 0, 0, 0), b: (1, 1, 0, 0, 1)}
    game = close(classic, *spaces, houses=houses, roll=GREEN)
    root = min(spaces)
    assert events(game, "palaces") == [{"e": "palaces", "built": {"red": 2, "rose": 1}}]
    assert game.position.palaces == {root: (2, 1, 0, 0, 0)}
    assert game.position.houses[root] == (1, 0, 0, 1, 1)
    assert supply(game, layout.HOUSE_SUPPLY)[:2] == [11, 12]


def test_palaces_are_built_while_they_last(classic: Board) -> None:
    """4: for each color; houses without a palace stay."""
    old, spaces = 100, touching(classic, CENTER)
    game = close(
        classic, *spaces, walls=around(classic, old), palaces={old: (2, 0, 0, 0, 0)},
        houses={spaces[0]: (7, 2, 0, 0, 0)}, roll=GREEN,
    )  # fmt: skip
    root = min(spaces)
    assert events(game, "palaces") == [{"e": "palaces", "built": {"red": 1, "rose": 1}}]
    assert game.position.palaces == {root: (1, 1, 0, 0, 0), old: (2, 0, 0, 0, 0)}
    assert game.position.houses[root] == (5, 0, 0, 1, 0)


# ---- 5: scoring


def scoring(board: Board, *hands: Sequence[str], tops: Sequence[Any] = (), **fields: Any) -> Game:
    """A scoring of a city of one space, by the active seat."""
    cards = tuple(hand(*names) for names in hands)
    position = setting(
        board, around(board, 45), players=len(hands), phase="score", city=45, hands=cards, **fields
    )
    return start(position, board, tops=tops)


def everything_but(*cards: str) -> list[str]:
    rest = [name for name in CARDS for _ in range(2)]
    for name in cards:
        rest.remove(name)
    return rest


def test_a_reshuffle_in_the_middle_of_a_draw_or_after_its_last_card(classic: Board) -> None:
    """5: the moment the last card is drawn, the discard pile becomes the deck."""
    hands = ["cities", "cities"], ["land-red"]
    discard = hand(*everything_but("cities", "cities", "land-red", "land-walls"))
    game = scoring(classic, *hands, discard=discard, tops=[["land-walls"], ["city-blue"]])
    game.apply("abstain:cities")
    reshuffle, abstain = game.events
    assert abstain["drew"] == ["land-walls", "city-blue"]
    # The card just discarded is in the new deck: it was discarded before the first draw.
    assert sorted(reshuffle["deck"]) == sorted(everything_but("cities", "land-red", "land-walls"))
    assert game.position.discard == ()
    game = scoring(classic, *hands, discard=discard)
    game.apply("play:cities")
    assert kinds_of_events(game) == ["play", "reshuffle"]
    assert game.events[0]["drew"] == ["land-walls"]
    assert game.position.discard == ()
    assert game.position.deck_size == 57


def test_with_no_card_left_a_reshuffle_is_put_off(classic: Board) -> None:
    """5: with an empty discard pile nothing is shuffled until the next card is due; a second card
    of an abstain is not drawn where there is none.
    """
    rest = everything_but("land-walls")
    game = scoring(classic, rest[::2], rest[1::2])
    game.apply("abstain:city-red")
    # The one card of the deck, a reshuffle of the one discard, and that card again.
    assert kinds_of_events(game) == ["reshuffle", "abstain"]
    assert game.events[0]["deck"] == ["city-red"]
    assert game.events[1]["drew"] == ["land-walls", "city-red"]
    assert (game.position.deck_size, game.position.discard) == (0, ())
    game.apply("abstain:city-rose")
    assert kinds_of_events(game)[2:] == ["reshuffle", "abstain"]
    assert game.events[3]["drew"] == ["city-rose"]
    assert game.phase == "swap"
    assert (game.position.deck_size, game.position.discard) == (0, ())
    # A swap discards all its cards before it draws the first.
    game.apply("swap:city-red+city-blue")
    assert kinds_of_events(game)[4:] == ["reshuffle", "swap"]
    assert game.events[5]["in"] == game.events[4]["deck"]


def test_a_put_off_reshuffle_stands_before_the_play_that_it_serves(classic: Board) -> None:
    """5, and the record's format."""
    rest = everything_but("land-walls")
    game = scoring(classic, rest[::2], rest[1::2])
    game.apply("abstain:city-red")
    game.apply("play:cities+land-red")
    assert kinds_of_events(game)[2:] == ["reshuffle", "play"]
    assert sorted(game.events[2]["deck"]) == ["cities", "land-red"]
    assert game.position.deck_size == 1


def test_all_who_tie_for_last_swap_the_active_player_first(classic: Board) -> None:
    """5: clockwise; even everybody."""
    game = scoring(classic, ["land-red"], ["land-rose"], ["land-blue"], active=2)
    settle(game, "score")
    assert game.position.queue == (2, 0, 1)
    settle(game, "swap", last=True)
    swaps = events(game, "swap")
    assert [event["p"] for event in swaps] == [2, 0, 1]
    assert all(len(event["in"]) == len(event["out"]) == 1 for event in swaps)


def test_a_swap_draws_the_cards_exchanged_one_by_one_too(classic: Board) -> None:
    """5: as many as were discarded, in a search that swaps card by card."""
    position = setting(classic, around(classic, 45), phase="swap", queue=(0, 1))
    game = start(position, classic)
    state, board = game.state, game.table.packed
    for card in (0, 1):
        apply_move(state, board, Move(EXCHANGE << KIND_SHIFT | card))
    apply_move(state, board, swap_move([]))
    drawing = unpack_state(state)
    assert (drawing.phase, drawing.due, drawing.hand_sizes) == ("draw", 2, (4, 6))


# ---- 6: the cards


def test_the_worked_example(classic: Board) -> None:
    """6: seven spaces 9, five shore towers 10, six walls 6, four cities 4, six rose houses 6, seven
    houses in the region 7, seven towers of the city 7.
    """
    city = touching(classic, CENTER)
    city.append(next(s for s in neighbors(classic, city[0]) if s not in city))
    others = [58, 70, 101]
    walls = around(classic, *city).union(*(around(classic, space) for space in others))
    shore = [t for t, wet in enumerate(classic.tower_shore) if wet and classic.tower_xy[t][0] > 6]
    ends = {*shore[2:7]}
    land = {line for line, pair in enumerate(classic.line_towers) if ends >= set(pair)}
    land |= {line for line, pair in enumerate(classic.line_towers) if pair in ((2, 3), (3, 4))}
    assert (len(walls), len(land)) == (7 + 9, 6)
    region = [s for s, r in enumerate(classic.space_region) if r == 3 and s not in (*city, *others)]
    houses = {region[0]: (0, 4, 0, 0, 0), region[1]: (0, 2, 0, 0, 1), city[0]: (0, 3, 0, 0, 0)}
    pairs = ("city-size-7", "land-shore"), ("land-walls", "cities"), ("land-rose", "land-region-3")
    hands = (*(hand(*pair) for pair in pairs), hand("city-towers", "city-palaces"))
    position = setting(
        classic, walls | land, players=4, phase="score", city=min(city), hands=hands, houses=houses
    )
    plays = [f"play:{'+'.join(pair)}" for pair in pairs]
    scored = points(start(position, classic), *plays, "play:city-towers")
    assert scored == [9, 10, 6, 4, 6, 7, 7]


def value(board: Board, position: Position, card: str) -> int:
    """The points of one card in a position."""
    hands = (hand(card), hand("cities" if card != "cities" else "land-red"))
    fields = {**vars(position), "hands": hands}
    (scored,) = points(start(Position(**fields), board), f"play:{card}")
    return scored


@pytest.mark.parametrize(
    ("size", "card", "score"),
    [(1, "city-size-1", 6), (2, "city-size-2", 7), (3, "city-size-3", 8), (4, None, 0),
     (6, None, 0), (7, "city-size-7", 9), (9, "city-size-7", 9)],
)  # fmt: skip
def test_size_cards(classic: Board, size: int, card: str | None, score: int) -> None:
    """6: exactly 1, 2, 3 spaces; 7 or more."""
    walls = around(classic, *range(size))
    position = setting(classic, walls, phase="score", city=0)
    for name in CARDS[:4]:
        assert value(classic, position, name) == (score if name == card else 0)


@pytest.mark.parametrize(
    ("houses", "palaces", "score"),
    [
        ((0, 0, 0, 0, 0), (0, 0, 0, 0, 0), 0),
        ((1, 0, 0, 0, 0), (0, 0, 0, 0, 0), 0),
        ((1, 0, 0, 0, 0), (3, 0, 0, 0, 0), 0),
        ((1, 0, 0, 0, 0), (0, 1, 0, 0, 0), 4),
        ((1, 0, 1, 0, 0), (0, 1, 0, 0, 0), 4),
        ((1, 1, 1, 1, 0), (0, 0, 0, 0, 0), 7),
        ((0, 0, 0, 0, 1), (1, 1, 1, 1, 0), 7),
    ],
)
def test_the_color_card(
    classic: Board, houses: tuple[int, ...], palaces: tuple[int, ...], score: int
) -> None:
    """6: 4 for two or three colors, 7 for four or five; palaces count like houses."""
    pieces: Any = {"houses": {45: houses}, "palaces": {45: palaces}}
    position = setting(classic, around(classic, 45), phase="score", city=45, **pieces)
    assert value(classic, position, "city-colors") == score


def test_every_card(classic: Board) -> None:
    """6: all thirty in one position, counted by hand."""
    # A city of one space with a white, a gray and a black tower; another far away; outside two
    # walls with three towers, two of them on the shore.
    old = 101
    walls = around(classic, 45) | around(classic, old)
    city = sorted(classic.space_towers[45])
    towers = dict(zip(city, (0, 1, 2), strict=True))
    towers |= dict.fromkeys(classic.space_towers[old], 0)
    shore = [t for t, wet in enumerate(classic.tower_shore) if wet and classic.tower_xy[t][0] < 2]
    first, second = shore[1], shore[2]
    inner = next(b for a, b in classic.line_towers if a == second and b not in shore)
    land = {
        line
        for line, ends in enumerate(classic.line_towers)
        if set(ends) in ({first, second}, {second, inner})
    }
    assert len(land) == 2
    towers |= {first: 0, second: 2, inner: 2}
    by_region = {r: classic.space_region.index(r) for r in (1, 2, 3)}
    position = setting(
        classic,
        walls | land,
        towers=towers,
        phase="score",
        city=45,
        houses={
            45: (2, 1, 0, 0, 0),
            old: (0, 0, 5, 0, 0),
            by_region[1]: (1, 0, 3, 0, 0),
            by_region[2]: (0, 2, 0, 1, 0),
            by_region[3]: (0, 0, 0, 0, 6),
        },
        palaces={45: (1, 0, 0, 2, 0), old: (0, 3, 0, 0, 0)},
    )
    score = {
        "city-size-1": 6, "city-colors": 4, "city-towers-white": 2, "city-towers-gray": 2,
        "city-towers-black": 2, "city-palaces": 3, "city-red": 3 + 2, "city-rose": 1,
        "city-green": 6, "city-towers": 3, "land-red": 1, "land-rose": 2, "land-yellow": 3,
        "land-green": 1, "land-blue": 6, "land-region-1": 4, "land-region-2": 3,
        "land-region-3": 6, "land-towers": 3, "land-towers-white": 2, "land-towers-black": 4,
        "land-shore": 4, "land-walls": 2, "cities": 2,
    }  # fmt: skip
    assert {card: value(classic, position, card) for card in CARDS} == {
        card: score.get(card, 0) for card in CARDS
    }


def test_a_region_that_the_board_lacks_scores_nothing() -> None:
    """2: boards have one to three regions."""
    board = board_of("rhombus-2")
    position = setting(
        board, [1, 2, 4], phase="score", city=0, houses={0: (1, 0, 0, 0, 0), 1: (0, 0, 2, 0, 0)}
    )
    worths = [value(board, position, f"land-region-{region}") for region in (1, 2, 3)]
    assert worths == [2, 0, 0]


@kernel
def closing_values(state: Words, board: Words, line: int, areas: Words, out: Words) -> None:
    """Fill `out` (uint64[4]) with VALUES of the city that a wall would complete."""
    _, (out[0], out[1], out[2], out[3]) = values_if_closed(state, board, line, areas)


def test_a_city_is_valued_before_it_is_completed() -> None:
    """6: without its bare towers, also those with high numbers."""
    board = board_of("ring-128")
    center = max(n for n in range(len(board.tower_xy)) if sum(
        n in corners for corners in board.space_towers) == 6)  # fmt: skip
    assert center >= 64
    last, *walls = sorted(around(board, *touching(board, center)))
    walls.append(spokes(board, center)[0])
    game = start(setting(board, walls), board, RED)
    out = np.zeros(4, dtype=np.uint64)
    areas = np.zeros(int(AREAS), dtype=np.uint64)
    closing_values(game.state, game.table.packed, last, areas, out)
    game.apply(f"wall:{last}")
    settle(game, "houses")
    assert game.phase == "score"
    towers = [kind for kind, name in enumerate(CARDS) if "towers" in name]
    values = game.state[int(layout.VALUES) : int(layout.VALUES) + 4].view(np.uint8)
    assert out.view(np.uint8)[towers].tolist() == values[towers].tolist()


# ---- 7: the end


def cluster(board: Board, center: int) -> set[int]:
    """Twelve walls round a tower space: six cities of one space, with seven towers."""
    return {line for space in touching(board, center) for line in board.space_lines[space]}


def test_the_last_wall_ends_the_game(classic: Board) -> None:
    """7: with the turn in which it is placed; without a city the final scoring follows."""
    walls = grown(classic, cluster(classic, CENTER), 32)
    (line,) = grown(classic, walls, 33) - walls
    game = build(classic, walls, line)
    assert (game.phase, game.seat, game.position.end) == ("final", 0, "walls")


@pytest.mark.parametrize("ends", [1, 2])
def test_the_last_tower_ends_the_game(classic: Board, ends: int) -> None:
    """7: of all colors; 3.3: of two ends one stays empty."""
    walls, towers = chain(classic, 29)
    lines = enumerate(classic.line_towers)
    line = next(n for n, pair in lines if sum(end not in towers for end in pair) == ends)
    game = settle(build(classic, walls, line, towers=towers), "towers", "houses")
    assert (game.phase, game.position.end) == ("final", "towers")
    assert events(game, "towers")[0]["put"][0][1] == "black"
    assert len(game.position.towers) == 30


ALMOST_ALL_HOUSES = {0: (12, 12, 12, 0, 0), 1: (0, 0, 0, 12, 11)}


@pytest.mark.parametrize("last", [False, True])
def test_the_last_house_ends_the_game(classic: Board, last: bool) -> None:
    """7: of all colors; 3.4: one house left for two spaces, here of two regions."""
    region = dict(enumerate(classic.space_region))
    line = next(
        line
        for line, beside in enumerate(classic.line_spaces)
        if None not in beside and len({region[space] for space in beside if space is not None}) == 2
    )
    game = build(classic, {0}, line, houses=ALMOST_ALL_HOUSES)
    settle(game, "towers", "houses", last=last)
    assert (game.phase, game.position.end) == ("final", "houses")
    assert differences(game.table, game.state) == []


def test_the_last_palace_ends_the_game(classic: Board) -> None:
    """7: after the scoring of its city."""
    pieces: Any = {"palaces": {100: (3, 3, 3, 3, 2)}, "houses": {45: (0, 0, 0, 0, 2)}}
    game = close(classic, 45, walls=around(classic, 100), **pieces)
    assert events(game, "palaces") == [{"e": "palaces", "built": {"blue": 1}}]
    assert (game.phase, game.position.end) == ("score", "palaces")


def test_without_a_line_the_game_ends() -> None:
    """7: at the start of a turn; the player who cannot build is the active one."""
    game = build(board_of("rhombus-2"), {0, 1, 2, 4}, 3, turn=4)
    game.apply("merge:none")
    settle(game, "score", "swap")
    assert (game.phase, game.seat, game.position.end) == ("final", 1, "no-line")
    assert (game.position.active, game.position.turn) == (1, 5)
    game.apply("final:pass")
    game.apply("final:pass")
    assert game.is_over


def test_the_first_of_two_supplies_names_the_end(classic: Board) -> None:
    """7: the last wall comes before the last tower, and it before the last house."""
    far = {line_of(classic, 60, 61), line_of(classic, 65, 66)}
    walls = grown(classic, cluster(classic, CENTER) | far, 32)
    assert len(ends_of(classic, walls)) == 29
    game = settle(build(classic, walls, line_of(classic, 63, 64)), "towers")
    assert len(game.position.towers) == 30
    assert (game.phase, game.position.end) == ("final", "walls")
    assert start(game.position, classic).text == game.text

    walls, towers = chain(classic, 29)
    game = build(classic, walls, 169, towers=towers, houses=ALMOST_ALL_HOUSES)
    settle(game, "towers", "houses")
    assert (game.phase, game.position.end) == ("final", "towers")


def test_the_end_stays_although_walls_come_back(classic: Board) -> None:
    """7: the last wall completes a city, and its inside goes back."""
    spaces = touching(classic, CENTER)
    walls = around(classic, *spaces) | {spokes(classic, CENTER)[0]} | cluster(classic, OTHER)
    game = close(classic, *spaces, walls=grown(classic, walls, 33), roll=GREEN)
    assert (game.phase, game.position.end) == ("score", "walls")
    assert len(game.position.walls) == 32
    assert settle(game, "score").is_over


def test_the_end_stays_although_houses_come_back(classic: Board) -> None:
    """7: the last house stands in a city that makes palaces of its houses."""
    houses = {45: (12, 12, 12, 12, 11)}
    game = close(classic, 45, houses=houses, roll=("white", "blue", "blue"))
    game.apply("houses:45=blue")
    assert (game.phase, game.position.end) == ("score", "houses")
    assert game.position.houses == {45: (6, 6, 6, 6, 6)}
    assert game.position.palaces == {45: (3, 3, 3, 3, 3)}


def test_the_end_with_a_city_is_a_scoring_without_swap(classic: Board) -> None:
    """7: draws included; then the game is over."""
    walls = grown(classic, around(classic, 5) | cluster(classic, OTHER), 33)
    game = close(classic, 5, walls=walls, roll=GREEN)
    assert game.phase == "score"
    assert settle(game, "score").is_over
    assert [len(event["drew"]) for event in events(game, "play")] == [1, 1]
    assert events(game, "swap") == events(game, "final") == []


def test_final_scoring_goes_clockwise_from_the_active_player(classic: Board) -> None:
    """7: 0, 1 or 2 cards for a completed city; nothing is drawn."""
    hands = (hand("cities", "land-red"), hand("city-size-1", "cities"), hand("land-blue"))
    ended: Any = {"phase": "final", "end": "walls", "scores": (5, 0, 5)}
    walls = grown(classic, cluster(classic, OTHER), 33)
    game = start(setting(classic, walls, players=3, active=1, hands=hands, **ended), classic)
    city = min(game.position.cities[2])
    game.apply(f"final:{city}/city-size-1+cities")
    game.apply("final:pass")
    game.apply(f"final:{city}/cities")
    assert game.events == [
        {"e": "final", "p": 1, "city": city, "cards": ["city-size-1", "cities"], "points": [6, 6]},
        {"e": "final", "p": 2, "city": None, "cards": [], "points": []},
        {"e": "final", "p": 0, "city": city, "cards": ["cities"], "points": [6]},
    ]
    assert game.is_over
    assert game.position.hand_sizes == (1, 0, 1)


def test_final_scoring_without_a_city(classic: Board) -> None:
    """7: city cards score 0 and the others as usual."""
    walls, towers = chain(classic, 30)
    ended: Any = {"phase": "final", "end": "towers", "towers": towers}
    hands = (hand("city-size-1", "land-walls"), hand("cities"))
    game = start(setting(classic, walls, hands=hands, **ended), classic)
    game.apply("final:none/city-size-1+land-walls")
    assert game.events[0]["points"] == [0, len(walls)]
    assert game.events[0]["city"] is None


@pytest.mark.parametrize(
    ("scores", "sizes", "winners"),
    [
        ((4, 5, 3), (6, 1, 6), (1,)),
        ((5, 5, 3), (4, 5, 6), (1,)),
        ((5, 5, 5), (5, 4, 5), (0, 2)),
        ((0, 0, 0), (0, 0, 0), (0, 1, 2)),
    ],
)
def test_points_win_then_cards_then_all_share(
    classic: Board, scores: tuple[int, ...], sizes: tuple[int, ...], winners: tuple[int, ...]
) -> None:
    """7."""
    hands = tuple(tuple(range(8 * s, 8 * s + n)) for s, n in enumerate(sizes))
    position = setting(classic, players=3, phase="over", end="walls", scores=scores, hands=hands)
    result = start(position, classic).result
    assert result is not None
    assert (result.winners, result.hand_sizes, result.end) == (winners, sizes, "walls")
