"""The board as text, and `board`: golden drawings, widths, numbers, letters and colors.

`tests/support/drawings/` holds what is drawn; MASONS_DRAWINGS=write writes it anew, to be looked
at.
"""

from __future__ import annotations

import os
import random
import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console
from rich.style import Style

from masons.cli.terminal.styled_board import HOUSES, TOWERS, basic_style, draw_board
from masons.cli.terminal.text_page import Frame, Scene, draw_page, size_for
from masons.engine.board.geometry import Board, load_board
from masons.engine.formats.position_text import parse_position
from masons.engine.formats.text_board import (
    CITY,
    DrawnPiece,
    Look,
    place_pieces,
    plan_board,
    squeeze,
)
from masons.engine.state.position import Position
from masons.words.positions import board_lines
from tests.cli.conftest import HEXAGON, POSITION
from tests.support.commands import told
from tests.support.paths import DRAWINGS
from tests.support.playing import BOARD_NAMES, board_of, moves_by_chance

MIDGAME = parse_position(POSITION)
EMPTY = Position(players=2, scores=(0, 0), hands=(6, 6))
SIZES = ("large", "small")
LOOKS = {
    "large": Look("large", color=False, fresh_lines=frozenset({33, 88})),
    "small": Look("small", color=False, fresh_towers=frozenset({32})),
    "large-ascii": Look("large", color=False, ascii=True, fresh_spaces=frozenset({55})),
    "small-ascii": Look("small", color=False, ascii=True),
    "large-lines": Look("large", color=False, line_ids=frozenset(range(170))),
    "small-lines": Look("small", color=False, line_ids=frozenset(range(170))),
    "large-color": Look("large", space_ids=frozenset({57, 90}), tower_ids=frozenset({20})),
}


def every_line(board: Board) -> frozenset[int]:
    return frozenset(range(len(board.line_towers)))


def shown(board: Board, position: Position, look: Look) -> str:
    """The drawing as a terminal of 16 million colors gets it, or plain."""
    lines = draw_board(board, position, look)
    if not look.color:
        return "".join(f"{line.plain.rstrip()}\n" for line in lines)
    console = Console(color_system="truecolor", force_terminal=True, width=200, no_color=False)
    with console.capture() as capture:
        for line in lines:
            console.print(line, end="\n")
    return capture.get()


def test_the_command_prints_and_draws_the_board(tmp_path: Path) -> None:
    assert told("board", "classic", "--json") == load_board("classic").to_json() + "\n"
    assert "24" in told("board", HEXAGON)
    picture = tmp_path / "board.svg"
    picture.write_text("old")
    picture.chmod(0o640)
    assert told("board", "classic", "--svg", str(picture)) == ""
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    assert picture.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [picture]


@pytest.mark.parametrize("name", LOOKS)
def test_drawings_are_those_that_were_looked_at(name: str) -> None:
    drawn = shown(*MIDGAME, LOOKS[name])
    path = DRAWINGS / f"midgame-{name}.txt"
    if os.environ.get("MASONS_DRAWINGS") == "write":
        path.write_text(drawn, encoding="utf-8")
    assert drawn == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", BOARD_NAMES)
@pytest.mark.parametrize("size", SIZES)
def test_every_line_of_a_drawing_is_as_wide_as_its_plan(name: str, size: str) -> None:
    board = board_of(name)
    plan = plan_board(board, size)
    lines = draw_board(board, EMPTY, Look(size, line_ids=every_line(board)))
    assert [line.cell_len for line in lines] == [plan.width] * plan.height


def test_no_two_things_lie_on_one_cell() -> None:
    for name in BOARD_NAMES:
        for size in SIZES:
            plan = plan_board(board_of(name), size)
            cells = [(row, col + side) for row, col in plan.towers for side in (-1, 0, 1)]
            cells += [cell for line in plan.lines for cell in line]
            cells += [
                (row, at) for runs in plan.spaces for row, a, b in runs for at in range(a, b + 1)
            ]
            assert len(set(cells)) == len(cells), (name, size)
            assert all(0 <= r < plan.height and 0 <= c < plan.width for r, c in cells)


@pytest.mark.parametrize("size", SIZES)
def test_each_line_has_its_own_number_at_its_middle(size: str) -> None:
    """All numbers can be read at once."""
    board = load_board("classic")
    look, plan = Look(size, color=False, line_ids=every_line(board)), plan_board(board, size)
    rows = [row.plain for row in draw_board(board, EMPTY, look)]
    assert len(re.findall(r"\d+", "\n".join(rows))) == len(board.line_towers)
    for line in range(len(board.line_towers)):
        row, column = plan.middle(line)
        labels = re.finditer(r"\d+", rows[row])
        assert [m[0] for m in labels if m.start() <= column < m.end()] == [str(line)]


def test_a_citys_pieces_are_spread_over_it_and_none_is_lost() -> None:
    _, position = MIDGAME
    placed = place_pieces(position)
    for city in position.cities:
        root = min(city)
        held = [*position.palaces.get(root, ()), *position.houses.get(root, ())]
        assert sum(len(placed.get(space, ())) for space in city) == sum(held)


def test_many_pieces_are_counted() -> None:
    red, blue = DrawnPiece("r", 0), DrawnPiece("b", 4)
    assert squeeze([red, blue], 3) == [red, blue]
    assert squeeze([red, red, red, red], 3) == [red, DrawnPiece("4", 0)]
    assert squeeze([red, red, red, blue], 3) == [red, DrawnPiece("3", 0), blue]
    assert squeeze([red, red, blue, blue], 3) == [red, blue, DrawnPiece("+", 4)]
    assert squeeze([red, blue], 1) == [DrawnPiece("+", 0)]


def test_regions_cities_and_what_is_new_differ_by_color() -> None:
    board, position = MIDGAME
    plan = plan_board(board, "large")
    look = Look("large", fresh_lines=frozenset({33}))
    lines = draw_board(board, position, look)
    console = Console()

    def ground(row: int, column: int) -> str:
        return str(lines[row].get_style_at_offset(console, column).bgcolor)

    tips = [runs[-1][:2] for runs in plan.spaces]
    city = {space for spaces in position.cities for space in spaces}
    tints = {
        ("city" if space in city else region, ground(*tips[space]))
        for space, region in enumerate(board.space_region)
    }
    assert len({tint for _, tint in tints}) == len(tints) == 4
    new, old = (ground(*plan.middle(line)) for line in (33, 88))
    assert new != old


@pytest.mark.parametrize("width", [1, 7, 20, 40, 61, 79, 80, 99, 100, 130])
def test_no_page_is_wider_than_the_terminal(width: int) -> None:
    board, position = MIDGAME
    scene = Scene(
        board=board,
        position=position.observed_by(None),
        names=("Somebody", "Nobody at all"),
        news=("Somebody: wall on line 57 (towers 1-2, between spaces 3 and 4)",) * 9,
        menu=("completes a city: 1 (2 spaces), 2 (3 spaces), 3 (4 spaces)",),
    )
    for height, ascii_only in product((5, 24, 40), (False, True)):
        frame = Frame(width, height, color=False, ascii=ascii_only)
        assert max(line.cell_len for line in draw_page(scene, frame)) <= width


def test_sizes_fit_the_terminals_that_they_are_made_for() -> None:
    board, position = MIDGAME
    assert size_for(board, Frame(100, 40)) == "large"
    assert size_for(board, Frame(80, 24)) == "small"
    assert size_for(board, Frame(99, 24)) == "small"
    assert size_for(board, Frame(20, 24)) == "words"
    assert size_for(board, Frame(70, 40, size="large")) == "large"
    assert size_for(board, Frame(20, 40, size="large")) == "words"
    scene = Scene(
        board, position.observed_by(None), ("A", "B", "C", "D")[:2], news=("it rains",) * 30
    )
    assert len(draw_page(scene, Frame(100, 40))) <= 34
    assert len(draw_page(scene, Frame(80, 24))) <= 20


def test_the_list_names_every_wall_tower_and_house() -> None:
    _, position = MIDGAME
    text = "\n".join(board_lines(position))
    walls = next(line for line in text.splitlines() if line.startswith("walls"))
    assert list(map(int, walls.split()[1:])) == sorted(position.walls)
    cities = re.findall(r"^city (\d+) of (\d+) spaces?", text, re.MULTILINE)
    assert cities == [(str(min(city)), str(len(city))) for city in position.cities]
    towers = [line for line in text.splitlines() if " towers: " in line]
    numbers = sorted(int(n) for line in towers for n in line.partition(":")[2].split())
    assert numbers == sorted(position.towers)


@pytest.mark.slow
def test_positions_of_whole_games_are_drawn() -> None:
    from masons.engine.game.game import Game

    chance = random.Random(3)
    for name, players in (("classic", 4), ("hexagon-24", 2), ("ring-128", 3)):
        game = Game(players, board=board_of(name), seed=chance.randrange(99))
        widths = {size: plan_board(game.board, size).width for size in SIZES}
        for number, _ in enumerate(moves_by_chance(game, chance)):
            if number % 17:
                continue
            for size in SIZES:
                look = replace(Look(size), color=bool(number % 2))
                lines = draw_board(game.board, game.position, look)
                assert {line.cell_len for line in lines} == {widths[size]}


def test_sixteen_colors_keep_the_pieces_apart() -> None:
    """Every style of a drawing has its basic one, and no two colors of pieces share it."""
    board, position = MIDGAME
    look = Look("large", fresh_lines=frozenset({33}), line_ids=frozenset({50}))
    styles = {
        span.style
        for line in draw_board(board, position, look)
        for span in line.spans
        if isinstance(span.style, Style)
    }
    for style in styles:
        for color in (style.color, style.bgcolor):
            assert color is None or basic_style(Style(color=color)).color.number < 16  # type: ignore
    for pieces in (HOUSES, TOWERS):
        grounds = {basic_style(style).bgcolor for style in pieces}
        assert len(grounds) == len(pieces)
        assert basic_style(Style(bgcolor=CITY)).bgcolor not in grounds
