"""The panels beside a board, with the seats, dice, cards, supply and best moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from unicodedata import east_asian_width
from xml.etree.ElementTree import Element

from masons.engine.board.board_picture import EMPTY, HIGHLIGHT, HOUSE_PAINT, TEXT_COLOR, TOWER_PAINT
from masons.engine.board.board_svg import Canvas, clean, glow_of
from masons.engine.board.components import CARDS, HOUSE_COLORS, TOWER_COLORS, WILD
from masons.engine.plain_text import count, percent, spread
from masons.words.moves import card_name
from masons.words.positions import supply_of

if TYPE_CHECKING:
    from masons.engine.state.position import Cards, Position
    from masons.gui.pictures.overlay import Overlay, RankedMove

# The limits of a picture's width in pixels. They are here so that the command line can import them
# without numpy.
MIN_PNG: Final = 16
MAX_PNG: Final = 10_000
WIDTH: Final = 420.0
PAD: Final = 16.0
GAP: Final = 12.0
PAPER: Final = "#fffdf8"
RULE: Final = "#d9cfbd"
FAINT: Final = "#6f655b"
ACTIVE: Final = "#fbe9b7"
BACK: Final = "#7a5c46"
# The tint of a card's chip, by the kind of card.
CHIPS: Final = {"city": "#fbe7ae", "land": "#dfeccb", "cities": "#d9e6f4"}
# The characters that are narrow or wide in DejaVu Sans, the widest font that may be used.
_NARROW: Final = frozenset("iljt.,:;'|!()[]-/ fr")
_WIDE: Final = frozenset("mwMW@%")
_SMALLEST: Final = 0.75  # the smallest factor by which a text is scaled before it is cut


def width_of(text: str, size: float) -> float:
    """Return an estimate of the width of a text.

    As the font is not known, the estimate is more likely too wide than too narrow.
    """
    return size * sum(map(_em, text))


def _em(char: str) -> float:
    if char in _NARROW:
        return 0.38
    if char in _WIDE or east_asian_width(char) in "WF":
        return 1.0
    return 0.7 if char.isupper() else 0.62


def fitted(text: str, size: float, width: float) -> tuple[str, float]:
    """Return a text and a size with which the text fits `width`.

    The text is first made smaller, and then cut if it is still too wide.
    """
    wide = width_of(text, size)
    if wide > width:
        size *= max(width / wide, _SMALLEST)
        text = _cut(text, size, width + 1e-6)
    return text, size


def wrapped(text: str, size: float, width: float, most: int = 3) -> list[str]:
    """Return a text in at most `most` lines that fit `width`. A line that is too wide is cut."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if width_of(longer, size) <= width or not lines[-1]:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] = longer  # this is too long and is cut below
        else:
            lines.append(word)
    return [_cut(line, size, width) for line in lines]


def _cut(line: str, size: float, width: float) -> str:
    if width_of(line, size) <= width:
        return line
    while line and width_of(f"{line}…", size) > width:
        line = line[:-1]
    return f"{line.rstrip()}…"


@dataclass
class Panels:
    """A column of panels that grows downwards. The next panel begins at `y`."""

    root: Element  # the root of the picture
    canvas: Canvas  # draws the pieces
    x: float
    y: float

    def __post_init__(self) -> None:
        self.target = self.root  # the element to draw into, which is later the latest panel

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, *,
        rx: float = 8, **attributes: str | float,
    ) -> Element:  # fmt: skip
        """Add a rectangle with round corners."""
        return self.canvas.add(
            self.target, "rect", x=x, y=y, width=width, height=height, rx=rx, fill=fill,
            **attributes,
        )  # fmt: skip

    def text(
        self, x: float, y: float, text: str, size: float, *,
        fill: str = TEXT_COLOR, anchor: str = "start", bold: bool = False, width: float = 0.0,
    ) -> None:  # fmt: skip
        """Write one line of text on the base line `y`. If given, `width` limits its width."""
        words = clean(text)
        if width:
            words, size = fitted(words, size, width)
        element = self.canvas.add(
            self.target, "text", x=x, y=y, font_size=size, fill=fill, text_anchor=anchor
        )
        if bold:
            element.set("font-weight", "bold")
        element.text = words

    def _begin(self, name: str, height: float) -> float:
        """Begin a panel and return the y of its top."""
        top, self.y = self.y, self.y + height + GAP
        self.target = self.canvas.add(self.root, "g", **{"class": name})
        self.box(self.x, top, WIDTH, height, PAPER, stroke=RULE)
        return top

    # Seats

    def seats(self, position: Position, names: Sequence[str], *, hands: bool) -> None:
        """Draw a row for each seat, with its name, points, and cards or their backs."""
        rows = [
            _chip_rows(hand) if hands and not isinstance(hand, int) and hand else []
            for hand in position.hands
        ]
        heights = [52 + (26 * len(row) + 2 if row else 0) for row in rows]
        y = self._begin("seats", sum(heights) + 8) + 4
        for seat, (height, chips) in enumerate(zip(heights, rows, strict=True)):
            decides = seat == position.seat and position.phase != "over"
            if decides:
                self.box(self.x + 5, y + 2, WIDTH - 10, height - 4, ACTIVE)
            self._seat(y, position, seat, names[seat])
            for index, row in enumerate(chips):
                self._chips(y + 50 + 26 * index, row)
            y += height

    def _seat(self, y: float, position: Position, seat: int, name: str) -> None:
        left = self.x + PAD
        size = position.hand_sizes[seat]
        self.text(left, y + 24, name, 19, bold=True, width=WIDTH - 100)
        points = str(position.scores[seat])
        right = self.x + WIDTH - PAD
        self.text(right, y + 36, points, 30, anchor="end", bold=True)
        self.text(left, y + 42, count(size, "card"), 13, fill=FAINT)
        backs = WIDTH - 2 * PAD - 70 - width_of(points, 30) - 12
        step = min(15.0, backs / max(size, 1))
        for index in range(size):
            self.box(
                left + 70 + index * step, y + 30, 11, 15, BACK, rx=2,
                **{"class": "back"}, stroke=PAPER, stroke_width=1,
            )  # fmt: skip

    def _chips(self, y: float, row: Sequence[tuple[str, float, str]]) -> None:
        x = self.x + PAD
        for text, width, tint in row:
            self.box(
                x, y, width, 21, tint, rx=5, stroke=TEXT_COLOR, stroke_opacity=0.35,
                **{"class": "card"},
            )  # fmt: skip
            self.text(x + width / 2, y + 15, text, 13, anchor="middle")
            x += width + 5

    # Dice and cards

    def table(self, position: Position) -> None:
        """Draw the current roll, if any, and the sizes of the deck and the discard pile."""
        x, y = self.x + PAD, self._begin("table", 50)
        if position.roll is not None:
            tower, *dice = position.roll
            paints = [] if tower is None else [(*TOWER_PAINT[TOWER_COLORS[tower]], "")]
            paints += [
                (*HOUSE_PAINT[HOUSE_COLORS[die]], "") if die < len(HOUSE_COLORS)
                else (EMPTY, TEXT_COLOR, WILD) for die in dice
            ]  # fmt: skip
            self.text(x, y + 31, "roll", 16, fill=FAINT)
            for index, (fill, face_color, face) in enumerate(paints):
                left = x + 40 + 36 * index
                self.box(left, y + 11, 28, 28, fill, rx=6, stroke=TEXT_COLOR, stroke_width=1.5)
                self.text(left + 14, y + 32, face, 19, fill=face_color, anchor="middle", bold=True)
        else:
            x -= 160
        piles = f"deck {position.deck_size}   ·   face up {len(position.discard)}"
        self.text(x + 160, y + 31, piles, 16, width=WIDTH - 200)

    # Supply

    def supply(self, position: Position) -> None:
        """Draw each kind of piece once, with the number that is left and the color's name."""
        left = supply_of(position)
        top, middle = self._begin("supply", 214) + 30, self.x + PAD + 84
        columns = [middle + 64 * index for index in range(len(HOUSE_COLORS))]

        def row(words: str, y: float, xs: Sequence[float], counts: Sequence[int]) -> None:
            self.text(self.x + PAD, y, words, 16, fill=FAINT)
            for x, number in zip(xs, counts, strict=False):
                self.text(x, y, str(number), 17, bold=True)

        self.canvas.use(self.target, "wall-0", (middle - 6, top - 5), 0.5)
        row("walls", top, [middle + 26], [left.walls])
        beside = [x + 22 for x in columns]
        for x, color in zip(columns, TOWER_COLORS, strict=False):
            self.canvas.use(self.target, f"tower-{color}", (x, top + 42), 0.9)
        row("towers", top + 42, beside, left.towers)
        for y, kind, size, counts in (
            (top + 88, "house", 0.3, left.houses), (top + 134, "palace", 0.25, left.palaces),
        ):  # fmt: skip
            for x, color in zip(columns, HOUSE_COLORS, strict=True):
                self.canvas.use(self.target, f"{kind}-{color}", (x, y - 6), size)
            row(f"{kind}s", y, beside, counts)
        for x, color in zip(columns, HOUSE_COLORS, strict=True):
            self.text(x, top + 160, color, 12.5, fill=FAINT, anchor="middle")

    # Opinions

    def opinion(self, overlay: Overlay) -> None:
        """Draw the best moves of a search and the legend.

        Each move has its rank, its description, its loss and its win probability.
        """
        words = [wrapped(text, 14, WIDTH - 190, 3) for text in overlay.words]
        heights = [max(40, 18 * len(lines) + 14) for lines in words]
        legend = overlay.legend if overlay.weights else []
        height = 52 + sum(heights) + 30 + 20 * len(legend)
        y = top = self._begin("opinion", height)
        self.text(self.x + PAD, y + 28, "The engine's choice", 18, bold=True)
        right = self.x + WIDTH - PAD
        unit = "loses, pts" if overlay.by_points else "loses, %"
        for x, title in ((right - 76, unit), (right, "wins, %")):
            self.text(x, y + 28, title, 13, fill=FAINT, anchor="end")
        y += 44
        for rank, (choice, lines, tall) in enumerate(
            zip(overlay.choices, words, heights, strict=True), 1
        ):
            loss = "–"
            if choice.loss is not None:
                loss = f"{choice.loss if overlay.by_points else 100 * choice.loss:.1f}"
                loss = f"= {loss}" if choice.is_equal else loss
            self._choice(y, rank, choice, lines, "" if rank == 1 else loss)
            y += tall
        for weight, text in legend:
            self.box(self.x + PAD, y + 6, 28, (4 + 12 * weight) * 0.6, glow_of(weight), rx=2)
            self.text(self.x + PAD + 38, y + 14, text, 12.5, fill=FAINT)
            y += 20
        x, y = self.x + PAD, top + height - 14
        self.text(x, y, overlay.note, 12.5, fill=FAINT, width=WIDTH - 2 * PAD)

    def _choice(
        self, y: float, rank: int, choice: RankedMove, lines: Sequence[str], loss: str
    ) -> None:
        left, right = self.x + PAD, self.x + WIDTH - PAD
        best = rank == 1
        shade = HIGHLIGHT if best or choice.line is not None else FAINT
        self.canvas.disc(self.target, (left + 11, y + 12), 11, fill=shade)
        self.text(left + 11, y + 17, str(rank), 14, fill="#ffffff", anchor="middle", bold=True)
        for index, line in enumerate(lines):
            self.text(left + 32, y + 17 + 18 * index, line, 14, bold=best)
        win = "–" if choice.win is None else percent(choice.win)
        for x, text in ((right - 76, loss), (right, win)):
            self.text(x, y + 17, text, 15, anchor="end", bold=best)
        if choice.interval is not None:
            near = spread(choice.interval)
            self.text(right, y + 32, near, 11, fill=FAINT, anchor="end")


def _chip_rows(hand: Cards) -> list[list[tuple[str, float, str]]]:
    """Return rows of (card, width of its chip, color) for the cards of a hand."""
    rows: list[list[tuple[str, float, str]]] = [[]]
    used = 0.0
    for kind, copies in sorted(Counter(hand).items()):
        text = card_name(kind) + (f" x{copies}" if copies > 1 else "")
        width = width_of(text, 13) + 12
        if rows[-1] and used + width > WIDTH - 2 * PAD:
            rows.append([])
            used = 0.0
        rows[-1].append((text, width, CHIPS[CARDS[kind].split("-")[0]]))
        used += width + 5
    return rows
