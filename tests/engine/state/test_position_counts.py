"""Positions that counting shows to be impossible, and real ones, none of which is refused."""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from masons.engine.board.geometry import Board
from masons.engine.errors import PositionError
from masons.engine.formats.position_text import format_position, is_position, parse_position
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.state.packed_move import PHASE_NAMES
from masons.engine.state.position import Position
from masons.engine.state.position_counts import turns_begun
from tests.engine.formats.test_position_text import changed as line
from tests.support.playing import BOARD_NAMES, board_of, deal, setting, step

GAMES = int(os.environ.get("MASONS_FUZZ", "6"))

HAND = "city-rose+land-red+land-rose+land-blue+land-shore+cities"
EMPTY = f"active=0 phase=wall hands={HAND}/?6"
# The city of space 0, completed in the third turn, when all have scored it.
CITY = (
    f"active=1 phase=wall turn=3 scores=6,3 hands={HAND}/?6 discard=city-size-1+city-red "
    "walls=1,2,20 towers=white:0,7;gray:8 houses=red:0,1,13;rose:0;yellow:0"
)
SWAP = CITY.replace("active=1 phase=wall turn=3", "active=0 phase=swap turn=2")


@pytest.mark.parametrize(
    "text",
    [
        line(EMPTY), line(CITY), line(CITY, "-turn"),
        line(SWAP, "seat=1 queue=1"), line(SWAP, "queue=0,1 scores=4,4"),
        line(SWAP, "seat=1 queue=1 scores=4,4"),
        line(CITY, "discard=city-size-1+city-red+land-walls hands=?5/?6"),
    ],
)  # fmt: skip
def test_what_is_to_be_spoilt_is_sound(text: str) -> None:
    board, position = parse_position(text)
    assert parse_position(format_position(position, board))[1] == position


IMPOSSIBLE = [
    (EMPTY, "turn=40", "turn is 40, but walls and houses show that 0 walls were placed"),
    (EMPTY, "houses=red:50*5", "5 houses on space 50, but 0 walls around it"),
    (EMPTY, "walls=0 towers=white:0;gray:1", "0 houses on space 1, but 1 wall around it"),
    (EMPTY, "scores=500,0", "seat 0 has 500 points: it can have played 0 cards"),
    (EMPTY, "scores=0,1", "seat 1 has 1 point: it can have played 0 cards"),
    (EMPTY, "hands=?6/?1", "the hand of seat 1 has 1 card: after at most 0 cities"),
    (EMPTY, "hands=?1/?59", "the hand of seat 0 has 1 card"),
    (EMPTY, "hands=?6/?54", "the hand of seat 1 has 54 cards: after at most 0 cities scored it can "
     "have 6"),
    (EMPTY, "discard=land-green", "discard has 1 card: after 0 completed cities there can be 0"),
    (EMPTY, "phase=swap queue=0", "this turn's wall must stand, but there is no wall"),
    (EMPTY, "phase=swap queue=0 walls=0 towers=white:0,1 houses=red:1", "in phase swap a city must "
     "have been completed"),
    (CITY, "turn=4", "it must be 3"),
    (CITY, "turn=2", "it must be 3"),
    (CITY, "turn=0", "it must be 3"),
    (CITY, "scores=9999,3", "seat 0 has 9999 points: it can have played 1 card"),
    (CITY, "scores=500,3", "seat 0 has 500 points"),
    (CITY, "hands=?59/?1", "the hands hold more cards than there are"),
    (CITY, "hands=?52/?6", "the hand of seat 0 has 52 cards: after at most 1 city scored it can "
     "have 5 to 7"),
    (CITY, "hands=?4/?6", "it can have 5 to 7"),
    (CITY, "hands=?7/?6", "seat 0 has 6 points: it can have played 0 cards, and so have 0 at most"),
    (CITY, "-discard", "discard has 0 cards: after 1 completed city there can be 2 to"),
    (CITY, "discard=city-size-1", "discard has 1 card"),
    (CITY, "houses=red:0*2,1,13;rose:0", "2 red houses in the city of space 0, but only 0 red"),
    (CITY, "houses=red:0,1,13;rose:0;yellow:0;blue:0", "4 houses in the city of space 0 (a palace "
     "counts two), but its 3 walls brought one each and those cleared two: there can be 3"),
    (CITY, "palaces=blue:0", "5 houses in the city of space 0"),
    (CITY, "houses=red:0,1*2,13;rose:0;yellow:0", "2 houses on space 1, but 1 wall around it"),
    (SWAP, "queue=0", "seat 0 has 6 points, the fewest are 3: only a seat in last place swaps"),
    (SWAP, "queue=0,1", "only a seat in last place swaps"),
    (SWAP, "queue=0 scores=3,3", "queue must be 0,1: the seats in last place"),
    (CITY, "phase=final end=walls", "end is walls, but the supply that ran out first is none"),
    (CITY, "phase=over turn=2 end=walls", "end is walls, but 3 stand and at most 0 came back"),
    (CITY, "phase=over turn=2 end=houses", "end is houses, but 5 stand and at most 0 came back"),
    (CITY, "phase=over turn=2 end=towers", "end is towers, but 3 walls brought at most 6 of 30"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "change", "message"), IMPOSSIBLE)
def test_what_no_game_reaches_is_refused(fields: str, change: str, message: str) -> None:
    with pytest.raises(PositionError, match=re.escape(message)) as caught:
        parse_position(line(fields, change))
    assert "\n" not in str(caught.value)


def test_a_position_that_is_no_text_is_counted_too(classic: Board) -> None:
    with pytest.raises(PositionError, match="turn is 40"):
        Game.from_position(setting(classic, turn=40), seed=1)


def positions(seed: int) -> Iterator[tuple[Board, Position]]:
    """All positions of a game, before dice and draws too."""
    chance = random.Random(seed)
    board = board_of(BOARD_NAMES[seed // 2 % len(BOARD_NAMES)] if seed % 2 else "classic")
    players = 2 + seed % 3
    hands = deal(players, chance)
    game = Game(players, board=board, early_roll=seed % 4 == 0, chance=Outside(), hands=hands)
    yield board, game.position
    while not game.is_over:
        if seed % 7 == 3 and game.phase not in ("roll", "draw"):
            game.apply(chance.choice(game.legal_moves()))
        else:
            step(game, chance)
        yield board, game.position


def test_a_seat_that_decides_its_final_scoring_still_has_its_cards() -> None:
    """Without a completed city, a hand has 6 cards before it and 4 or more after it."""
    board, position = next((b, p) for b, p in positions(10) if p.phase == "final")
    hands = [hand if isinstance(hand, int) else len(hand) for hand in position.hands]
    assert set(hands) == {6}
    hands[position.seat] = 4
    with pytest.raises(PositionError, match=f"the hand of seat {position.seat} has 4 cards"):
        parse_position(format_position(replace(position, hands=tuple(hands)), board), board)


@pytest.mark.slow
def test_every_position_and_view_of_a_game_is_sound_and_reads_back() -> None:
    """Of all numbers of players, with and without early rolls, on several boards."""
    seen: Counter[str] = Counter()
    for seed in range(GAMES):
        for number, (board, position) in enumerate(positions(seed)):
            seen[position.phase] += 1
            seen[position.end] += 1
            assert turns_begun(board, position) == position.turn, seed
            views = [position.observed_by(seat) for seat in range(position.players)]
            for view in [position, *views[: None if number % 4 == 0 else 1]]:
                text = format_position(view, board)
                assert "\n" not in text
                assert is_position(text)
                assert parse_position(text, board) == (board, view), (seed, text)
    assert seen.keys() >= {*PHASE_NAMES, "walls", "palaces"}
