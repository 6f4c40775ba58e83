"""The board as text: a pure function from a position to lines for a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rich.style import Style
from rich.text import Text

from masons.cli.terminal.drawing import colors
from masons.cli.terminal.drawing.character_grid import Cell, Plan, plan_board
from masons.cli.terminal.drawing.drawn_pieces import Piece, place_pieces, squeeze
from masons.engine.board import board_picture
from masons.match.playing.game_words import TOWER_LETTERS

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position

_BLANK: Final = Style()


@dataclass(frozen=True)
class Look:
    """How a board is drawn, and what is marked on it."""

    size: str = "large"  # or small
    color: bool = True
    ascii: bool = False
    fresh_lines: frozenset[int] = frozenset()  # what changed last
    fresh_towers: frozenset[int] = frozenset()
    fresh_spaces: frozenset[int] = frozenset()
    line_ids: frozenset[int] = frozenset()  # of which the numbers are shown
    tower_ids: frozenset[int] = frozenset()
    space_ids: frozenset[int] = frozenset()

    @property
    def strokes(self) -> colors.Strokes:
        """The characters to draw with."""
        return colors.ASCII if self.ascii else colors.FANCY


@lru_cache(maxsize=8)
def board_plan(board: Board, size: str) -> Plan:
    """`plan_board`, remembered: a session draws the same board again and again."""
    return plan_board(board, size)


@lru_cache(maxsize=8)
def spaces_around(board: Board) -> tuple[tuple[int, ...], ...]:
    """The spaces that meet at each tower space."""
    found: list[list[int]] = [[] for _ in board.tower_xy]
    for space, corners in enumerate(board.space_towers):
        for tower in corners:
            found[tower].append(space)
    return tuple(map(tuple, found))


def draw_board(board: Board, position: Position, look: Look | None = None) -> list[Text]:
    """The lines of a board's drawing, all `Plan.width` columns wide."""
    sheet = _Sheet(board, position, look or Look())
    sheet.water()
    sheet.spaces()
    sheet.lines()
    sheet.towers()
    sheet.regions()
    sheet.labels()
    return sheet.text()


class _Sheet:
    """A grid of characters with their styles, filled from the water up."""

    def __init__(self, board: Board, position: Position, look: Look) -> None:
        self.board, self.position, self.look = board, position, look
        self.plan = board_plan(board, look.size)
        self.strokes = look.strokes
        self.in_city = {space for city in position.cities for space in city}
        self.around = spaces_around(board)
        wide, high = self.plan.width, self.plan.height
        self.signs = [[" "] * wide for _ in range(high)]
        self.styles = [[_BLANK] * wide for _ in range(high)]

    def put(self, cell: Cell, text: str, style: Style) -> None:
        """Text from a cell on eastwards."""
        row, column = cell
        for offset, sign in enumerate(text):
            self.signs[row][column + offset] = sign
            self.styles[row][column + offset] = style

    def water(self) -> None:
        """The sea beside the shore."""
        for cell in self.plan.water:
            self.put(cell, self.strokes.water, colors.WATER)

    def spaces(self) -> None:
        """Each space in its region's or the city's tint, with its pieces."""
        pieces = place_pieces(self.position)
        for space in range(len(self.plan.spaces)):
            style = Style(color=board_picture.TEXT_COLOR, bgcolor=self._tint(space))
            blank = self.strokes.city if space in self.in_city and not self.look.color else " "
            for row, first, last in self.plan.spaces[space]:
                self.put((row, first), blank * (last - first + 1), style)
            self._pieces(space, pieces.get(space, []))

    def _tint(self, *spaces: int | None) -> str:
        """The common tint of some spaces, or bare land."""
        tints = {
            colors.CITY
            if space in self.in_city
            else colors.REGIONS[self.board.space_region[space] - 1]
            for space in spaces
            if space is not None
        }
        return tints.pop() if len(tints) == 1 else board_picture.LAND

    def _pieces(self, space: int, pieces: list[Piece]) -> None:
        """Letters in the widest row, then in the next."""
        if not pieces:
            return
        fresh = space in self.look.fresh_spaces
        rows = self.plan.spaces[space]
        widths = [last - first + 1 for _, first, last in rows[:2]]
        labelled = any(line in self.look.line_ids for line in self.board.space_lines[space])
        if labelled:
            widths = [max(widths[0] - (0 if len(widths) > 1 else 2), 1), 1][: len(widths)]
        if space in self.look.space_ids:
            # The space's own number has the last row, or takes it from the pieces in a small one.
            widths = widths[:1]
        shown = squeeze(pieces, sum(widths))
        if fresh and not self.look.color and len(shown) < widths[0]:
            shown = [*shown, Piece("!", shown[-1].color)]
        for (row, first, last), width in zip(rows, widths, strict=False):
            some, shown = shown[:width], shown[width:]
            start = (first + last + 1 - len(some)) // 2
            for offset, piece in enumerate(some):
                style = colors.HOUSES[piece.color]
                if fresh:
                    style += Style(underline=True, italic=True)
                self.put((row, start + offset), piece.letter, style)

    def lines(self) -> None:
        """Walls in bold strokes, open lines dotted."""
        for line in range(len(self.plan.lines)):
            sign, style = self._stroke(line)
            for number, cell in enumerate(self.plan.lines[line]):
                dotted = sign in (self.strokes.open, self.strokes.border)
                gap = dotted and self.plan.is_level(line) and number % 2
                self.put(cell, " " if gap else sign, style)

    def _stroke(self, line: int) -> tuple[str, Style]:
        strokes, fresh = self.strokes, line in self.look.fresh_lines
        if line not in self.position.walls:
            first, other = self.board.line_spaces[line]
            region = self.board.space_region
            border = other is not None and region[first] != region[other]
            ground = Style(bgcolor=self._tint(first, other))
            if border:
                return strokes.border, colors.BORDER + ground
            return strokes.open, colors.OPEN + ground
        if fresh and not self.look.color:
            return strokes.fresh, colors.FRESH_WALL
        style = colors.FRESH_WALL if fresh else colors.WALL
        if self.plan.is_level(line):
            return strokes.level, style
        (_, west), (_, east) = sorted(
            self.plan.towers[tower] for tower in self.board.line_towers[line]
        )
        return strokes.falling if west < east else strokes.rising, style

    def towers(self) -> None:
        """Towers by their letters, empty tower spaces by a dot or, on the shore, a wave."""
        for tower, (row, column) in enumerate(self.plan.towers):
            color = self.position.towers.get(tower)
            if color is None:
                sign = self.strokes.shore if self.board.tower_shore[tower] else self.strokes.empty
                ground = Style(bgcolor=self._tint(*self.around[tower]))
                self.put((row, column - 1), f" {sign} ", colors.BORDER + ground)
                continue
            letter, style = TOWER_LETTERS[color], colors.TOWERS[color]
            edges = " " if self.look.color else "()"
            if tower in self.look.fresh_towers:
                edges = "[]"
            self.put((row, column - 1), f"{edges[0]}{letter}{edges[-1]}", style)

    def labels(self) -> None:
        """The numbers that are asked for."""
        for line in self.look.line_ids:
            self._label(self.plan.middle(line), line)
        for tower in self.look.tower_ids:
            self._label(self.plan.towers[tower], tower)
        for space in self.look.space_ids:
            rows = self.plan.spaces[space]
            crowded = any(line in self.look.line_ids for line in self.board.space_lines[space])
            if crowded and len(rows) == 1:
                continue
            row, first, last = rows[0 if crowded else min(1, len(rows) - 1)]
            taken = len(rows) == 1 and any(
                not self.signs[row][column].isspace()
                and self.signs[row][column] != self.strokes.city
                for column in range(first, last + 1)
            )
            if not taken:
                self._label((row, (first + last) // 2), space)

    def regions(self) -> None:
        """Each region's mark, on the empty space that is nearest to its middle."""
        look, board = self.look, self.board
        busy = {*self.position.houses, *self.in_city, *look.space_ids}
        for region in range(1, board.regions + 1):
            spaces = [s for s, r in enumerate(board.space_region) if r == region]
            free = [
                s for s in spaces if s not in busy and not look.line_ids & {*board.space_lines[s]}
            ]
            if not spaces or not free:
                continue
            runs = [self.plan.spaces[space][0] for space in spaces]
            row = sum(run[0] for run in runs) / len(runs)
            column = sum(run[1] + run[2] for run in runs) / len(runs) / 2
            space = min(free, key=lambda s: self._away(s, row, column))
            at, first, last = self.plan.spaces[space][0]
            mark = board_picture.REGION_MARKS[region - 1]
            style = Style(color=colors.BORDER.color, bgcolor=self._tint(space), bold=True)
            self.put((at, (first + last + 2 - len(mark)) // 2), mark, style)

    def _away(self, space: int, row: float, column: float) -> float:
        """How far a space is from a place, rows counting twice as columns do."""
        at, first, last = self.plan.spaces[space][0]
        return 4 * (at - row) ** 2 + ((first + last) / 2 - column) ** 2

    def _label(self, middle: Cell, number: int) -> None:
        row, column = middle
        text = str(number)
        self.put((row, column - len(text) // 2), text, colors.LABEL)

    def text(self) -> list[Text]:
        """The rows, cells of one style together."""
        return [_row(signs, styles) for signs, styles in zip(self.signs, self.styles, strict=True)]


def _row(signs: list[str], styles: list[Style]) -> Text:
    line = Text(no_wrap=True, end="")
    start = 0
    for at in range(1, len(signs) + 1):
        if at == len(signs) or styles[at] != styles[start]:
            line.append("".join(signs[start:at]), styles[start])
            start = at
    return line
