"""Legal moves (rules, 8) that games by chance seldom meet, and how they are listed.

`test_roll_outcomes` has every outcome of a roll, `test_against_reference` whole games.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import Move, final_move, format_move, parse_move
from masons.engine.game.game import Game
from masons.engine.game.move_lists import Swaps
from masons.engine.kernels.jit import Word, Words
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.rules.legal_moves import (
    MAX_CITIES,
    MAX_MOVES,
    WORK_WORDS,
    list_best_finals,
    nth_swap,
)
from masons.engine.state.position import Position
from tests.support.playing import (
    around,
    board_of,
    chain,
    game_at,
    hand,
    neighbors,
    pick,
    setting,
    touching,
)


def texts(game: Game) -> list[str]:
    return [format_move(move) for move in game.legal_moves()]


def rolled(
    position: Position, board: Board, line: int, tower: str | None, first: str, second: str
) -> Game:
    """The game after a wall and a roll."""
    game = game_at(position, board)
    game.apply(f"wall:{line}")
    game.give_roll(tower, first, second)
    return game


def free_line(board: Board, position: Position, empty: int) -> int:
    """The last line between two spaces with that many empty ends."""
    return max(
        line
        for line, (ends, beside) in enumerate(
            zip(board.line_towers, board.line_spaces, strict=True)
        )
        if line not in position.walls
        and sum(end not in position.towers for end in ends) == empty
        and sum(space is not None for space in beside) == 2
    )


# ---- wall


def test_every_line_of_an_empty_board_and_the_early_roll(classic: Board) -> None:
    lines = [f"wall:{line}" for line in range(170)]
    assert texts(Game(2, board=classic, seed=1)) == lines
    game = Game(2, board=classic, seed=1, early_roll=True)
    assert texts(game) == [*lines, "early-roll"]
    game.apply("early-roll")
    assert texts(game) == lines


# ---- towers


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


# ---- merge


def test_a_common_corner_is_no_common_wall(classic: Board) -> None:
    """Two spaces that share a tower space but no line."""
    near = [45, *neighbors(classic, 45)]
    corner = classic.space_towers[45][0]
    other = next(space for space in touching(classic, corner) if space not in near)
    last = min(around(classic, 45))
    position = setting(classic, (around(classic, 45) - {last}) | around(classic, other))
    assert rolled(position, classic, last, None, "red", "red").phase == "score"


# ---- score and swap


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


def test_some_swaps_can_be_left_out() -> None:
    """Nothing is listed for that."""
    every = list(Swaps([0, 0, 3, 7]))
    for out in (every[:1], every[-1:], [every[9], every[2], every[3], every[2]], every):
        swaps = Swaps([7, 0, 3, 0]).without(out)
        left = [move for move in every if move not in out]
        assert list(swaps) == left
        assert [move for move in every if move in swaps] == left
        assert (swaps == Swaps([0, 0, 3, 7])) == (not out)
    large = Swaps([*range(30)] * 2)
    rest = large.without([large[3**29]])
    assert [rest[3**29 - 1], rest[3**29]] == [large[3**29 - 1], large[3**29 + 1]]
    assert len(rest) == len(large) - 1


@kernel
def numbered_swaps(cards: int, count: int, out: Words) -> None:
    """Fill `out` with the swaps of a hand by number."""
    for n in range(count):
        out[n] = nth_swap(cards, n)


def test_each_swap_has_a_number() -> None:
    hand_of_cards = 0b11 | 1 << 2 * 3 | 1 << 2 * 7
    swaps = Swaps([0, 0, 3, 7])
    out = np.zeros(len(swaps), dtype=np.uint64)
    numbered_swaps(hand_of_cards, len(out), out)
    assert sorted(out.tolist()) == sorted(swaps)


# ---- final


def nowhere_to_build(*cards: str, **fields: object) -> Game:
    """The final scoring on a board of two spaces, each of them a city."""
    board = board_of("rhombus-2")
    hands = (hand(*cards), hand("cities"))
    position = setting(board, range(5), phase="final", end="no-line", hands=hands, **fields)
    return game_at(position, board)


def finals(*moves: str) -> set[str]:
    return {f"final:{move}" for move in ("pass", *moves)}


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


@kernel
def best_finals(state: Words, board: Words, work: Words, roots: Words, out: Words) -> Word:
    """Call `list_best_finals` from Python."""
    return list_best_finals(state, board, work, roots, out)


def test_a_search_plays_each_set_of_cards_for_its_best_city(classic: Board) -> None:
    """The best city of two cards is not that of the first card."""
    walls = around(classic, 45) | around(classic, 5)
    houses = {45: (1, 9, 0, 0, 0), 5: (3, 1, 0, 0, 0), 0: (8, 2, 12, 12, 12)}
    hands = (hand("city-red", "city-rose", "cities"), hand("cities"))
    ended: Any = {"phase": "final", "end": "houses", "hands": hands}
    game = game_at(setting(classic, walls, houses=houses, **ended), classic)
    words = [np.zeros(n, dtype=np.uint64) for n in (WORK_WORDS, MAX_CITIES, MAX_MOVES)]
    count = int(best_finals(game.state, game.table.packed, *words))
    moves = [Move(int(word)) for word in words[2][:count]]

    def points(move: Move) -> int:
        game.apply(move)
        scored = game.position.scores[0]
        game.undo()
        return scored

    most: dict[tuple[int, ...], int] = {}
    for move in game.legal_moves():
        most[move.cards] = max(points(move), most.get(move.cards, 0))
    assert {move.cards: points(move) for move in moves} == most
    assert len(moves) == len(most)


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
    ended: Any = {"phase": "final", "end": "towers", "towers": towers | {end: 2}}
    game = game_at(setting(classic, walls | {line}, hands=hands, **ended), classic)
    assert set(texts(game)) == finals("none/cities", "none/city-red", "none/city-red+cities")
    assert not game.is_legal(parse_move("final:45/cities"))
