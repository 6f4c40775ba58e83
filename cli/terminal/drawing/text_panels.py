"""What stands beside the board: whose turn it is, scores, supplies, cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from masons.cli.terminal.drawing import colors
from masons.engine.board import components as box
from masons.pictures.supply import supply_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style

    from masons.cli.terminal.scored_view import ScoredView
    from masons.engine.state.position import Position

# What is due, in a word; the phases of the game as everybody calls them.
TASKS: Final = {"roll": "dice", "draw": "a card", "score": "cards", "final": "last cards"}


def hand_letter(number: int) -> str:
    """What a card of the hand is called by: a to z, then aa to zz, and so on."""
    return chr(ord("a") + number % 26) * (1 + number // 26)


def players_panel(position: Position, names: Sequence[str], here: str) -> list[Text]:
    """A line a seat: points and cards; a mark before the one whose decision is due."""
    lines = []
    for seat, name in enumerate(names):
        due = seat == position.seat and position.phase != "over"
        line = Text(f"{here if due else ' '} ", style="bold" if due else "")
        line.append(f"{position.scores[seat]:>3} ", "bold")
        line.append(name)
        line.append(f" ({position.hand_sizes[seat]})", "dim")
        lines.append(line)
    return lines


def supply_panel(position: Position) -> list[Text]:
    """What is left in the box."""
    left = supply_of(position)
    capitals = [letter.upper() for letter in colors.HOUSE_LETTERS]
    return [
        Text(f"walls {left.walls}"),
        _lettered(colors.TOWER_LETTERS, [f"{n} " for n in left.towers], colors.TOWERS),
        _lettered(colors.HOUSE_LETTERS, [f"{n} " for n in left.houses], colors.HOUSES),
        _lettered(capitals, [f"{n} " for n in left.palaces], colors.HOUSES),
        Text(f"deck {position.deck_size} open {len(position.discard)}"),
    ]


def _lettered(letters: Sequence[str], words: Sequence[str], styles: Sequence[Style]) -> Text:
    """Coloured letters, each with what stands behind it."""
    line = Text()
    for letter, word, style in zip(letters, words, styles, strict=True):
        line.append(letter, style)
        line.append(word)
    line.rstrip()
    return line


def legend(shore: str) -> list[Text]:
    """What the letters mean; `shore` is how an empty tower space on the shore is drawn."""
    towers = _lettered(colors.TOWER_LETTERS, _names(box.TOWER_COLORS), colors.TOWERS)
    names = _names(box.HOUSE_COLORS)
    houses = [
        _lettered(colors.HOUSE_LETTERS[part], names[part], colors.HOUSES[part])
        for part in (slice(0, 3), slice(3, None))
    ]
    note = Text(f"capitals: palaces, {shore} shore, regions I II III", "dim")
    return [towers, *houses, note]


def _names(names: Sequence[str]) -> list[str]:
    return [f" {name}  " for name in names]


def card_values(scored_view: ScoredView, seat: int) -> list[tuple[str, str]]:
    """A hand in the order of its letters: name, and what the card would score now.

    A city's card scores only where a city has just been completed; in the final scoring each card
    scores what it brings in its best city.
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


def hand_panel(values: Sequence[tuple[str, str]], width: int) -> list[Text]:
    """The cards with their letters, as many in a line as fit."""
    if not values:
        return [Text("no cards")]
    widest = max(len(name) + len(points) for name, points in values) + 5
    each = max(min((width + 2) // widest, len(values)), 1)
    lines = []
    for start in range(0, len(values), each):
        line = Text()
        for at, (name, points) in enumerate(values[start : start + each], start):
            line.append(f"{hand_letter(at)} ", "bold cyan")
            line.append(name)
            line.append(f" {points}", "bold")
            line.append(" " * (widest - len(name) - len(points) - 3))
        line.rstrip()
        lines.append(line)
    return lines
