"""Perft: frozen counts, and a slow count that plays every path with `Game`."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.board.geometry import Board
from masons.engine.errors import PositionError
from masons.engine.formats.move_text import Move
from masons.engine.formats.position_text import parse_position
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.game.perft import divide, perft
from masons.engine.game.table import Table
from masons.engine.state.position import Position
from tests.support.paths import PERFT
from tests.support.playing import board_of

# What the slow count may cost: paths behind one move of the position.
SLOW_PATHS = 600
SLOW_MOVES = 3


@dataclass(frozen=True)
class Case:
    name: str
    board: Board
    position: Position
    counts: tuple[int, ...]  # for 1, 2, ... decisions


def read_cases(path: Path) -> list[Case]:
    """The blocks of a file of frozen counts."""
    cases: list[Case] = []
    name, text, counts = "", "", dict[int, int]()
    for line in [*path.read_text().splitlines(), "id "]:
        key, _, value = line.partition(" ")
        if key == "id":
            if counts:
                assert list(counts) == [*range(1, len(counts) + 1)]
                known, position = parse_position(text, board_of(path.stem))
                cases.append(Case(f"{path.stem}-{name}", known, position, (*counts.values(),)))
            name, counts = value, {}
        elif key == "position":
            text = value
        elif key == "perft":
            depth, count = map(int, value.split())
            counts[depth] = count
    return cases


CASES = [case for path in sorted(PERFT.glob("*.perft")) for case in read_cases(path)]
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def settle(game: Game) -> None:
    """Draw the lowest card while a card is due."""
    while game.phase == "draw":
        game.give_card(CARDS[game.position.unseen[0]])


def rolls(game: Game) -> list[tuple[str | None, str, str]]:
    """Every distinct roll for the wall that was just placed."""
    line = game.position.line
    assert line is not None
    empty = [end for end in game.board.line_towers[line] if end not in game.position.towers]
    towers: tuple[str | None, ...] = TOWER_DIE if empty else (None,)
    dice = combinations_with_replacement(HOUSE_DIE, 2)
    return [(tower, *pair) for pair in dice for tower in towers]


def slow_count(game: Game, depth: int) -> int:
    """The paths of `depth` decisions from a decision."""
    return sum(slow_after(game, move, depth - 1) for move in game.legal_moves())


def slow_after(game: Game, move: Move, depth: int) -> int:
    """The paths of `depth` more decisions after a move."""
    game.apply(move)
    settle(game)
    if depth == 0:
        paths = 1
    elif game.phase == "roll":
        paths = 0
        for roll in rolls(game):
            game.undo()
            game.apply(move)
            game.give_roll(*roll)
            settle(game)
            paths += slow_count(game, depth)
    else:
        paths = slow_count(game, depth)
    game.undo()
    return paths


@pytest.mark.slow
@EACH
def test_frozen_counts(case: Case) -> None:
    table = Table(case.board)
    counts = [perft(table, case.position, n) for n in range(1, len(case.counts) + 1)]
    assert tuple(counts) == case.counts


@pytest.mark.slow
@EACH
def test_a_slow_count_agrees(case: Case) -> None:
    table = Table(case.board)
    if case.position.phase == "roll":
        total = 0
        game = Game.from_position(case.position, board=case.board, chance=Outside())
        for roll in rolls(game):
            game = Game.from_position(case.position, board=case.board, chance=Outside())
            game.give_roll(*roll)
            total += slow_count(game, 1)
        assert total == case.counts[0]
        with pytest.raises(PositionError, match="dice"):
            list(divide(table, case.position, 1))
        return
    game = Game.from_position(case.position, board=case.board, chance=Outside())
    settle(game)
    cheap = [n for n, count in enumerate(case.counts, 1) if count <= SLOW_PATHS * case.counts[0]]
    depth = max(cheap)
    sample = list(game.legal_moves())
    if len(sample) > SLOW_MOVES:
        sample = random.Random(case.name).sample(sample, SLOW_MOVES)
    behind = dict(divide(table, case.position, depth))
    for move in sample:
        assert slow_after(game, move, depth - 1) == behind[move], str(move)


def test_no_decision_is_one_path_and_hidden_hands_are_refused(table: Table) -> None:
    assert perft(table, Game(2, seed=1).position, 0) == 1
    with pytest.raises(PositionError, match="hides"):
        perft(table, Game(2, seed=1).view(0), 1)


@pytest.mark.parametrize("depth", [-1, 65])
def test_impossible_depths(table: Table, depth: int) -> None:
    with pytest.raises(PositionError, match="0 to 64"):
        perft(table, Game(2, seed=1).position, depth)


def test_a_game_that_is_over_has_no_paths(table: Table) -> None:
    over = replace(Game(2, seed=1).position, phase="over", end="walls")
    assert [perft(table, over, n) for n in range(3)] == [1, 0, 0]
