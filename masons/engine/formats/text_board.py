"""Drawings of the board as text. They depend only on the position and the look.

Towers, lines and spaces are drawn on a grid of characters. A cell of the grid is (row, column),
both from 0. A side of a triangle is `ACROSS` columns wide, and a strip of triangles is `STRIPS`
rows high. Every cell has a background and a text color, so that the board looks the same on dark
and light terminals (`masons/cli/terminal/styled_board.py`). Even without colors, the letters are
enough to read the board.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from masons.engine.board import board_picture
from masons.engine.board.board_description import ROW
from masons.engine.board.board_picture import HOUSE_PAINT, TOWER_PAINT
from masons.engine.board.components import CARD_NAMES, CARDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position

TOWER_LETTERS: Final = ("W", "G", "B")
HOUSE_LETTERS: Final = ("r", "s", "y", "g", "b")  # capital letters stand for palaces


class Paint(NamedTuple):
    """The colors of a cell. A color that is None is the terminal's own."""

    color: str | None = None
    ground: str | None = None
    is_bold: bool = False
    is_slanted: bool = False


REGIONS: Final = board_picture.REGION_TINTS
CITY: Final = "#f6cf6b"  # stronger than in pictures, where the ground is paved
WATER: Final = Paint(board_picture.SHORE, board_picture.SEA)
FRESH: Final = board_picture.HIGHLIGHT
LABEL: Final = Paint(board_picture.SPACE_TEXT_COLOR, board_picture.EMPTY, is_bold=True)
WALL: Final = Paint("#ffffff", "#6b4a34", is_bold=True)
FRESH_WALL: Final = Paint("#ffffff", FRESH, is_bold=True)
OPEN: Final = Paint("#9b927f")
BORDER: Final = Paint("#7a6f5e")


def _painted(fill: str, text: str) -> Paint:
    return Paint(text, fill, is_bold=True)


# The colors are the same as in pictures, except where a letter is easier to read on another color.
TOWERS: Final[tuple[Paint, ...]] = (
    _painted("#ffffff", "#1a1613"),
    _painted(TOWER_PAINT["gray"][0], "#000000"),
    _painted(*TOWER_PAINT["black"]),
)
HOUSES: Final[tuple[Paint, ...]] = (
    _painted("#c62b28", "#ffffff"),
    _painted(*HOUSE_PAINT["rose"]),
    _painted(*HOUSE_PAINT["yellow"]),
    _painted("#3b8f46", "#ffffff"),
    _painted(*HOUSE_PAINT["blue"]),
)


@dataclass(frozen=True)
class Strokes:
    """The characters used in a drawing. Each is one column wide."""

    level: str
    falling: str  # a wall from north-west to south-east
    rising: str
    fresh: str
    open: str
    border: str  # an open line between two regions
    empty: str  # a tower space
    shore: str  # an empty tower space on the shore
    water: str
    city: str  # the background of a city in a drawing without colors
    here: str  # the mark of the deciding seat


FANCY: Final = Strokes("━", "╲", "\u2571", "#", "·", ":", "∘", "≈", "~", "░", "▸")
ASCII: Final = Strokes("=", "\\", "/", "#", ".", ":", "o", "~", "~", "'", ">")

ACROSS: Final = 8
STRIPS: Final = {"large": 4, "small": 2}
MARGINS: Final = {"large": 4, "small": 2}  # the columns of water on each side
_BLANK: Final = Paint()

Cell = tuple[int, int]
Run = tuple[int, int, int]  # row, first and last column


@dataclass(frozen=True)
class BoardPlan:
    """The cells of the grid on which the parts of a board are drawn."""

    width: int
    height: int
    towers: tuple[Cell, ...]  # the middle of each tower's three columns
    lines: tuple[tuple[Cell, ...], ...]  # the cells of each wall between its two towers
    spaces: tuple[tuple[Run, ...], ...]  # the rows of cells inside each space, widest first
    water: frozenset[Cell]
    tower_spaces: tuple[tuple[int, ...], ...]  # the spaces that meet at each tower space

    def middle(self, line: int) -> Cell:
        """Return the middle cell of a line, on which the line's label is centered."""
        cells = self.lines[line]
        return cells[len(cells) // 2]

    def is_level(self, line: int) -> bool:
        """Return whether a line runs from west to east."""
        return len({row for row, _ in self.lines[line]}) == 1 and len(self.lines[line]) > 3


@lru_cache(maxsize=8)
def plan_board(board: Board, size: str) -> BoardPlan:
    """Return the plan of a board in a size, `large` or `small`."""
    high, margin = STRIPS[size], MARGINS[size]
    west, north = (min(xy[axis] for xy in board.tower_xy) for axis in (0, 1))
    towers = tuple(
        (round((y - north) / ROW) * high, margin + round((x - west) * ACROSS))
        for x, y in board.tower_xy
    )
    width = max(column for _, column in towers) + margin + 1
    water = _water(board, towers, high, margin)
    return BoardPlan(
        width=width,
        height=max(row for row, _ in towers) + 1,
        towers=towers,
        lines=tuple(_line(towers[a], towers[b], high) for a, b in board.line_towers),
        spaces=tuple(_space([towers[t] for t in ends], high) for ends in board.space_towers),
        water=frozenset(cell for cell in water if 0 <= cell[1] < width),
        tower_spaces=tuple(
            tuple(space for space, corners in enumerate(board.space_towers) if tower in corners)
            for tower in range(len(towers))
        ),
    )


def _line(first: Cell, second: Cell, high: int) -> tuple[Cell, ...]:
    (row, column), (row_2, column_2) = sorted((first, second))
    if row == row_2:
        return tuple((row, at) for at in range(column + 2, column_2 - 1))
    slant = (column_2 - column) // high
    return tuple((row + k, column + k * slant) for k in range(1, high))


def _space(corners: list[Cell], high: int) -> tuple[Run, ...]:
    rows = [row for row, _ in corners]
    row, apex = next(cell for cell in corners if rows.count(cell[0]) == 1)
    down = 1 if row == min(rows) else -1
    half = ACROSS // 2 // high
    return tuple(
        (row + down * k, apex - half * k + 1, apex + half * k - 1) for k in range(high - 1, 0, -1)
    )


def _water(board: Board, towers: tuple[Cell, ...], high: int, margin: int) -> list[Cell]:
    """Return the cells of water: those beside shore towers and beside edges between them."""
    cells = []
    reach = margin + ACROSS // 2 + 1
    ends = {end for pair in board.line_towers for end in ((*pair,), (*pair[::-1],))}
    level = {(a, b) for a, b in ends if towers[a][0] == towers[b][0]}
    for tower, (row, column) in enumerate(towers):
        if board.tower_shore[tower]:
            near = {towers[b][1] - column for a, b in level if a == tower}
            for side in (-1, 1):
                if side * ACROSS not in near:
                    cells += [(row, column + side * away) for away in range(2, reach)]
    for line, (space, other) in enumerate(board.line_spaces):
        a, b = board.line_towers[line]
        is_shore = other is None and board.tower_shore[a] and board.tower_shore[b]
        if is_shore and towers[a][0] != towers[b][0]:
            third = next(t for t in board.space_towers[space] if t not in (a, b))
            side = 1 if 2 * towers[third][1] < towers[a][1] + towers[b][1] else -1
            cells += [
                (row, column + side * away)
                for row, column in _line(towers[a], towers[b], high)
                for away in range(1, reach)
            ]
    return cells


class DrawnPiece(NamedTuple):
    """The letter of a house or palace, or a digit that says how many of them there are."""

    letter: str
    color: int


def place_pieces(position: Position) -> dict[int, list[DrawnPiece]]:
    """Return the pieces to draw, by space. Spaces without pieces are left out.

    In a position, all pieces of a city are on the lowest space of the city. This function spreads
    them over all spaces of the city, palaces first.
    """
    placed = {
        space: pieces
        for space, counts in position.houses.items()
        if (pieces := _pieces(counts, HOUSE_LETTERS))
    }
    capitals = [letter.upper() for letter in HOUSE_LETTERS]
    for city in position.cities:
        root, spaces = min(city), sorted(city)
        pieces = _pieces(position.palaces.get(root, ()), capitals) + placed.pop(root, [])
        per_space = -(-len(pieces) // len(spaces))
        for number, space in enumerate(spaces):
            if some := pieces[number * per_space : (number + 1) * per_space]:
                placed[space] = some
    return placed


def _pieces(counts: Sequence[int], letters: Sequence[str]) -> list[DrawnPiece]:
    return [DrawnPiece(letters[color], color) for color, n in enumerate(counts) for _ in range(n)]


def squeeze(pieces: Sequence[DrawnPiece], columns: int) -> list[DrawnPiece]:
    """Fit pieces into a number of columns.

    If there is room, each piece gets a letter. Otherwise each kind of piece gets a letter and a
    count. If this doesn't fit either, the result has a letter for each kind that fits, and then a
    plus sign.
    """
    if len(pieces) <= columns:
        return list(pieces)
    kinds = list(dict.fromkeys(pieces))
    short = []
    for piece in kinds:
        number = pieces.count(piece)
        short += [piece] if number == 1 else [piece, DrawnPiece(str(min(number, 9)), piece.color)]
    if len(short) <= columns:
        return short
    return [*kinds[: columns - 1], DrawnPiece("+", kinds[min(columns, len(kinds)) - 1].color)]


@dataclass(frozen=True)
class Look:
    """The size and style of a board's drawing, and the marks on it."""

    size: str = "large"  # "large" or "small"
    color: bool = True
    ascii: bool = False
    fresh_lines: frozenset[int] = frozenset()  # the lines, towers and spaces that have just changed
    fresh_towers: frozenset[int] = frozenset()
    fresh_spaces: frozenset[int] = frozenset()
    line_ids: frozenset[int] = frozenset()  # the lines, towers and spaces to number
    tower_ids: frozenset[int] = frozenset()
    space_ids: frozenset[int] = frozenset()

    @property
    def strokes(self) -> Strokes:
        """The characters to draw with."""
        return ASCII if self.ascii else FANCY


class TextDrawing(NamedTuple):
    """The drawing of a board: the sign and the paint of each cell, by row and column."""

    signs: list[list[str]]
    paints: list[list[Paint]]

    @property
    def lines(self) -> list[str]:
        """The rows as text without colors, each `BoardPlan.width` columns wide."""
        return ["".join(row) for row in self.signs]


def draw_board(board: Board, position: Position, look: Look | None = None) -> TextDrawing:
    """Return the drawing of a board, `BoardPlan.width` columns wide."""
    sheet = _Sheet(board, position, look or Look())
    for cell in sheet.plan.water:
        sheet.put(cell, sheet.strokes.water, WATER)
    sheet.spaces()
    sheet.lines()
    sheet.towers()
    sheet.regions()
    sheet.labels()
    return TextDrawing(sheet.signs, sheet.paints)


LEGEND: Final = (
    "towers: W white, G gray, B black; houses: r red, s rose, y yellow, g green, b blue; "
    "capitals: palaces"
)


def position_title(position: Position) -> str:
    """Return the turn, the decision that is due and the scores as text, but no hands."""
    due = "over" if position.phase == "over" else f"seat {position.seat}, {position.phase}"
    return f"Turn {position.turn + 1}: {due}; scores {', '.join(map(str, position.scores))}"


def draw_position(board: Board, position: Position) -> str:
    """Return a drawing of a position in several lines, without colors but with the known hands."""
    drawing = draw_board(board, position, Look(color=False))
    hands = [
        f"seat {seat} holds {', '.join(CARD_NAMES[CARDS[kind]] for kind in hand)}"
        for seat, hand in enumerate(position.hands)
        if hand and not isinstance(hand, int)
    ]
    board_rows = [line.rstrip() for line in drawing.lines]
    return "\n".join([position_title(position), *board_rows, LEGEND, *hands])


class _Sheet:
    """A grid of characters with their paints, on which a board is drawn layer by layer."""

    def __init__(self, board: Board, position: Position, look: Look) -> None:
        self.board, self.position, self.look = board, position, look
        self.plan = plan_board(board, look.size)
        self.strokes = look.strokes
        self.in_city = {space for city in position.cities for space in city}
        wide, high = self.plan.width, self.plan.height
        self.signs = [[" "] * wide for _ in range(high)]
        self.paints = [[_BLANK] * wide for _ in range(high)]

    def put(self, cell: Cell, text: str, paint: Paint) -> None:
        """Write a text to the right, beginning at a cell."""
        row, column = cell
        for offset, sign in enumerate(text):
            self.signs[row][column + offset] = sign
            self.paints[row][column + offset] = paint

    def spaces(self) -> None:
        """Draw each space with its pieces, in the background color of its region or of cities."""
        pieces = place_pieces(self.position)
        for space, runs in enumerate(self.plan.spaces):
            paint = Paint(board_picture.TEXT_COLOR, self._tint(space))
            blank = self.strokes.city if space in self.in_city and not self.look.color else " "
            for row, first, last in runs:
                self.put((row, first), blank * (last - first + 1), paint)
            if space in pieces:
                self._pieces(space, pieces[space])

    def _tint(self, *spaces: int | None) -> str:
        """Return the background color that spaces share, or the color of land if they differ."""
        tints = {
            CITY if space in self.in_city else REGIONS[self.board.space_region[space] - 1]
            for space in spaces
            if space is not None
        }
        return tints.pop() if len(tints) == 1 else board_picture.LAND

    def _has_line_label(self, space: int) -> bool:
        return not self.look.line_ids.isdisjoint(self.board.space_lines[space])

    def _pieces(self, space: int, pieces: list[DrawnPiece]) -> None:
        """Draw the letters of pieces in the widest row of a space, and then in the next row."""
        is_fresh = space in self.look.fresh_spaces
        rows = self.plan.spaces[space]
        widths = [last - first + 1 for _, first, last in rows[:2]]
        if self._has_line_label(space):
            widths = [max(widths[0] - (0 if len(widths) > 1 else 2), 1), 1][: len(widths)]
        if space in self.look.space_ids:
            # The number of the space takes the last row. In a small drawing, the only row must be
            # free for the number.
            widths = widths[:1]
        shown = squeeze(pieces, sum(widths))
        if is_fresh and not self.look.color and len(shown) < widths[0]:
            shown = [*shown, DrawnPiece("!", shown[-1].color)]
        for (row, first, last), width in zip(rows, widths, strict=False):
            some, shown = shown[:width], shown[width:]
            start = (first + last + 1 - len(some)) // 2
            for offset, piece in enumerate(some):
                paint = HOUSES[piece.color]._replace(is_slanted=is_fresh)
                self.put((row, start + offset), piece.letter, paint)

    def lines(self) -> None:
        """Draw walls as bold strokes and open lines as dots."""
        dots = (self.strokes.open, self.strokes.border)
        for line, cells in enumerate(self.plan.lines):
            sign, paint = self._stroke(line)
            is_dotted = sign in dots and self.plan.is_level(line)
            for number, cell in enumerate(cells):
                self.put(cell, " " if is_dotted and number % 2 else sign, paint)

    def _stroke(self, line: int) -> tuple[str, Paint]:
        strokes, is_fresh = self.strokes, line in self.look.fresh_lines
        if line not in self.position.walls:
            first, other = self.board.line_spaces[line]
            region = self.board.space_region
            tint = self._tint(first, other)
            if other is not None and region[first] != region[other]:
                return strokes.border, BORDER._replace(ground=tint)
            return strokes.open, OPEN._replace(ground=tint)
        if is_fresh and not self.look.color:
            return strokes.fresh, FRESH_WALL
        paint = FRESH_WALL if is_fresh else WALL
        if self.plan.is_level(line):
            return strokes.level, paint
        (_, west), (_, east) = sorted(
            self.plan.towers[tower] for tower in self.board.line_towers[line]
        )
        return strokes.falling if west < east else strokes.rising, paint

    def towers(self) -> None:
        """Draw towers as letters, and empty tower spaces as circles or, on the shore, as waves."""
        for tower, (row, column) in enumerate(self.plan.towers):
            color = self.position.towers.get(tower)
            if color is None:
                sign = self.strokes.shore if self.board.tower_shore[tower] else self.strokes.empty
                tint = self._tint(*self.plan.tower_spaces[tower])
                self.put((row, column - 1), f" {sign} ", BORDER._replace(ground=tint))
                continue
            edges = "  " if self.look.color else "()"
            if tower in self.look.fresh_towers:
                edges = "[]"
            text = f"{edges[0]}{TOWER_LETTERS[color]}{edges[1]}"
            self.put((row, column - 1), text, TOWERS[color])

    def regions(self) -> None:
        """Write the number of each region on the empty space nearest to the region's middle."""
        look, board = self.look, self.board
        busy = {*self.position.houses, *self.in_city, *look.space_ids}
        for region in range(1, board.regions + 1):
            spaces = [s for s, r in enumerate(board.space_region) if r == region]
            free = [s for s in spaces if s not in busy and not self._has_line_label(s)]
            if not free:
                continue
            runs = [self.plan.spaces[space][0] for space in spaces]
            row = sum(run[0] for run in runs) / len(runs)
            column = sum(run[1] + run[2] for run in runs) / len(runs) / 2
            space = min(free, key=lambda s: self._distance(s, row, column))
            at, first, last = self.plan.spaces[space][0]
            mark = board_picture.REGION_MARKS[region - 1]
            paint = Paint(BORDER.color, self._tint(space), is_bold=True)
            self.put((at, (first + last + 2 - len(mark)) // 2), mark, paint)

    def _distance(self, space: int, row: float, column: float) -> float:
        """Return the squared distance between a space and a cell. A row counts as two columns."""
        at, first, last = self.plan.spaces[space][0]
        return 4 * (at - row) ** 2 + ((first + last) / 2 - column) ** 2

    def labels(self) -> None:
        """Write the numbers of the lines, tower spaces and spaces that `look` lists."""
        for line in self.look.line_ids:
            self._label(self.plan.middle(line), line)
        for tower in self.look.tower_ids:
            self._label(self.plan.towers[tower], tower)
        for space in self.look.space_ids:
            rows = self.plan.spaces[space]
            is_crowded = self._has_line_label(space)
            row, first, last = rows[0 if is_crowded else min(1, len(rows) - 1)]
            is_taken = any(
                not sign.isspace() and sign != self.strokes.city
                for sign in self.signs[row][first : last + 1]
            )
            if len(rows) > 1 or not (is_crowded or is_taken):
                self._label((row, (first + last) // 2), space)

    def _label(self, middle: Cell, number: int) -> None:
        row, column = middle
        text = str(number)
        self.put((row, column - len(text) // 2), text, LABEL)
