"""The Python interface: games in, moves in, chance from anywhere, records out."""

from __future__ import annotations

import doctest
import importlib
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import masons
from masons.ai.players.named_players import make_player
from masons.ai.session import analyze
from masons.engine.board.components import CARDS
from masons.engine.errors import BoardError, MasonsError, MoveError, PositionError, RecordError
from masons.engine.fair.fair_game import Fair
from masons.engine.formats.move_text import Move, wall_move
from masons.engine.game.action_history import new_history
from masons.engine.game.chance import Outside, Scripted
from masons.engine.game.game import Game
from masons.engine.game.record import format_record, game_record
from masons.engine.game.replay import check_record
from masons.engine.game.table import Table
from masons.engine.state.packed_move import FINAL, KIND_SHIFT, NO_CARD, NONE
from tests.support.commands import run_python
from tests.support.named_play import brought_to
from tests.support.paths import PACKAGE, ROOT
from tests.support.playing import (
    board_of,
    deal,
    hand,
    moves_by_chance,
    new_game,
    play,
    setting,
    step,
    steps,
)

# ---- a new game


def test_the_same_seed_gives_the_same_game() -> None:
    first, again, other = (play(Game(3, seed=seed), random.Random(1)) for seed in (7, 7, 8))
    assert first.events == again.events
    assert first.hands_dealt == again.hands_dealt != other.hands_dealt


@pytest.mark.parametrize("seed", [0, -1, 2**64, 2**200])
def test_any_whole_number_is_a_seed(seed: int) -> None:
    assert Game(2, seed=seed).text == Game(2, seed=seed).text


def test_without_a_seed_each_game_is_another() -> None:
    games = [Game(2) for _ in range(3)]
    assert len({game.text for game in games}) == 3
    assert [Game(2, seed=game.seed).text for game in games] == [game.text for game in games]


def test_hands_may_be_given() -> None:
    hands = deal(2, random.Random(4))
    game = Game(2, seed=1, hands=hands)
    assert [[CARDS[kind] for kind in dealt] for dealt in game.hands_dealt] == hands
    assert game.position.hands == tuple(hand(*names) for names in hands)
    assert check_record(game_record(play(game, random.Random(1)))) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 1}, "players is 1: it must be 2, 3 or 4"),
        ({"first": 2}, "first is 2: it must be a seat from 0 to 1"),
        ({"board": "chess"}, "no board 'chess'"),
        ({"hands": [["cities"] * 2]}, "hands must be 2 hands of 6 cards"),
        ({"hands": [["cities"] * 6] * 2}, "cities is dealt three times"),
        ({"hands": [["queen"] * 6] * 2}, "'queen' is not a card"),
        ({"chance": Outside()}, "chance from outside needs hands: the cards that were dealt"),
        ({"players": "2"}, "players is '2': it must be 2, 3 or 4"),
        ({"first": "0"}, "first is '0': it must be a seat from 0 to 1"),
        ({"seed": "x"}, "seed is 'x': it must be a whole number or None"),
        ({"board": 3}, "board is 3: it must be a Board, a name or a file"),
        ({"hands": 5}, "hands is 5: it must be a hand of card names for each seat"),
        ({"hands": [[["cities"]] * 6] * 2}, "['cities'] is not a card"),
    ],
)
def test_arguments_that_cannot_be(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(MasonsError) as caught:
        Game(**{"seed": 1, **arguments})  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_whole_numbers_of_numpy_will_do() -> None:
    game = Game(np.int64(3), seed=np.uint32(5), first=np.uint8(1))  # type: ignore[arg-type]
    assert (game.players, game.seed, game.seat) == (3, 5, 1)
    assert {type(number) for number in (game.players, game.seed, game.first)} == {int}
    assert game.text == Game(3, seed=5, first=1).text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda game: game.apply(None), "None is not a move: give its text or a Move"),
        (lambda game: game.undo("1"), "count is '1': it must be from 0 to 0, the number of"),
        (
            lambda game: game.apply_legal("wall:5"),
            "'wall:5' is not a Move: give one of legal_moves",
        ),
        (lambda game: game.apply_legal(5), "5 is not a Move"),
        (lambda game: game.apply_legal(None), "None is not a Move"),
        (lambda game: game.observe("0"), "seat is '0': it must be from 0 to 1"),
        (lambda game: game.view(None), "seat is None"),
        (lambda game: game.view(2), "seat is 2: it must be from 0 to 1"),
        (lambda game: game.view(-1), "seat is -1"),
        (lambda _: Game.from_position(5), "5 is not a position: give its text or a Position"),
        (lambda game: Game.from_position(game.text, board=5), "board is 5: it must be"),
        (lambda game: Game.from_position(game.text, seed="x"), "seed is 'x'"),
    ],
)
def test_values_of_a_wrong_type(call: Callable[[Any], object], message: str) -> None:
    with pytest.raises(MasonsError, match=f"^{message}"):
        call(Game(2, seed=1))


def test_a_board_by_name_by_file_or_ready(tmp_path: Path) -> None:
    board = board_of("hexagon-24")
    path = tmp_path / "mine.json"
    path.write_text(board.to_json())
    texts = {Game(2, board=source, seed=1).text for source in (board, path, str(path))}
    assert len(texts) == 1
    assert Game(2, seed=1).board.name == "classic"
    with pytest.raises(BoardError):
        Game(2, board=str(tmp_path))


# ---- moves


def test_a_move_is_a_text_or_a_packed_move() -> None:
    by_text, by_number = Game(2, seed=3), Game(2, seed=3)
    by_text.apply("wall:57")
    by_number.apply(wall_move(57))
    assert by_text.text == by_number.text
    assert [str(move) for move in by_text.moves] == ["wall:57"]


def test_an_illegal_move_changes_nothing() -> None:
    game = Game(2, seed=3)
    before = game.text
    for move in ("merge:none", "play:cities", "early-roll"):
        with pytest.raises(MoveError, match=f"{move} is not legal now: seat 0 has a wall decision"):
            game.apply(move)
    with pytest.raises(MoveError, match="'hop' is not a move"):
        game.apply("hop")
    with pytest.raises(MoveError, match="'170' is not a wall line: write its number, from 0 to 16"):
        game.apply("wall:170")
    with pytest.raises(MoveError, match="wall:200 is not legal now"):
        game.apply(wall_move(200))
    with pytest.raises(MoveError, match=r"^the number 57 is not a packed move$"):
        game.apply(57)  # type: ignore[arg-type]
    assert game.text == before
    assert game.moves == game.events == []


def test_a_line_that_is_taken_is_named() -> None:
    game = Game(2, seed=3)
    game.apply("wall:57")
    while game.phase != "wall":
        game.apply(game.legal_moves()[0])
    message = "wall:57 is not legal now: line 57 already has a wall"
    with pytest.raises(MoveError, match=message):
        game.apply("wall:57")
    for call in (
        lambda: analyze(game, sims=10, only=["wall:57"]),
        lambda: make_player("busy", 1).choose(game.table, game.observe(game.seat), ["wall:57"]),
        lambda: game.table.add_choice(game.state, "wall:57", new_history()),
    ):
        with pytest.raises(MoveError, match=f"^{message}$"):
            call()


def test_a_card_that_is_not_held_is_named() -> None:
    game = brought_to("score", spec="busy")
    hand, seat = game.hand(game.seat), game.seat
    missing = next(card for card in CARDS if card not in hand)
    single = next(card for card in hand if hand.count(card) == 1)
    for move, said in (
        (f"play:{missing}", f"seat {seat} holds no {missing}"),
        (f"abstain:{missing}", f"seat {seat} holds no {missing}"),
        (f"play:{single}+{single}", f"seat {seat} holds only one {single}"),
        (f"swap:{missing}", f"seat {seat} has a score decision"),
    ):
        with pytest.raises(MoveError, match=f"^{re.escape(move)} is not legal now: {said}$"):
            game.apply(move)


def test_places_inside_a_city_are_named() -> None:
    game = brought_to("final", spec="busy")
    space = next(max(city) for city in game.position.cities if len(city) > 1)
    with pytest.raises(MoveError, match=f"legal now: space {space} is not the lowest space of a "):
        game.apply(f"final:{space}/{game.hand(game.seat)[0]}")
    position = replace(game.position, phase="wall", end="")
    inside = [
        line
        for line, spaces in enumerate(game.board.line_spaces)
        if any(set(spaces) <= city for city in position.cities)
    ]
    table, state = game.table, game.table.state_of_settled(position)
    said = f"wall:{inside[0]} is not legal now: line {inside[0]} is inside a city"
    assert table.refusal(state, f"wall:{inside[0]}") == said


@pytest.mark.parametrize("phase", ["wall", "final"])
def test_a_number_that_is_no_move_is_not_legal(phase: str) -> None:
    """A final move has one form; other bits would be played otherwise than they are written."""
    game = brought_to(phase, spec="busy")
    numbers = [0, 5, 1 << 70, -1, NONE << KIND_SHIFT]
    if phase == "final":
        city, move = min(game.position.cities[0]), game.legal_moves()[-1]
        head = FINAL << KIND_SHIFT | city << 10 | NO_CARD
        numbers += [head | move.cards[0] << 5, head | NO_CARD << 5, int(move) | 1 << 30]
    for number in numbers:
        assert not game.is_legal(Move(number))
        with pytest.raises(MoveError, match=r"is not a packed move|is not legal"):
            game.apply(Move(number))


def test_the_end_of_a_game() -> None:
    """Nothing is legal any more, and the result is that of the position."""
    game = Game(2, seed=3)
    assert game.result is None
    play(game, random.Random(3))
    assert game.is_over
    assert list(game.legal_moves()) == []
    with pytest.raises(MoveError, match="is not legal now: the game is over"):
        game.apply("wall:3")
    result, position = game.result, game.position
    assert result is not None
    assert (result.scores, result.end) == (position.scores, position.end)
    assert result.hand_sizes == position.hand_sizes
    best = max(zip(result.scores, result.hand_sizes, strict=True))
    assert [(result.scores[w], result.hand_sizes[w]) for w in result.winners] == [best]


# ---- undo


@pytest.mark.parametrize(
    "begin",
    [
        partial(Game, 3, seed=9, early_roll=True),
        Fair(bytes(32), ("a", "b")).new_game,
        Fair(bytes(32), ("a", "b", "", "d")).new_game,
    ],
)
def test_undo_gives_the_same_dice_cards_and_history_again(begin: Callable[[], Game]) -> None:
    def stand() -> tuple[str, str, bytes]:
        history = game.observe(0).history
        assert history is not None
        return game.text, json.dumps(game.events), history.tobytes()

    game = begin()
    stands = [stand() for _ in moves_by_chance(game, random.Random(9))]
    assert not np.frombuffer(stands[0][2]).any()
    stands.append(stand())
    moves = game.moves
    for back in (1, 2, 7, 40, len(moves)):
        game.undo(back)
        made = len(moves) - back
        assert stand() == stands[made]
        assert game.moves == moves[:made]
        for move, then in zip(moves[made:], stands[made + 1 :], strict=True):
            game.apply(move)
            assert stand() == then
    assert check_record(game_record(game)) is None


def test_another_move_after_an_undo() -> None:
    """The first leaves no trace."""
    game, other = Game(2, seed=5), Game(2, seed=5)
    for line in (20, 60):
        game.apply(f"wall:{line}")
        game.undo()
    game.undo(0)
    for each in (game, other):
        play(each, random.Random(2))
    assert format_record(game_record(game)) == format_record(game_record(other))


@pytest.mark.parametrize("count", [3, -1])
def test_undo_of_what_was_not_done(count: int) -> None:
    game = Game(2, seed=5)
    game.apply("wall:3")
    game.apply(game.legal_moves()[0])
    with pytest.raises(MoveError, match=f"count is {count}: it must be from 0 to 2"):
        game.undo(count)


# ---- chance from outside


def test_the_game_waits_for_dice_and_cards() -> None:
    hands = hand("city-size-1", "cities", *CARDS[9:13]), hand("land-walls", *CARDS[15:20])
    houses = {0: (1, 1, 0, 0, 0), 1: (1, 0, 0, 0, 0)}
    position = setting(board_of("classic"), [1, 2], houses=houses, turn=2, hands=hands)
    game = Game.from_position(position, chance=Outside())

    def refused(call: Callable[..., None], *arguments: Any, because: str) -> None:
        with pytest.raises(MoveError, match=because):
            call(*arguments)

    refused(game.give_roll, "white", "red", "red", because="no roll is due: seat 0 has a wall dec")
    game.apply("wall:20")
    assert game.phase == "roll"
    assert list(game.legal_moves()) == []
    refused(game.apply, "wall:3", because="not legal now: the dice are due")
    refused(game.give_roll, "white", "red", "red", because="the tower die is not rolled for this")
    houses_said = r"it must be one of red, rose, yellow, green, blue, \?$"
    for roll, said in (
        (("red", "red", "red"), "^tower is 'red': it must be one of white, gray, black, or None$"),
        ((None, "white", "red"), f"^first is 'white': {houses_said}"),
        ((None, "red", ""), f"^second is '': {houses_said}"),
        ((1, [], {}), "^tower is 1: "),
        ((None, [], {}), r"^first is \[\]: "),
    ):
        refused(game.give_roll, *roll, because=said)
    game.give_roll(None, "red", "?")
    while game.phase == "houses":
        game.apply(game.legal_moves()[0])
    refused(game.give_card, "cities", because="no card is due: seat 0 has a score decision")
    game.apply("abstain:cities")
    assert game.phase == "draw"
    refused(game.apply, "play:city-size-1", because="not legal now: a card is due")
    for name in ("queen", "", 7, []):
        refused(game.give_card, name, because=f"^{re.escape(repr(name))} is not a card")
    game.give_card("city-size-1")
    refused(game.give_card, "city-size-1", because="city-size-1 is not in the deck")
    game.give_card("land-shore")
    assert game.seat == 1
    assert game.events[-1]["drew"] == ["city-size-1", "land-shore"]


def test_the_tower_die_must_be_given_where_it_is_rolled() -> None:
    """A seeded game from a position before a roll goes on to the next decision."""
    game = new_game(2, 1)
    game.apply("wall:20")
    with pytest.raises(MoveError, match="the tower die is rolled for this wall"):
        game.give_roll(None, "red", "red")
    assert game.phase == "roll"
    assert Game.from_position(game.text, seed=1).phase == "towers"


def test_undo_with_chance_from_outside() -> None:
    """The game stands before the decision again; the dice and cards have to be given again."""
    game, chance = new_game(2, 6), random.Random(6)
    texts: list[str] = []
    while not game.is_over:
        if game.phase not in ("roll", "draw"):
            texts.append(game.text)
        made = len(game.moves)
        step(game, chance)
        assert len(game.moves) in (made, made + 1)
    for text in reversed(texts):
        game.undo()
        assert game.text == text


def test_scripted_chance_is_used_in_order() -> None:
    deck = sorted([*range(30)] * 2)
    rng = Scripted([deck], [(0, 1, 2)])
    mark = rng.mark()
    assert rng.shuffle(deck) == deck
    assert rng.roll(True) == (0, 1, 2)
    with pytest.raises(RecordError, match="a roll is missing"):
        rng.roll(True)
    with pytest.raises(RecordError, match="the deck runs out here, but no reshuffle follows"):
        rng.shuffle(deck)
    rng.back(mark)
    with pytest.raises(RecordError, match="the new deck of a reshuffle is not the discard pile"):
        rng.shuffle(deck[1:])


# ---- from a position


@pytest.mark.parametrize("seed", range(3))
def test_a_game_may_begin_in_the_middle_of_a_draw(seed: int) -> None:
    """Its events say what comes after that draw."""
    game, chance = new_game(2, seed), random.Random(seed)
    while not (game.phase == "draw" and game.position.due == 1 + seed % 2):
        step(game, chance)
    later = Game.from_position(game.text, seed=seed)
    assert later.events == []
    assert later.phase in ("score", "swap", "wall")
    assert play(later, chance).events[0]["e"] != "draw"
    waiting = Game.from_position(game.text, chance=Outside())
    assert [*steps(waiting, chance)]


def test_a_position_and_its_board() -> None:
    board = board_of("hexagon-24")
    game = Game(2, board=board, seed=1)
    assert Game.from_position(game.text, board=board, seed=1).text == game.text
    assert Game.from_position(game.position, board=board, seed=1).text == game.text
    with pytest.raises(PositionError, match="is not built in"):
        Game.from_position(game.text)
    with pytest.raises(PositionError, match="on board 'hexagon-24', not on classic"):
        Game.from_position(game.text, board="classic")
    with pytest.raises(PositionError, match="begins with masons1"):
        Game.from_position("hello")


def test_a_view_is_no_whole_game() -> None:
    view = Game(2, seed=1).view(0)
    with pytest.raises(MasonsError, match=r"every hand, .* use masons\.Observation\.from_text"):
        Game.from_position(view)
    assert Table(board_of("classic")).view(view).position == view


# ---- the package


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        masons.nonsense  # noqa: B018


def test_a_fresh_import_shows_all_and_loads_no_compiler() -> None:
    code = (
        "import masons, sys; names = dir(masons); import masons.engine.errors; "
        "print(set(masons.__all__) <= set(names), '__file__' in names, "
        "[name for name in names if name[0] == '_' and name[:2] != '__'], 'Path' in names, "
        "'engine' in dir(masons)); "
        "masons.load_board('classic'); masons.parse_move('wall:3'); print('numba' in sys.modules)"
    )
    assert run_python("-c", code).stdout == "True True [] False True\nFalse\n"


def modules_with_examples() -> Iterator[str]:
    """Yield the names of the modules whose docstrings have examples."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            yield name.removesuffix(".__init__")


@pytest.mark.parametrize("name", [*modules_with_examples()])
def test_the_examples_in_docstrings(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0 < results.attempted
