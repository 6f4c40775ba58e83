"""Positions: their text, round trips at every phase, defaults, and each fault by name."""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masons.engine.board.components import CARDS, ENDS
from masons.engine.board.geometry import Board
from masons.engine.errors import PositionError
from masons.engine.formats.position_text import (
    format_position,
    is_position,
    parse_position,
    parse_settled,
)
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.state.derive import derive_state
from masons.engine.state.packed_move import PHASE_NAMES
from masons.engine.state.position import Position
from masons.engine.state.position_checks import settle_position
from masons.engine.state.position_counts import turns_begun
from tests.support.paths import DOCS
from tests.support.playing import (
    BOARD_NAMES,
    around,
    board_of,
    chain,
    ends_of,
    grown,
    new_game,
    play,
    setting,
    spokes,
    step,
    touching,
)

PAGE = DOCS / "position.md"
GAMES = int(os.environ.get("MASONS_FUZZ", "6"))
STEPS = 1 if "MASONS_FUZZ" in os.environ else 3  # from one position that is checked to the next


def walk(seed: int) -> Iterator[Game]:
    """Yield a game at all of its positions, those before rolls and draws included."""
    chance = random.Random(seed)
    board = BOARD_NAMES[seed // 2 % len(BOARD_NAMES)] if seed % 2 else "classic"
    game = new_game(2 + seed % 3, seed, board_of(board), early_roll=seed % 4 == 0)
    yield game
    while not game.is_over:
        if seed % 7 == 3 and game.phase not in ("roll", "draw"):
            game.apply(chance.choice(game.legal_moves()))
        else:
            step(game, chance)
        yield game


# ---- round trips


def test_a_hidden_view_reads_back(classic: Board) -> None:
    position = Game(3, seed=1).position
    hidden = replace(position, hands=tuple(len(hand) for hand in position.hands))  # type: ignore[arg-type]
    text = format_position(hidden, "classic")
    assert " hands=?6/?6/?6 " in f"{text} "
    assert parse_position(text) == (classic, hidden)


@pytest.mark.slow
def test_every_position_and_view_of_a_game_is_sound_and_reads_back() -> None:
    """With all numbers of players, on several boards; by default, at every third position."""
    seen: Counter[str] = Counter()
    for seed in range(GAMES):
        for number, game in enumerate(walk(seed)):
            board, position = game.board, game.position
            seen[position.phase] += 1
            seen[position.end] += 1
            assert turns_begun(board, position) == position.turn, seed
            if number % STEPS != seed % STEPS:
                continue
            views = [position.observed_by(seat) for seat in range(position.players)]
            for view in [position, *views[: None if number % 4 == 0 else 1]]:
                text = format_position(view, board)
                assert "\n" not in text
                assert is_position(text)
                assert parse_position(text, board) == (board, view), (seed, text)
            again = Game.from_position(game.text, board=board, chance=Outside())
            assert again.text == game.text
            assert list(again.legal_moves()[:50]) == list(game.legal_moves()[:50])
            assert (again.first, again.result) == (game.first, game.result)
            assert again.hands_dealt == ()
    assert seen.keys() >= {*PHASE_NAMES, "walls", "palaces"}


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_the_order_of_everything_is_free(chance: random.Random) -> None:
    """Fields, cards and colors in any order, any blanks between: the same position."""
    board = board_of("classic")
    text = format_position(POSITIONS[chance.randrange(len(POSITIONS))], board)
    words = text.split()[1:]
    chance.shuffle(words)
    mixed = []
    for word in words:
        name, _, value = word.partition("=")
        if name in ("towers", "houses", "palaces"):
            groups = [
                (color, shuffled(places, ",", chance))
                for color, _, places in (group.partition(":") for group in value.split(";"))
            ]
            value = shuffled(";".join(":".join(group) for group in groups), ";", chance)
        elif name in ("walls", "discard"):
            value = shuffled(value, "," if name == "walls" else "+", chance)
        elif name == "hands":
            value = "/".join(shuffled(hand, "+", chance) for hand in value.split("/"))
        mixed.append(f"{name}={value}")
    again = "  masons1\t" + chance.choice((" ", "  ", "\n")).join(mixed) + "\n"
    assert format_position(parse_position(again)[1], board) == text


def shuffled(items: str, separator: str, chance: random.Random) -> str:
    parts = items.split(separator)
    chance.shuffle(parts)
    return separator.join(parts)


POSITIONS = [game.position for game in walk(4)][5::9]


def test_fields_with_their_default_are_left_out() -> None:
    text = f"masons1 board=classic players=2 active=1 phase=wall {HANDS}"
    board, position = parse_position(text)
    hands = ((10, 15, 16, 19, 27, 29), 6)
    assert position == Position(2, "wall", active=1, seat=1, scores=(0, 0), hands=hands)
    assert format_position(position, board) == text.replace("hands", "scores=0,0 hands")


def test_pieces_of_a_city_may_lie_anywhere_in_it(classic: Board) -> None:
    walls = around(classic, 4, 5)
    spread = setting(classic, walls, houses={4: (1, 0, 0, 0, 0), 5: (1, 2, 0, 0, 0)})
    again = parse_settled(format_position(spread, classic))[1]
    assert again.houses == {4: (2, 2, 0, 0, 0)}
    assert again.cities == (frozenset({4, 5}),)


def test_a_board_of_its_own_must_be_given() -> None:
    board = board_of("hexagon-24")
    text = Game(2, board=board, seed=1).text
    assert parse_position(text, board)[0] is board
    with pytest.raises(PositionError, match="'hexagon-24' is not built in: its file must be"):
        parse_position(text)
    with pytest.raises(PositionError, match="on board 'hexagon-24', not on triangle-36"):
        parse_position(text, board_of("triangle-36"))


# ---- faults

# A wall of this turn, towers and houses; seat 0 has decided where they go but for the houses.
HANDS = "hands=city-rose+land-red+land-rose+land-blue+land-shore+cities/?6"
CITY = "walls=1,2,20 towers=white:0,7;gray:8 houses=red:0,1,13;rose:0;yellow:0"
LINES = {
    "wall": f"active=0 phase=wall {HANDS} walls=0 towers=white:0;gray:1 houses=red:1",
    "roll": f"active=0 phase=roll line=0 {HANDS} walls=0",
    "towers": f"active=0 phase=towers line=0 roll=white/red/? {HANDS} walls=0",
    "houses": (
        f"active=0 phase=houses line=0 roll=white/red/? {HANDS} walls=0 towers=white:0;gray:1"
    ),
    "score": f"active=0 phase=score city=0 {HANDS} {CITY}",
    "draw": (
        "active=0 phase=draw city=0 due=1 discard=land-shore "
        f"hands=city-rose+land-red+land-rose+land-blue+cities/?6 {CITY}"
    ),
    "swap": f"active=0 phase=swap queue=0,1 discard=land-green+land-yellow {HANDS} {CITY}",
    "merge": (
        f"active=0 phase=merge city=0 {HANDS} discard=land-green+land-yellow walls=0,1,2,4,20 "
        "towers=white:0,1,7;gray:8 houses=red:0,1,2,13;rose:0,1;yellow:0,1"
    ),
    "empty": f"active=0 phase=wall {HANDS}",
    # The city of space 0, completed in the third turn, when all have scored it.
    "city": (f"active=1 phase=wall turn=3 scores=6,3 {HANDS} discard=city-size-1+city-red {CITY}"),
    "swaps": (f"active=0 phase=swap turn=2 scores=6,3 {HANDS} discard=city-size-1+city-red {CITY}"),
}


# A game that was played to its end.
_over = play(Game(2, seed=1), random.Random(1)).text
LINES["over"] = _over.partition(" players=2 ")[2]


def text_of(line: str, change: str = "") -> str:
    """Return a sound line with some fields changed, added, or taken out (`-name`)."""
    words = ["masons1", "board=classic", "players=2", *LINES[line].split()]
    for word in change.split():
        name = word.lstrip("-").partition("=")[0]
        words = [old for old in words if old.partition("=")[0] != name]
        words += [] if word.startswith("-") else [word]
    return " ".join(words)


@pytest.mark.parametrize(
    ("line", "change"),
    [
        *((line, "") for line in LINES if line != "swaps"),
        ("city", "-turn"),
        ("city", "discard=city-size-1+city-red+land-walls hands=?5/?6"),
        ("swaps", "seat=1 queue=1"),
        ("swaps", "queue=0,1 scores=4,4"),
        ("swaps", "seat=1 queue=1 scores=4,4"),
    ],
)
def test_the_lines_to_be_spoilt_are_sound(line: str, change: str) -> None:
    board, position = parse_position(text_of(line, change))
    derive_state(board, Table(board).packed, position)
    assert parse_position(format_position(position, board))[1] == position


ALL_PALACES = "palaces=red:0*3;rose:0*3;yellow:0*3;green:0*3;blue:0*3"
ALL_HOUSES = "houses=red:50*12;rose:50*12;yellow:50*12;green:50*12;blue:50*12"
FAULTS = [
    # The line
    ("wall", "-phase", "field phase is missing"),
    ("wall", "-hands", "field hands is missing"),
    ("wall", "color=red", "'color=red' is not a field"),
    ("wall", "turn=", "'turn=' is not a field"),
    ("wall", "board=chess", "board 'chess' is not built in"),
    # Numbers and words
    ("wall", "turn=-1", "turn: '-1' is not a number from 0 to"),
    ("wall", "turn=٣", "turn: '٣' is not a number"),
    ("wall", "players=1", "players is 1: it must be 2, 3 or 4"),
    ("wall", "active=2", "active is 2: it must be a seat from 0 to 1"),
    ("wall", "phase=lunch", "phase: 'lunch' must be one of wall, roll"),
    ("wall", "seat=1", "in phase wall seat must be active"),
    ("wall", "options=hurry", "'hurry' is not an option: early_roll"),
    ("wall", "rolled=1", "rolled needs options=early_roll and phase=wall"),
    ("roll", "options=early_roll rolled=1", "rolled needs options=early_roll"),
    ("wall", "rolled=2", "rolled: '2' is not a number from 0 to 1"),
    ("over", "end=fire", "end: 'fire' must be one of walls, towers"),
    # Scores and cards
    ("wall", "scores=1", "scores needs 2 numbers"),
    ("wall", "scores=1,10000", "scores: '10000' is not a number from 0 to 9999"),
    ("wall", "hands=cities", "hands needs 2 hands"),
    ("wall", "hands=cities/city-pink", "hands: 'city-pink' is not a card"),
    ("wall", "hands=cities/?61", "hands: '61' is not a number from 0 to 60"),
    ("wall", "hands=cities/-", "the hand of seat 1 is empty"),
    ("draw", "hands=cities/-", "the hand of seat 1 is empty"),
    ("wall", "hands=cities+cities/cities", "cities occurs 3 times: there are two of each card"),
    ("wall", "hands=?50/?11", "the hands hold more cards than there are"),
    ("wall", "discard=cities,land-red", "discard: 'cities,land-red' is not a card"),
    # Walls and towers
    ("wall", "walls=170", "wall 170 is not on the board: lines go from 0 to 169"),
    ("wall", "walls=x", "walls: 'x' is not a number like 12"),
    ("wall", "walls=0,0", "walls: '0,0' names something twice"),
    ("wall", "walls=0,,3", "walls: '' is not a number"),
    ("wall", "walls=" + ",".join(map(str, range(34))), "more than 33 walls"),
    ("wall", "towers=white:0,1,67", "tower space 67 is not on the board: 0 to 66"),
    ("wall", "towers=white:0,1,9", "the tower on 9 stands at the end of no wall"),
    ("wall", "towers=white:0", "a wall ends at tower space 1, but no tower stands there"),
    ("wall", "towers=white:0;gray:0,1", "tower space 0 has two towers"),
    ("wall", "towers=white:0;white:1", "a color occurs twice"),
    ("wall", "towers=pink:0", "'pink:0' must be a color (one of white, gray, black), a colon"),
    ("wall", "towers=white", "'white' must be a color"),
    # Houses and palaces
    ("wall", "houses=red:104", "space 104 is not on the board: 0 to 103"),
    ("wall", "houses=red:1,1", "space 1 occurs twice for one color"),
    ("wall", "houses=red:1*x", "houses: 'x' is not a number"),
    ("wall", "houses=red:1,2*0", "houses: '2*0' is no piece: leave the space out"),
    ("wall", "houses=red:1*13", "more than 12 red houses"),
    ("wall", "houses=red:1*7,2*6", "more than 12 red houses"),
    ("score", "palaces=red:0*4", "more than 3 red palaces"),
    ("score", "palaces=red:50", "the palace on space 50 stands in no completed city"),
    ("wall", "palaces=red:0", "the palace on space 0 stands in no completed city"),
    # What a phase needs and does not have
    ("roll", "-line towers=white:0,1", "phase roll needs line"),
    ("wall", "line=0", "phase wall has no line"),
    ("wall", "line=250", "phase wall has no line"),
    ("roll", "line=3", "line 3 carries no wall"),
    ("towers", "-roll", "phase towers needs roll"),
    ("roll", "roll=white/red/red", "phase roll has no roll"),
    ("towers", "roll=white/red", "roll: 'white/red' must be a tower color or - and two"),
    ("towers", "roll=?/red/red", "must be a tower color or -"),
    ("towers", "roll=-/red/red", "phase towers: the tower die must have been rolled"),
    ("towers", "towers=white:0,1", "phase towers: line 0 has towers at both ends"),
    ("houses", "towers=white:0", "a wall ends at tower space 1"),
    ("score", "-city", "phase score needs city"),
    ("wall", "city=0", "phase wall has no city"),
    ("score", "city=1", "city 1 is not the lowest space of a completed city"),
    ("draw", "-city", "phase draw needs city"),
    ("draw", "queue=0", "phase draw has no city"),
    ("draw", "due=3", "due is 3: a scoring draws at most 2 cards"),
    ("draw", "due=61", "due: '61' is not a number from 0 to 60"),
    ("wall", "due=1", "phase wall has no due"),
    ("swap", "-queue", "queue is only for phase=swap"),
    ("wall", "queue=0", "queue is only for phase=swap"),
    ("swap", "queue=1,0", "queue must begin with seat and go clockwise"),
    ("swap", "active=1", "queue must begin with seat"),
    # The end
    ("over", "-end", "phase over needs end, one of walls, towers"),
    ("wall", "end=walls", "in phase wall the game cannot have ended by walls"),
    ("roll", "end=towers", "in phase roll the game cannot have ended by towers"),
    ("roll", "end=walls", "end is walls, but the supply that ran out first is none"),
    ("houses", "end=towers", "end is towers, but the supply that ran out first is none"),
    ("score", "end=palaces", "end is palaces, but there are palaces left"),
    ("score", "end=no-line", "in phase score the game cannot have ended by no-line"),
    ("swap", "end=walls", "in phase swap the game cannot have ended by walls"),
    ("over", "phase=final end=palaces", "in phase final the game cannot have ended by palaces"),
    ("draw", "-city queue=0 end=walls", "nobody swaps after the end of the game"),
    ("wall", ALL_HOUSES, "all 60 houses are on the board: the game has ended, end=houses"),
    ("merge", f"{ALL_PALACES} end=walls", "all 15 palaces are on the board: the last of them"),
    ("houses", f"{ALL_HOUSES} end=walls", "all 60 houses are on the board: the last of them"),
    # What counting shows to be impossible
    ("empty", "turn=40", "turn is 40, but walls and houses show that 0 walls were placed"),
    ("empty", "houses=red:50*5", "5 houses on space 50, but 0 walls around it"),
    ("empty", "walls=0 towers=white:0;gray:1", "0 houses on space 1, but 1 wall around it"),
    ("empty", "scores=500,0", "seat 0 has 500 points: it can have played 0 cards"),
    ("empty", "scores=0,1", "seat 1 has 1 point: it can have played 0 cards"),
    ("empty", "hands=?6/?1", "the hand of seat 1 has 1 card: after at most 0 cities"),
    ("empty", "hands=?1/?59", "the hand of seat 0 has 1 card"),
    (
        "empty",
        "hands=?6/?54",
        "the hand of seat 1 has 54 cards: after at most 0 cities scored it can have 6",
    ),
    ("empty", "discard=land-green", "discard has 1 card: after 0 completed cities there can be 0"),
    ("empty", "phase=swap queue=0", "in phase swap a city must have been completed"),
    (
        "empty",
        "phase=swap queue=0 walls=0 towers=white:0,1 houses=red:1",
        "in phase swap a city must have been completed",
    ),
    ("city", "turn=4", "it must be 3"),
    ("city", "turn=2", "it must be 3"),
    ("city", "turn=0", "it must be 3"),
    ("city", "scores=9999,3", "seat 0 has 9999 points: it can have played 1 card"),
    ("city", "scores=500,3", "seat 0 has 500 points"),
    ("city", "hands=?59/?1", "the hands hold more cards than there are"),
    (
        "city",
        "hands=?52/?6",
        "the hand of seat 0 has 52 cards: after at most 1 city scored it can have 5 to 7",
    ),
    ("city", "hands=?4/?6", "it can have 5 to 7"),
    (
        "city",
        "hands=?7/?6",
        "seat 0 has 6 points: it can have played 0 cards, and so have 0 at most",
    ),
    ("city", "-discard", "discard has 0 cards: after 1 completed city there can be 2 to"),
    ("city", "discard=city-size-1", "discard has 1 card"),
    ("city", "houses=red:0*2,1,13;rose:0", "2 red houses in the city of space 0, but only 0 red"),
    (
        "city",
        "houses=red:0,1,13;rose:0;yellow:0;blue:0",
        "4 houses in the city of space 0 (a palace "
        "counts two), but its 3 walls brought one each and those cleared two: there can be 3",
    ),
    ("city", "palaces=blue:0", "5 houses in the city of space 0"),
    ("city", "houses=red:0,1*2,13;rose:0;yellow:0", "2 houses on space 1, but 1 wall around it"),
    ("swaps", "queue=0", "queue must be 1: the seats in last place that have not swapped"),
    ("swaps", "queue=0,1", "queue must be 1: the seats in last place that have not swapped"),
    ("swaps", "queue=0 scores=3,3", "queue must be 0,1: the seats in last place"),
    ("city", "phase=final end=walls", "end is walls, but the supply that ran out first is none"),
    ("city", "phase=over turn=2 end=walls", "end is walls, but 3 stand and at most 0 came back"),
    ("city", "phase=over turn=2 end=houses", "end is houses, but 5 stand and at most 0 came back"),
    ("city", "phase=over turn=2 end=towers", "end is towers, but 3 walls brought at most 6 of 30"),
]


@pytest.mark.parametrize(("line", "change", "message"), FAULTS)
def test_a_fault_is_named(line: str, change: str, message: str) -> None:
    with pytest.raises(PositionError, match=re.escape(message)) as caught:
        parse_position(text_of(line, change))
    assert "\n" not in str(caught.value)


def test_discards_after_one_city_of_four_players() -> None:
    """Two seats played two cards, two played one; then the seat in last place may have swapped."""
    text = (
        "masons1 board=classic players=4 turn=19 active=3 phase=wall scores=1,2,5,4 "
        "hands=?6/?5/?6/?5 walls=6,9,24,27,33,38,56,57,64,69,72,77,84,86,89,90,107,112,153 "
        "towers=white:3,4,9,16,27,31,38,39;gray:2,11,13,17,19,20,23,40,55;"
        "black:8,21,25,26,30,32,35,48,63 houses=red:21,24,32,48,57,71;"
        "rose:7,15,16,20,23,36,52,53*2,56,70,97;yellow:5,14,35,39,47,56,96;"
        "green:17,24,34,37,49,55,56;blue:40,45,54,69"
    )
    for number in range(20):
        discard = "+".join(CARDS[:number]) or "-"
        if 6 <= number <= 12:
            parse_position(f"{text} discard={discard}")
            continue
        with pytest.raises(PositionError, match="1 completed city there can be 6 to 12"):
            parse_position(f"{text} discard={discard}")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_scoring_shows_which_cards_are_discarded(players: int) -> None:
    """Until somebody may have swapped, no card can be missing, and none more can lie there."""
    chance = random.Random(players)
    for seed in range(50):
        game = new_game(players, seed)
        while not game.is_over and not game.position.cities:
            step(game, chance)
        if [len(city) for city in game.position.cities] == [1]:  # it cannot have been merged
            break
    tried = 0
    while game.phase in ("score", "draw") and not game.position.queue:
        position, discard = game.position, game.position.discard
        assert parse_position(game.text)[1] == position
        unseen = position.unseen[:1]
        for wrong in ([discard[1:]] if discard else []) + [discard + unseen]:
            tried += 1
            with pytest.raises(PositionError, match=f"discard has {len(wrong)} card"):
                parse_position(format_position(replace(position, discard=wrong), game.board))
        step(game, chance)
    assert tried >= 4 * players - 1


def test_a_line_begins_with_its_word() -> None:
    for text in ("", "masons2 board=classic", "wall:3", "\0"):
        assert not is_position(text)
        with pytest.raises(PositionError, match="a position begins with masons1"):
            parse_position(text)
    with pytest.raises(PositionError, match="field turn occurs twice"):
        parse_position(text_of("wall") + " turn=1 turn=1")
    with pytest.raises(PositionError, match="a position has at most 65536 characters"):
        parse_position(text_of("wall") + " " * 70000)


def test_a_position_that_is_no_text_is_checked_too(classic: Board) -> None:
    with pytest.raises(PositionError, match="phase is 'lunch': one of wall"):
        settle_position(classic, setting(classic, phase="lunch"))
    with pytest.raises(PositionError, match="end is 'fire'"):
        settle_position(classic, setting(classic, phase="over", end="fire"))
    with pytest.raises(PositionError, match="scores must be from 0 to 9999"):
        settle_position(classic, setting(classic, scores=(0, -1)))
    with pytest.raises(PositionError, match="turn is 40"):
        Game.from_position(setting(classic, turn=40), seed=1)


def test_a_seat_that_decides_its_final_scoring_still_has_its_cards() -> None:
    """Without a completed city, a hand has 6 cards before it and 4 or more after it."""
    game = next(game for game in walk(10) if game.phase == "final")
    board, position = game.board, game.position
    hands = [hand if isinstance(hand, int) else len(hand) for hand in position.hands]
    assert set(hands) == {6}
    hands[position.seat] = 4
    with pytest.raises(PositionError, match=f"the hand of seat {position.seat} has 4 cards"):
        parse_position(format_position(replace(position, hands=tuple(hands)), board), board)


READY = [
    ("draw", "-due", "phase draw needs due"),
    ("draw", "-discard hands=?30/?30", "phase draw: no card is left to draw"),
    ("merge", "walls=1,2,20 towers=white:0,7;gray:8", "phase merge: no other city shares a wall"),
    ("over", "end=no-line", "end is no-line, but there is a line for a wall"),
]


@pytest.mark.parametrize(("phase", "change", "message"), READY)
def test_what_is_waited_for_must_be_possible(phase: str, change: str, message: str) -> None:
    """These are found when a game is to go on from the position."""
    board, position = parse_settled(text_of(phase, change))
    with pytest.raises(PositionError, match=re.escape(message)):
        Table(board).state_of(position)


def test_a_wall_needs_a_line() -> None:
    board = board_of("rhombus-2")
    position = settle_position(board, setting(board, range(5)))
    with pytest.raises(PositionError, match="no line is left for a wall: the game has ended"):
        Table(board).state_of(position)


def test_ten_towers_of_a_color(classic: Board) -> None:
    walls, towers = chain(classic, 11)
    position = setting(classic, walls, towers=dict.fromkeys(towers, 0))
    with pytest.raises(PositionError, match="more than 10 white towers"):
        settle_position(classic, position)


def test_a_wall_inside_a_city(classic: Board) -> None:
    spoke = spokes(classic, 25)[0]
    position = setting(classic, around(classic, *touching(classic, 25)) | {spoke})
    with pytest.raises(PositionError, match=f"wall {spoke} lies inside the city of space"):
        settle_position(classic, position)


def test_the_last_tower_may_leave_an_end_empty(classic: Board) -> None:
    """Rules, 3.3: and only then, and only one."""
    walls = grown(classic, {0}, 28)
    towers = {end: i % 3 for i, end in enumerate(ends_of(classic, walls))}
    assert len(towers) == 29
    towers[66] = 2
    line = classic.line_towers.index((65, 66))
    fields = {"phase": "final", "end": "towers"}
    position = setting(classic, walls | {line}, towers=towers, **fields)
    assert settle_position(classic, position).towers == towers
    again = parse_settled(format_position(position, classic))[1]
    assert again == settle_position(classic, position)
    del towers[66]
    for end in ("walls", "towers"):
        position = setting(classic, walls | {line}, towers=towers, phase="final", end=end)
        with pytest.raises(PositionError, match="a wall ends at tower space 65"):
            settle_position(classic, position)


# ---- the documentation


def test_the_lines_of_the_documentation_are_in_canonical_form() -> None:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("masons1 ")]
    assert len(lines) >= 3
    for line in lines:
        board, position = parse_position(line)
        assert format_position(position, board) == line
        Table(board).state_of(position)


def test_the_documentation_names_every_field_and_phase() -> None:
    text = PAGE.read_text()
    rows = {row.split("`")[1]: row for row in text.splitlines() if row.startswith("| `")}
    written = [word.partition("=")[0] for phase in LINES for word in text_of(phase).split()[1:]]
    assert set(written) <= set(rows)
    assert set(PHASE_NAMES) <= set(rows)
    assert all(f"`{end}`" in rows["end"] for end in ENDS)
    for phase, field in product(PHASE_NAMES, ("line", "roll", "city", "due", "queue", "end")):
        needs = rows[phase].split("|")[3]
        line = LINES.get(phase, LINES["over"])
        if f"`{field}`" in needs and phase != "draw":
            assert f" {field}=" in line


def test_one_wall_was_placed_not_were() -> None:
    placed = "towers=white:20,27 houses=red:35;rose:36"
    text = f"masons1 board=classic players=2 turn=5 active=1 phase=wall hands=?6/?6 {placed}"
    with pytest.raises(PositionError, match="show that 1 wall was placed"):
        parse_position(f"{text} walls=57")
