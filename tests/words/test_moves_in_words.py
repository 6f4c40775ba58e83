"""Moves in words, and what a seat's view adds to them."""

from __future__ import annotations

import random

import pytest

from masons.engine.board.geometry import load_board
from masons.engine.formats.move_text import parse_move
from masons.engine.game.game import Game
from masons.engine.plain_text import count
from masons.engine.state.packed_move import WALL
from masons.engine.state.position_checks import enclosed_areas
from masons.words.moves import move_words
from masons.words.scored_view import ScoredView
from tests.support.playing import BOARD_NAMES, board_of, pick


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("wall:57", "wall on line 57 (towers 20-27, between spaces 35 and 36)"),
        ("wall:0", "wall on line 0 (towers 0-1, space 1 and the edge)"),
        ("early-roll", "roll before placing the wall, for 1 point"),
        ("towers:12=white,13=gray", "white tower on 12 and gray tower on 13"),
        ("houses:40=red", "red house on space 40"),
        ("merge:17", "merge with the city of space 17"),
        ("merge:none", "no merge"),
        ("play:cities", "play Completed cities"),
        ("play:city-red+cities", "play Red in the city and Completed cities"),
        ("abstain:cities", "abstain: discard Completed cities, draw 2"),
        ("swap:none", "swap nothing"),
        ("swap:cities+cities", "swap 2 cards: Completed cities x2"),
        ("final:pass", "play nothing"),
        ("final:17/cities", "play Completed cities in the city of space 17"),
        ("final:none/land-red", "play Red land houses"),
    ],
)
def test_moves_in_words(text: str, words: str) -> None:
    assert move_words(load_board("classic"), parse_move(text)) == words


def test_points_in_words() -> None:
    board = load_board("classic")
    assert move_words(board, parse_move("play:cities"), [1]) == "play Completed cities for 1 point"
    both = move_words(board, parse_move("play:city-red+cities"), [3, 4])
    assert both == "play Red in the city (3) and Completed cities (4) for 7 points"


@pytest.mark.parametrize("name", BOARD_NAMES)
def test_a_wall_tells_the_size_of_the_city_that_it_completes(name: str) -> None:
    """The kernel's areas against those of the checks of positions, which are plain Python."""
    chance, closed = random.Random(name), 0
    game = Game(3, board=board_of(name), seed=1)
    while not game.is_over:
        scored = ScoredView(game.table, game.view(game.seat))
        for move in game.legal_moves() if game.phase == "wall" else ():
            if move.kind != WALL:
                continue
            areas = enclosed_areas(game.board, {*scored.view.walls, move.place})
            (size,) = [len(a) for a in areas if a not in scored.view.cities] or [0]
            assert scored.facts(move).spaces == size
            city = f", completes a city of {count(size, 'space')}" if size else ""
            assert scored.words(move) == move_words(game.board, move) + city
            closed += size > 0
        game.apply(pick(game, chance))
    assert closed > 5
