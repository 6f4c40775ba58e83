"""Whatever the kernels keep up to date move by move is what it is when worked out anew."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from masons.engine.board.geometry import Board
from masons.engine.board.packed_board import HOLES
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.state import layout
from masons.engine.state.packed_move import FINAL, PLAY
from masons.engine.state.position import Position, card_values, kinds, unpack_state
from masons.engine.state.position_checks import settle_position
from tests.support.playing import BOARD_NAMES, board_of, new_game, pick, steps
from tests.support.thinned import thinned
from tests.support.triangles import beside, describe

SETS = {
    "WALLS": (layout.WALLS, 4),
    "OPEN": (layout.OPEN, 4),
    "TOUCHED": (layout.TOUCHED, 4),
    "DOUBLE": (layout.DOUBLE, 4),
    "CLOSING": (layout.CLOSING, 4),
    "CITY_LINES": (layout.CITY_LINES, 4),
    "TOWERS": (layout.TOWERS, 6),
    "CITY_TOWERS": (layout.CITY_TOWERS, 2),
    "LAND_HOUSES": (layout.LAND_HOUSES, 1),
    "CITIES": (layout.CITIES, 1),
    "TOWER_SUPPLY": (layout.TOWER_SUPPLY, 1),
    "HOUSE_SUPPLY": (layout.HOUSE_SUPPLY, 1),
    "PALACE_SUPPLY": (layout.PALACE_SUPPLY, 1),
    "SCORES": (layout.SCORES, 1),
    "TURN": (layout.TURN, 1),
    "SPACES": (layout.SPACES, 64),
}
CARD_SETS = [int(layout.HANDS) + seat for seat in range(4)] + [
    int(layout.DECK),
    int(layout.DISCARD),
]
ALWAYS = ("PLAYERS", "ACTIVE", "SEAT", "PHASE", "END", "OPTIONS", "QUEUE", "WALL_LEFT")
BUILDING = ("roll", "towers", "houses")
PLACING = ("towers", "houses")


def header(state: layout.State, position: Position) -> dict[str, int]:
    """The bytes of the header that mean something in this phase."""
    names = list(ALWAYS)
    phase = position.phase
    names += ["ROLLED"] if phase == "wall" else []
    names += ["LINE", "CLOSES"] if phase in BUILDING else []
    names += ["DIE", "DICE"] if phase in PLACING else []
    names += ["CITY"] if position.city is not None else []
    names += ["DUE"] if phase == "draw" else []
    small = state.view(np.uint8)
    return {name: int(small[int(getattr(layout, name))]) for name in names}


def groups(board: Board, state: layout.State, position: Position) -> set[frozenset[int]]:
    """The towers that touch land outside the cities, by the component that they are in."""
    inside = {space for city in position.cities for space in city}
    land = {
        tower
        for space, corners in enumerate(board.space_towers)
        if space not in inside
        for tower in corners
    }
    components: dict[int, set[int]] = {}
    for tower in land & set(position.towers):
        label = int(state.view(np.uint8)[int(layout.LABELS_BYTE) + tower])
        assert label != layout.NONE
        components.setdefault(label, set()).add(tower)
    return {frozenset(group) for group in components.values()}


def differences(table: Table, state: layout.State) -> list[str]:
    """The fields in which a state is not the one worked out from its position."""
    position = unpack_state(state)
    settled = settle_position(table.board, position)
    assert settled == position
    anew = table.state_of(settled)
    wrong = [
        name
        for name, (start, words) in SETS.items()
        if (state[int(start) : int(start) + words] != anew[int(start) : int(start) + words]).any()
    ]
    # On a board with a lake the closing lines are found before each wall.
    if table.packed[int(HOLES)] and position.phase != "wall":
        wrong = [name for name in wrong if name != "CLOSING"]
    wrong += ["cards" for word in CARD_SETS if kinds(int(state[word])) != kinds(int(anew[word]))]
    is_scoring = position.city is not None and position.phase != "merge"
    wrong += ["header"] * (header(state, position) != header(anew, position))
    wrong += ["LABELS"] * (
        groups(table.board, state, position) != groups(table.board, anew, position)
    )
    wrong += ["VALUES"] * (is_scoring and card_values(state) != card_values(anew))
    return wrong


def follow(board: Board, players: int, early_roll: bool, chance: random.Random) -> int:
    """Play a game and compare after every step; the number of cities at its end."""
    game = new_game(players, chance.randrange(1000), board, early_roll=early_roll)
    for _ in steps(game, chance):
        assert differences(game.table, game.state) == [], game.text
    return len(game.position.cities)


@pytest.mark.slow
@pytest.mark.parametrize("name", BOARD_NAMES)
def test_every_derived_field_is_right_after_every_step(name: str) -> None:
    board = board_of(name)
    chance = random.Random(f"state of {name}")
    games = [(2, False), (2, True), (3, True), (3, False), (4, False), (4, True)]
    assert sum(follow(board, *game, chance) for game in thinned(games)) >= 2


def any_board(chance: random.Random) -> Board:
    """Triangles that hang together, rather ragged, with bays and sometimes lakes."""
    wanted = chance.randrange(20, 100)
    cells = {(6, 6)}
    while len(cells) < wanted:
        near = sorted({other for cell in cells for other in beside(cell)} - cells)
        thin = [cell for cell in near if len(cells & set(beside(cell))) == 1]
        cell = chance.choice(thin if thin and chance.random() < 0.7 else near)
        if min(cell) >= 0:
            cells.add(cell)
    return Board.from_dict(describe("ragged", dict.fromkeys(cells, 1)))


@pytest.mark.slow
def test_every_derived_field_is_right_on_ragged_boards() -> None:
    chance = random.Random("ragged")
    lakes = 0
    for players in (2, 3, 4, 2):
        board = any_board(chance)
        lakes += int(Table(board).packed[int(HOLES)]) > 0
        follow(board, players, True, chance)
    assert 0 < lakes < 4


def test_the_state_is_one_small_block(classic: Board) -> None:
    state = Game(4, board=classic, seed=1).state
    assert state.dtype == np.uint64
    assert state.flags.c_contiguous
    assert state.nbytes <= 1024


def test_the_fields_fill_the_state_without_overlap() -> None:
    words = [word for start, count in SETS.values() for word in range(start, start + count)]
    words += [*CARD_SETS, *range(int(layout.VALUES), int(layout.VALUES) + 4)]
    words += range(int(layout.LABELS), int(layout.SPACES))
    words += sorted({int(getattr(layout, name)) // 8 for name in ALWAYS} | {int(layout.CITY) // 8})
    assert len(set(words)) == len(words)
    assert max(words) < layout.STATE_WORDS


def test_a_copy_goes_its_own_way(classic: Board) -> None:
    game = Game(2, board=classic, seed=1)
    copy = game.state
    copy[:] = 0
    assert game.phase == "wall"
    assert game.position.deck_size == 48
    before = game.state
    game.apply("wall:0")
    assert not (before == game.state).all()
    assert unpack_state(before).walls == frozenset()


@pytest.mark.slow
def test_card_points_are_what_the_moves_score() -> None:
    """Of every play and of every move of the final scoring; the state asked about stays."""
    chance = random.Random("card points")
    checked = Counter[str]()
    for players in (2, 4):
        game = Game(players, seed=players)
        while not game.is_over:
            if game.phase in ("score", "final"):
                before, seat, city = game.state, game.seat, game.position.city
                had = game.scores[seat]
                for move in game.legal_moves():
                    if move.kind not in (PLAY, FINAL) or not move.cards:
                        continue
                    counted = city if move.kind == PLAY else move.city
                    points = game.table.card_points(game.state, counted)
                    assert (game.state == before).all()
                    game.apply(move)
                    assert game.scores[seat] - had == sum(points[card] for card in move.cards)
                    game.undo()
                    checked[game.phase] += 1
            game.apply(pick(game, chance))
    assert min(checked[phase] for phase in ("score", "final")) > 50
