"""Moves as text: round trips of all legal moves of games, and each fault by name."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masons.engine.board.components import CARDS, HOUSE_COLORS, TOWER_COLORS
from masons.engine.board.geometry import load_board
from masons.engine.errors import MoveError
from masons.engine.formats import move_text as n
from masons.engine.formats.move_text import format_move, parse_move
from masons.engine.game.game import Game
from masons.engine.state import packed_move
from tests.support.playing import moves_by_chance

RED, CITIES = CARDS.index("city-red"), CARDS.index("cities")
LAND_RED = CARDS.index("land-red")

EXAMPLES = {
    "wall:57": n.wall_move(57),
    "early-roll": n.early_roll_move(),
    "towers:12=white": n.placing_move(packed_move.TOWERS, [(12, 0)]),
    "towers:12=white,13=gray": n.placing_move(packed_move.TOWERS, [(12, 0), (13, 1)]),
    "houses:40=red": n.placing_move(packed_move.HOUSES, [(40, 0)]),
    "houses:40=blue,41=green": n.placing_move(packed_move.HOUSES, [(40, 4), (41, 3)]),
    "merge:17": n.merge_move(17),
    "merge:none": n.merge_move(None),
    "play:cities": n.play_move([CITIES]),
    "play:city-red+cities": n.play_move([CITIES, RED]),
    "play:cities+cities": n.play_move([CITIES, CITIES]),
    "abstain:cities": n.abstain_move(CITIES),
    "swap:none": n.swap_move([]),
    "swap:land-red+land-red+cities": n.swap_move([CITIES, LAND_RED, LAND_RED]),
    "final:pass": n.final_move(None, []),
    "final:17/cities": n.final_move(17, [CITIES]),
    "final:none/land-red+cities": n.final_move(None, [CITIES, LAND_RED]),
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_move_reads_and_writes(text: str) -> None:
    move = EXAMPLES[text]
    assert format_move(move) == str(move) == text
    assert parse_move(text) == parse_move(f" {text}\n") == move
    assert repr(move) == f"Move({text!r})"
    assert 0 <= move < 1 << 64


def test_every_legal_move_of_a_game_reads_back() -> None:
    """So the texts are as the packed moves of the kernels, bit by bit."""
    kinds = set()
    for seed in range(3):
        game = Game(2 + seed, seed=seed, early_roll=True)
        for _ in moves_by_chance(game, random.Random(seed)):
            moves = game.legal_moves()
            texts = []
            for move in moves[:: 1 + len(moves) // 200]:
                texts.append(format_move(move))
                assert parse_move(texts[-1]) == move
                kinds.add(move.kind)
            assert len(set(texts)) == len(texts)
    assert kinds == set(range(packed_move.WALL, packed_move.FINAL + 1))


def test_a_move_says_what_it_is() -> None:
    assert (EXAMPLES["wall:57"].kind, EXAMPLES["wall:57"].place) == (packed_move.WALL, 57)
    assert EXAMPLES["houses:40=blue,41=green"].put == ((40, 4), (41, 3))
    assert EXAMPLES["towers:12=white"].put == ((12, 0),)
    assert EXAMPLES["merge:none"].place == packed_move.NONE
    assert EXAMPLES["play:city-red+cities"].cards == (RED, CITIES)
    assert EXAMPLES["abstain:cities"].cards == (CITIES,)
    assert EXAMPLES["swap:none"].cards == EXAMPLES["final:pass"].cards == ()
    without_cards = ("wall", "towers", "houses", "merge")
    assert not any(EXAMPLES[text].cards for text in EXAMPLES if text.split(":")[0] in without_cards)
    assert parse_move("play:cities+city-red") == EXAMPLES["play:city-red+cities"]
    assert EXAMPLES["final:17/cities"].city == 17
    assert EXAMPLES["final:none/land-red+cities"].city is None


def test_a_city_without_cards_is_a_pass() -> None:
    assert n.final_move(17, []) == n.final_move(None, [])


FAULTS = {
    "": "'' is not a move: write for example wall:57",
    "wall": "'wall' is not a move",
    "wall:": "'wall:' is not a move",
    "jump:3": "'jump:3' is not a move",
    "toss:cities": "'toss:cities' is not a move",
    "wall:x": "'x' is not a wall line: write its number, from 0 to 223",
    "wall:224": "'224' is not a wall line: write its number, from 0 to 223",
    "towers:96=white": "'96' is not a tower space: write its number, from 0 to 95",
    "merge:128": "'128' is not a city: write its number, from 0 to 127",
    "wall:007": "'007' is not a wall line",
    "wall:٣": "'٣' is not a wall line",
    "towers:12": "'12' needs a color: one of white, gray, black",
    "towers:12=red": "'12=red' needs a color: one of white",
    "towers:x=white": "'x' is not a tower space",
    "towers:13=white,12=gray": "must name one tower space or two in ascending order",
    "towers:12=white,12=gray": "must name one tower space or two in ascending order",
    "towers:1=white,2=gray,3=gray": "must name one tower space or two",
    "houses:40=white": "'40=white' needs a color: one of red, rose, yellow, green, blue",
    "houses:41=red,40=red": "must name one space or two in ascending order",
    "merge:nothing": "'nothing' is not a city: write its number",
    "play:none": "'none' is not a card: write a name like city-red or cities",
    "play:city-pink": "'city-pink' is not a card",
    "play:cities+": "'' is not a card",
    "play:cities+land-red+city-red": "must be one or two cards",
    "abstain:cities+land-red": "must be one card",
    "swap:cities+cities+cities": "none or some cards, none of them more than twice",
    "swap:all": "'all' is not a card",
    "final:17": "'final:17' needs a city: write final:17/cities or final:pass",
    "final:cities": "'final:cities' needs a city",
    "final:x/cities": "'x' is not a city",
    "final:17/cities+land-red+city-red": "must be one or two cards",
    "wall:" + "9" * 1000: "is not a wall line",
    "jump\nhigh": "'jump\\nhigh' is not a move",
}


NOT_ON_THE_BOARD = {
    "wall:170": "'170' is not a wall line: write its number, from 0 to 169",
    "wall:999": "'999' is not a wall line: write its number, from 0 to 169",
    "wall:x": "'x' is not a wall line: write its number, from 0 to 169",
    "towers:67=white": "'67' is not a tower space: write its number, from 0 to 66",
    "houses:104=red": "'104' is not a space: write its number, from 0 to 103",
    "merge:104": "'104' is not a city: write its number, from 0 to 103",
    "final:104/cities": "'104' is not a city: write its number, from 0 to 103",
}


@pytest.mark.parametrize("text", NOT_ON_THE_BOARD)
def test_a_board_that_is_known_has_its_range_named(text: str) -> None:
    with pytest.raises(MoveError, match=re.escape(NOT_ON_THE_BOARD[text])):
        parse_move(text, load_board("classic"))
    assert parse_move("wall:169", load_board("classic")) == n.wall_move(169)


@pytest.mark.parametrize("text", FAULTS)
def test_a_fault_is_named(text: str) -> None:
    with pytest.raises(MoveError, match=re.escape(FAULTS[text])) as caught:
        parse_move(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def fault_of(reader: Callable[[Any], object], value: object) -> str | None:
    try:
        reader(value)
    except MoveError as error:
        return str(error)
    return None


@given(st.integers(0, (1 << 64) - 1))
def test_any_number_is_a_move_or_a_clear_error(number: int) -> None:
    fault = fault_of(format_move, number)
    if fault is None:
        assert format_move(number).partition(":")[0] in {*WORDS, "toss"}
    else:
        assert fault == f"the number {number} is not a packed move"


WORDS = [text.partition(":")[0] for text in EXAMPLES]


def test_colors_and_cards_have_the_names_of_the_box() -> None:
    for color, name in enumerate(TOWER_COLORS):
        assert format_move(n.placing_move(packed_move.TOWERS, [(3, color)])) == f"towers:3={name}"
    for color, name in enumerate(HOUSE_COLORS):
        assert format_move(n.placing_move(packed_move.HOUSES, [(3, color)])) == f"houses:3={name}"
    for card, name in enumerate(CARDS):
        assert format_move(n.play_move([card])) == f"play:{name}"
