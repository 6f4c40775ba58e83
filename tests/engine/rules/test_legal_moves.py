"""The legal moves of every decision, by example (rules, 8)."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from masons.engine.board.components import CARDS, HOUSE_COLORS
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import Move, final_move, format_move, parse_move
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.game.table import Swaps
from masons.engine.state.position import Position
from tests.support.playing import (
    around,
    between,
    board_of,
    chain,
    game_at,
    hand,
    pick,
    setting,
)

WHITE, GRAY, BLACK = range(3)


def texts(game: Game) -> list[str]:
    return [format_move(move) for move in game.legal_moves()]


def start(position: Position, board: Board) -> Game:
    return game_at(position, board, Outside())


def rolled(
    position: Position, board: Board, line: int, tower: str | None, first: str, second: str
) -> Game:
    """The game after a wall and a roll."""
    game = start(position, board)
    game.apply(f"wall:{line}")
    game.give_roll(tower, first, second)
    return game


def houses_after(position: Position, board: Board, line: int, first: str, second: str) -> set[str]:
    """The placings of houses after a wall, a roll and the first placing of towers."""
    game = rolled(position, board, line, "white", first, second)
    game.apply(game.legal_moves()[0])
    return set(texts(game))


def free_line(board: Board, position: Position, empty: int, spaces: int = 2) -> int:
    """The last line with that many empty ends and spaces beside it."""
    return max(
        line
        for line, (ends, beside) in enumerate(
            zip(board.line_towers, board.line_spaces, strict=True)
        )
        if line not in position.walls
        and sum(end not in position.towers for end in ends) == empty
        and sum(space is not None for space in beside) == spaces
    )


# ---- wall


def test_no_wall_on_a_wall_nor_inside_a_city(classic: Board) -> None:
    center = 25  # a tower space; the six spaces round it are one city
    hexagon = [s for s, corners in enumerate(classic.space_towers) if center in corners]
    spokes = {line for line, ends in enumerate(classic.line_towers) if center in ends}
    border = around(classic, *hexagon)
    open_ = texts(start(setting(classic, border), classic))
    assert open_ == [f"wall:{line}" for line in range(170) if line not in spokes | border]


def test_every_line_of_an_empty_board_and_the_early_roll(classic: Board) -> None:
    lines = [f"wall:{line}" for line in range(170)]
    assert texts(Game(2, board=classic, seed=1)) == lines
    game = Game(2, board=classic, seed=1, early_roll=True)
    assert texts(game) == [*lines, "early-roll"]
    game.apply("early-roll")
    assert texts(game) == lines


# ---- towers


def test_one_empty_end_is_no_decision(classic: Board) -> None:
    position = setting(classic, [0])
    line = free_line(classic, position, 1)
    game = rolled(position, classic, line, "black", "red", "blue")
    assert game.phase == "houses"
    (end,) = set(classic.line_towers[line]) - {0, 1}
    assert game.position.towers[end] == BLACK


def test_two_empty_ends(classic: Board) -> None:
    game = rolled(setting(classic), classic, 57, "white", "red", "red")
    a, b = classic.line_towers[57]
    pairs = ("white", "white"), ("white", "gray"), ("white", "black"), ("gray", "white")
    assert set(texts(game)) == {f"towers:{a}={x},{b}={y}" for x, y in (*pairs, ("black", "white"))}


def without(color: int, towers: dict[int, int]) -> dict[int, int]:
    """As many towers, with all ten of one color among them, the others by turns."""
    left = [color] * 10
    rest = [c for c in range(3) if c != color]
    left += [rest[i % 2] for i in range(len(towers) - 10)]
    return dict(zip(towers, left, strict=True))


def test_a_rolled_color_that_is_out_is_replaced(classic: Board) -> None:
    walls, towers = chain(classic, 14)
    position = setting(classic, walls, towers=without(WHITE, towers))
    game = rolled(position, classic, free_line(classic, position, 1), "white", "red", "red")
    (end,) = {place for move in game.legal_moves() for place, _ in move.put}
    assert texts(game) == [f"towers:{end}=gray", f"towers:{end}=black"]
    line = free_line(classic, position, 2)
    a, b = classic.line_towers[line]
    assert set(texts(rolled(position, classic, line, "white", "red", "red"))) == {
        f"towers:{a}={x},{b}={y}" for x in ("gray", "black") for y in ("gray", "black")
    }


def test_a_color_that_runs_out_with_the_first_tower(classic: Board) -> None:
    """One white and many black: two towers cannot both be white."""
    walls, towers = chain(classic, 19)
    colors = [WHITE] * 9 + [GRAY] * 10
    position = setting(classic, walls, towers=dict(zip(towers, colors, strict=True)))
    line = free_line(classic, position, 2)
    a, b = classic.line_towers[line]
    game = rolled(position, classic, line, "white", "red", "red")
    assert set(texts(game)) == {f"towers:{a}=white,{b}=black", f"towers:{a}=black,{b}=white"}


def test_one_tower_left_for_two_ends(classic: Board) -> None:
    walls, towers = chain(classic, 29)  # 10 white, 10 gray, 9 black
    position = setting(classic, walls, towers=towers)
    line = free_line(classic, position, 2)
    a, b = classic.line_towers[line]
    game = rolled(position, classic, line, "white", "red", "red")
    assert set(texts(game)) == {f"towers:{a}=black", f"towers:{b}=black"}
    game.apply(f"towers:{b}=black")
    assert a not in game.position.towers
    assert game.position.end == "towers"


# ---- houses


def test_two_dice_for_two_spaces(classic: Board) -> None:
    empty = setting(classic)
    line = free_line(classic, empty, 2)
    a, b = classic.line_spaces[line]

    def put(*pairs: tuple[str, str]) -> set[str]:
        return {f"houses:{a}={x},{b}={y}" for x, y in pairs}

    every = list(product(HOUSE_COLORS, repeat=2))
    for dice, right in (
        (("red", "blue"), put(("red", "blue"), ("blue", "red"))),
        (("?", "?"), put(*every)),
        (("?", "red"), put(*(pair for pair in every if "red" in pair))),
    ):
        assert houses_after(empty, classic, line, *dice) == right


def test_two_equal_dice_are_no_decision(classic: Board) -> None:
    game = rolled(setting(classic, [0]), classic, 169, "white", "red", "red")
    game.apply(game.legal_moves()[0])
    assert game.phase == "wall"


def test_one_space_takes_either_die(classic: Board) -> None:
    line = free_line(classic, setting(classic), 2, spaces=1)
    (space,) = (space for space in classic.line_spaces[line] if space is not None)
    after = houses_after(setting(classic), classic, line, "red", "blue")
    assert after == {f"houses:{space}=red", f"houses:{space}=blue"}


@pytest.mark.parametrize(
    ("left", "dice", "right"),
    [
        ((0, 0, 0, 4, 4), ("red", "green"), ["green,green", "blue,green", "green,blue"]),
        # One red house for two red dice: the other is replaced.
        ((1, 0, 0, 0, 4), ("red", "red"), ["red,blue", "blue,red"]),
        # One house left for two spaces, whatever the dice say.
        ((0, 1, 0, 0, 0), ("red", "?"), ["rose,", ",rose"]),
    ],
)
def test_a_house_color_that_is_out_is_replaced(
    classic: Board, left: tuple[int, ...], dice: tuple[str, str], right: list[str]
) -> None:
    a, b, c, d, e = (12 - count for count in left)
    position = setting(classic, [0], houses={0: (a, b, c, 0, 0), 1: (0, 0, 0, d, e)})
    line = free_line(classic, setting(classic, [0]), 2)
    puts = set()
    for pair in right:
        colors = zip(classic.line_spaces[line], pair.split(","), strict=True)
        puts.add("houses:" + ",".join(f"{space}={color}" for space, color in colors if color))
    assert houses_after(position, classic, line, *dice) == puts


# ---- merge


def test_each_neighboring_city_and_none(classic: Board) -> None:
    """One wall completes the city of space 45 between two cities."""
    lines = classic.space_lines[45]
    near = [
        space for line in lines for space in classic.line_spaces[line] if space not in (45, None)
    ]
    first, second, third = (space for space in near if space is not None)
    walls = around(classic, first) | around(classic, second)
    line = between(classic, 45, third)
    game = rolled(setting(classic, walls), classic, line, None, "red", "red")
    assert game.phase == "merge"
    assert texts(game) == [*(f"merge:{city}" for city in sorted((first, second))), "merge:none"]


def test_no_decision_without_a_neighboring_city(classic: Board) -> None:
    last = min(around(classic, 45))
    position = setting(classic, (around(classic, 45) - {last}) | around(classic, 100))
    game = rolled(position, classic, last, None, "red", "red")
    assert game.phase == "score"
    assert len(game.position.cities) == 2


def test_a_common_corner_is_no_common_wall(classic: Board) -> None:
    """Two spaces that share a tower space but no line."""
    corner = classic.space_towers[45][0]
    near = {s for line in classic.space_lines[45] for s in classic.line_spaces[line]}
    other = next(
        space
        for space, corners in enumerate(classic.space_towers)
        if corner in corners and space not in near
    )
    last = min(around(classic, 45))
    position = setting(classic, (around(classic, 45) - {last}) | around(classic, other))
    assert rolled(position, classic, last, None, "red", "red").phase == "score"


# ---- score and swap


def scoring(board: Board, *cards: str) -> Game:
    """A game in which seat 0 with these cards scores a city of one space."""
    hands = (hand(*cards), hand("cities", "cities"))
    return start(setting(board, around(board, 45), phase="score", city=45, hands=hands), board)


@pytest.mark.parametrize(
    ("cards", "moves"),
    [
        (("land-red",), "play:land-red abstain:land-red"),
        (
            ("land-red", "city-red", "land-red"),
            "play:city-red play:land-red play:city-red+land-red play:land-red+land-red "
            "abstain:city-red abstain:land-red",
        ),
    ],
)
def test_singles_pairs_and_abstains(classic: Board, cards: tuple[str, ...], moves: str) -> None:
    assert texts(scoring(classic, *cards)) == moves.split()


def test_the_number_of_scores(classic: Board) -> None:
    """For a hand of n kinds, d of them double: n singles, n abstains, n(n-1)/2 + d pairs."""
    chance = random.Random(3)
    deck = sorted([*CARDS] * 2)[2:]  # without the cities of the other hand
    for size in range(1, 13):
        cards = chance.sample(deck, size)
        n, d = len(set(cards)), size - len(set(cards))
        moves = scoring(classic, *cards).legal_moves()
        assert len(moves) == len(set(moves)) == 2 * n + n * (n - 1) // 2 + d


def test_swaps_are_the_sub_multisets(classic: Board) -> None:
    hands = (hand("land-red", "city-red", "land-red"), hand("cities", "cities"))
    position = setting(classic, around(classic, 45), phase="swap", queue=(0,), hands=hands)
    game = start(position, classic)
    swaps = "none city-red land-red city-red+land-red land-red+land-red city-red+land-red+land-red"
    assert sorted(texts(game)) == sorted(f"swap:{cards}" for cards in swaps.split())
    assert not game.is_legal(parse_move("swap:city-red+city-red"))
    assert not game.is_legal(parse_move("swap:cities"))


def test_swaps_behave_like_a_list() -> None:
    swaps = Swaps([0, 0, 3, 7])
    every = list(swaps)
    assert len(every) == len(set(every)) == len(swaps) == 3 * 2 * 2
    assert swaps[-1] == every[-1]
    assert list(swaps[2:5]) == every[2:5]
    assert all(move in swaps for move in every)
    assert Move(0) not in swaps
    assert "swap:none" not in swaps
    with pytest.raises(IndexError):
        swaps[12]
    assert len(Swaps([*range(30)] * 2)) == 3**30


# ---- final


def nowhere_to_build(*cards: str, **fields: object) -> Game:
    """The final scoring on a board of two spaces, each of them a city."""
    board = board_of("rhombus-2")
    hands = (hand(*cards), hand("cities"))
    position = setting(board, range(5), phase="final", end="no-line", hands=hands, **fields)
    return start(position, board)


def finals(*moves: str) -> set[str]:
    return {f"final:{move}" for move in ("pass", *moves)}


def test_cities_with_the_same_total_are_one_move() -> None:
    """Both cities have one space; only in the second stands a red house."""
    game = nowhere_to_build("city-size-1", "city-red", houses={1: (1, 0, 0, 0, 0)})
    both = "city-size-1+city-red"
    red = [f"{city}/{cards}" for city in (0, 1) for cards in ("city-red", both)]
    assert set(texts(game)) == finals("0/city-size-1", *red)


def test_another_city_of_the_same_total_is_legal_too() -> None:
    game = nowhere_to_build("city-size-1", "cities")
    assert set(texts(game)) == finals("0/city-size-1", "0/cities", "0/city-size-1+cities")
    for text in ("1/city-size-1", "1/city-size-1+cities"):
        assert game.is_legal(f"final:{text}")
    for text in ("2/cities", "none/cities", "1/land-red", "1/cities+cities"):
        assert not game.is_legal(f"final:{text}")
    for move in map(parse_move, texts(game)):
        assert game.table.listed_as(game.state, move) == move
    named = parse_move("final:1/city-size-1+cities")
    assert str(game.table.listed_as(game.state, named)) == "final:0/city-size-1+cities"
    game.apply(named)
    assert game.position.scores[0] == 6 + 2


def test_every_city_that_is_named_is_listed_by_one_name() -> None:
    chance = random.Random("names")
    others = 0
    for seed in range(6):
        game = Game(2, seed=seed)
        while game.phase != "final" and not game.is_over:
            game.apply(pick(game, chance))
        moves = game.legal_moves()
        for root in (min(city) for city in game.position.cities):
            for cards in {move.cards for move in moves if move.cards}:
                move = final_move(root, cards)
                listed = game.table.listed_as(game.state, move)
                assert listed in moves
                assert (move in moves) == (listed == move)
                others += listed != move
    assert others > 50


def test_without_a_city(classic: Board) -> None:
    walls, towers = chain(classic, 29)
    line = free_line(classic, setting(classic, walls, towers=towers), 1)
    (end,) = set(classic.line_towers[line]) - set(towers)
    hands = (hand("cities", "city-red"), hand("cities"))
    ended: Any = {"phase": "final", "end": "towers", "towers": towers | {end: BLACK}}
    game = start(setting(classic, walls | {line}, hands=hands, **ended), classic)
    assert set(texts(game)) == finals("none/cities", "none/city-red", "none/city-red+cities")
    assert not game.is_legal(parse_move("final:45/cities"))


# ---- every decision


@pytest.mark.slow
def test_moves_are_distinct_and_lead_to_different_positions(classic: Board) -> None:
    """Except in the final scoring, where other cities may give the same points."""
    chance = random.Random(8)
    seen = set()
    game = Game(3, board=classic, seed=8)
    while not game.is_over:
        moves = list(game.legal_moves()[:300])
        assert len(set(moves)) == len(moves)
        if game.phase in ("towers", "houses", "merge") and game.phase not in seen:
            seen.add(game.phase)
            reached = set()
            for move in moves:
                game.apply(move)
                reached.add(game.text)
                game.undo()
            assert len(reached) == len(moves)
        game.apply(pick(game, chance))
    assert seen == {"towers", "houses", "merge"}
