"""The picture of a position with its title, board and panels, as SVG and PNG.

PNG is made by resvg, which needs no system library. The extra `png` installs resvg and a font.

>>> import masons
>>> game = masons.Game(seed=1)
>>> drawing = draw_position(game.board, game.view(0), hands=True)
>>> drawing.svg.startswith("<svg ")
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import Element, SubElement, tostring

from masons.engine.board.board_picture import LAND
from masons.engine.board.board_svg import FONTS, clean, draw_board, number
from masons.engine.board.geometry import sound_board
from masons.engine.checks import (
    check_flag,
    check_list,
    check_text,
    check_type,
    check_whole,
    file_shown,
    shown,
)
from masons.engine.errors import MasonsError, PositionError
from masons.engine.extras import install_command
from masons.engine.files import write_atomic
from masons.engine.state.packed_move import PHASE_NAMES
from masons.engine.state.position import picture_of
from masons.engine.state.position_checks import check_fields
from masons.gui.pictures.overlay import Overlay
from masons.gui.pictures.side_panels import FAINT, GAP, MAX_PNG, MIN_PNG, RULE, WIDTH, Panels
from masons.words.positions import task_words

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position

EDGE: Final = 20.0
HEAD: Final = 74.0  # space for the title and the line below it
FONT_FAMILY: Final = "Source Sans Pro"


@dataclass(frozen=True, repr=False)
class Drawing:
    """A picture of a position, which notebooks can show."""

    svg: str  # the SVG on one line

    def __post_init__(self) -> None:
        check_text("svg", self.svg, "the text of an SVG")

    def png(self, width: int | None = None) -> bytes:
        """Return the picture as PNG, `width` pixels wide.

        The default is one pixel for each unit of the SVG. As the font comes with the extra `png`,
        the result is the same on every machine, except for characters that the font lacks. Raises
        MasonsError if the extra is missing or the width is out of range.
        """
        if width is not None:
            right = f"from {MIN_PNG} to {MAX_PNG}"
            width = check_whole("width", width, MIN_PNG, MAX_PNG, right)
        try:
            import resvg_py
            from font_source_sans_pro import font_directory
        except ImportError:
            raise MasonsError(f"PNG needs the extra png: {install_command('png')}") from None
        names = ("SourceSansPro-Regular.ttf", "SourceSansPro-Bold.ttf")
        try:
            data = resvg_py.svg_to_bytes(
                svg_string=self.svg, width=width,
                font_files=[str(Path(font_directory) / name) for name in names],
                font_family=FONT_FAMILY, sans_serif_family=FONT_FAMILY,
            )  # fmt: skip
        except ValueError as error:
            raise MasonsError(f"this SVG cannot be drawn: {error}") from None
        return bytes(data)

    def save(self, path: str | Path, width: int | None = None) -> None:
        """Write the picture to a file whose name ends in .svg or .png.

        `width` is that of `png`. Raises MasonsError for another ending, and OSError if the file
        cannot be written.
        """
        if not isinstance(path, str | Path):
            raise MasonsError(f"path is {shown(path)}: it must be a file")
        ending = Path(path).suffix.lower()
        if ending not in (".svg", ".png"):
            raise MasonsError(f"path is {file_shown(path)}: it must end in .svg or .png")
        if ending == ".svg" and width is not None:
            raise MasonsError("width is for PNG: an SVG has no width in pixels")
        write_atomic(path, self.svg + "\n" if ending == ".svg" else self.png(width))

    def __repr__(self) -> str:
        return f"<Drawing: an SVG of {len(self.svg):,} characters>"

    def _repr_svg_(self) -> str:
        return self.svg


def draw_position(
    board: Board,
    position: Position,
    *,
    hands: bool = False,
    labels: bool = False,
    letters: bool = False,
    title: str = "",
    names: Sequence[str] = (),
    overlay: Overlay | None = None,
) -> Drawing:
    """Draw a position.

    With `hands`, the hands that are known in the position are shown; hidden hands are shown by
    their backs. `labels` adds the ids of the board, and
    `letters` the letter of its color on each piece. `names` has the name of each seat. `overlay`
    adds the best moves of an analysis. Raises PositionError if the position does not fit the board,
    and MasonsError if another argument is wrong.
    """
    board = sound_board(board)
    check_fields(position)
    for name, value in (("hands", hands), ("labels", labels), ("letters", letters)):
        check_flag(name, value)
    seats = _seats(position, names)
    if overlay is not None:
        check_type("overlay", overlay, Overlay, "an Overlay, like overlay_of gives")
    check_text("title", title)
    picture = picture_of(position)
    if overlay is not None:
        picture = replace(picture, highlight_lines=overlay.weights, marks=overlay.marks)
    canvas = draw_board(board, picture, labels=labels, letters=letters)
    heading = clean(title) or f"Turn {position.turn + 1}"
    task = task_words(position, seats)

    root = Element(
        "svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "font-family": FONTS}
    )
    SubElement(root, "title").text = f"{heading}: {task}"
    panels = Panels(root, canvas, EDGE + canvas.width + GAP, HEAD)
    paper = panels.box(0, 0, 0, 0, LAND, rx=0)
    panels.seats(position, seats, hands=hands)
    panels.table(position)
    if overlay is not None:
        panels.opinion(overlay)
    panels.supply(position)

    width = panels.x + WIDTH + EDGE
    height = max(HEAD + canvas.height, panels.y - GAP) + EDGE
    panels.target = root
    panels.text(EDGE, 38, heading, 27, bold=True, width=width - 2 * EDGE)
    below = f"{board.name}, {position.players} players: {task}"
    panels.text(EDGE, 62, below, 17, fill=FAINT, width=width - 2 * EDGE)
    canvas.root.attrib.update(x=number(EDGE), y=number(HEAD))
    root.append(canvas.root)
    panels.box(EDGE, HEAD, canvas.width, canvas.height, "none", rx=0, stroke=RULE, stroke_width=1.5)
    for element in (root, paper):
        element.attrib.update(width=number(width), height=number(height))
    root.set("viewBox", f"0 0 {number(width)} {number(height)}")
    return Drawing(tostring(root, "unicode"))


def _seats(position: Position, names: Sequence[str]) -> list[str]:
    """Return a name for each seat.

    Raises MasonsError if the names or the position's fields do not fit the number of seats.
    """
    count = position.players
    if not (
        len(position.hands) == len(position.scores) == count
        and position.seat in range(count)
        and position.phase in PHASE_NAMES
    ):
        raise PositionError(
            f"this position has {shown(count)} players: hands, scores, seat and phase must fit them"
        )
    seats = check_list("names", names, str, f"a text for each of the {count} seats")
    if seats and len(seats) != count:
        raise MasonsError(f"names are {len(seats)}: give one for each of the {count} seats")
    return seats or [f"seat {seat}" for seat in range(count)]
