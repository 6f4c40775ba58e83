"""Panels beside the board or in its place: turn, scores, supplies, cards, lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from masons.cli.terminal import colors
from masons.engine.board import components as box
from masons.engine.plain_text import count
from masons.gui.pictures.position_facts import supply_of
from masons.match.playing.game_words import HOUSE_LETTERS, TOWER_LETTERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style

    from masons.engine.state.position import Position
    from masons.match.playing.scored_view import ScoredView

# What is due, in a word; other phases go by their names.
TASKS: Final = {"roll": "dice", "draw": "a card", "score": "cards", "final": "last cards"}


def hand_letter(number: int) -> str:
    """Return the letter of a card of the hand: a to z, then aa to zz, and so on."""
    return chr(ord("a") + number % 26) * (1 + number // 26)


def cut(name: str, width: int) -> str:
    """Shorten a name to a number of columns, with a dot where it was cut."""
    return name if len(name) <= width else f"{name[: max(width - 1, 1)].rstrip()}."


def flow(items: Sequence[Text], gap: int, width: int) -> list[Text]:
    """Put items one behind the other into rows, as many as fit."""
    rows: list[Text] = []
    for item in items:
        if rows and len(rows[-1]) + gap + len(item) <= width:
            rows[-1].append(" " * gap).append_text(item)
        else:
            rows.append(item.copy())
    return rows


def players_panel(
    position: Position, names: Sequence[str], here: str, width: int = 0
) -> list[Text]:
    """Return a line per seat with points and cards; `here` marks the seat to decide.

    With a `width`, names are cut to fit.
    """
    digits = max(len(str(score)) for score in position.scores) if width else 3
    lines = []
    for seat, name in enumerate(names):
        is_due = seat == position.seat and position.phase != "over"
        line = Text(f"{here if is_due else ' '} ", style="bold" if is_due else "")
        line.append(f"{position.scores[seat]:>{digits}} ", "bold")
        cards = f" ({position.hand_sizes[seat]})"
        line.append(cut(name, width - len(line) - len(cards)) if width else name)
        line.append(cards, "dim")
        lines.append(line)
    return lines


def supply_panel(position: Position) -> list[Text]:
    """Return what is left in the box."""
    left = supply_of(position)
    capitals = [letter.upper() for letter in HOUSE_LETTERS]
    return [
        Text(f"walls {left.walls}"),
        _lettered(TOWER_LETTERS, [f"{n} " for n in left.towers], colors.TOWERS),
        _lettered(HOUSE_LETTERS, [f"{n} " for n in left.houses], colors.HOUSES),
        _lettered(capitals, [f"{n} " for n in left.palaces], colors.HOUSES),
        Text(f"deck {position.deck_size} open {len(position.discard)}"),
    ]


def _lettered(letters: Sequence[str], words: Sequence[str], styles: Sequence[Style]) -> Text:
    """Return colored letters, each followed by its word."""
    line = Text()
    for letter, word, style in zip(letters, words, styles, strict=True):
        line.append(letter, style).append(word)
    line.rstrip()
    return line


def legend(shore: str) -> list[Text]:
    """Return the meanings of the letters; `shore` is the sign of an empty shore tower space."""
    towers, houses = ([f" {name}  " for name in x] for x in (box.TOWER_COLORS, box.HOUSE_COLORS))
    return [
        _lettered(TOWER_LETTERS, towers, colors.TOWERS),
        _lettered(HOUSE_LETTERS[:3], houses[:3], colors.HOUSES[:3]),
        _lettered(HOUSE_LETTERS[3:], houses[3:], colors.HOUSES[3:]),
        Text(f"capitals: palaces, {shore} shore, regions I II III", "dim"),
    ]


def card_values(scored_view: ScoredView, seat: int) -> list[tuple[str, str]]:
    """Return the cards of a hand by their letters: name, and what each would score now.

    City cards score only for a city just completed; in the final scoring each card scores for its
    best city. `-` stands for no score.
    """
    view = scored_view.view
    hand = view.hands[seat]
    assert not isinstance(hand, int)
    if view.phase == "final" and view.cities:
        tables = [scored_view.card_points(min(city)) for city in view.cities]
        points = [max(column) for column in zip(*tables, strict=True)]
    else:
        points = scored_view.card_points(view.city)
    counts = view.city is not None or view.phase == "final"
    return [
        (box.CARDS[kind], str(points[kind]) if counts or kind >= box.FIRST_LAND else "-")
        for kind in hand
    ]


def hand_panel(
    values: Sequence[tuple[str, str]], width: int, rows: int = 99, spare: int = 0
) -> list[Text]:
    """Return cards with letters: in columns if that leaves `spare` of the rows, else in a flow.

    Cards that do not fit are left out, and a row says so.
    """
    if not values:
        return [Text("no cards")]
    cards = [
        Text.assemble((f"{hand_letter(at)} ", "bold cyan"), name, (f" {points}", "bold"))
        for at, (name, points) in enumerate(values)
    ]
    widest = max(len(name) + len(points) for name, points in values) + 5
    per_row = max(min((width + 2) // widest, len(cards)), 1)
    if -(-len(cards) // per_row) > rows - spare:
        lines = flow(cards, 2, width)
    else:
        lines = [Text() for _ in cards[::per_row]]
        for at, card in enumerate(cards):
            lines[at // per_row].append_text(card).append(" " * (widest - len(card)))
        for line in lines:
            line.rstrip()
    if len(lines) <= rows:
        return lines
    return [*lines[: rows - 1], Text("... cards shows the others", "dim")] if rows > 1 else []


def list_board(position: Position) -> list[str]:
    """Return the pieces on the board in words, a line for each kind."""
    lines = [f"walls: {_numbers(sorted(position.walls))}"]
    for color, name in enumerate(box.TOWER_COLORS):
        places = sorted(at for at, stands in position.towers.items() if stands == color)
        if places:
            lines.append(f"{name} towers: {_numbers(places)}")
    roots = {min(city) for city in position.cities}
    for color, name in enumerate(box.HOUSE_COLORS):
        houses = position.houses.items()
        land = [at for at, n in sorted(houses) if at not in roots for _ in range(n[color])]
        if land:
            lines.append(f"{name} houses on spaces: {_numbers(land)}")
    for city in position.cities:
        root = min(city)
        pieces = [
            count(number, f"{name} {what}")
            for what, counts in (("palace", position.palaces), ("house", position.houses))
            for number, name in zip(counts.get(root, ()), box.HOUSE_COLORS, strict=False)
            if number
        ]
        contents = f": {', '.join(pieces)}" if pieces else ""
        spaces = count(len(city), "space")
        lines.append(f"city {root} of {spaces} ({_numbers(sorted(city))}){contents}")
    return lines


def _numbers(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers)) or "none"
