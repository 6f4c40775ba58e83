"""What stands beside the board: whose turn it is, scores, supplies, cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from masons.cli.terminal.drawing import colors
from masons.engine.board import components as box
from masons.match.playing.game_words import HOUSE_LETTERS, TOWER_LETTERS
from masons.pictures.supply import supply_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style

    from masons.engine.state.position import Position
    from masons.match.playing.scored_view import ScoredView

# What is due, in a word; the phases of the game as everybody calls them.
TASKS: Final = {"roll": "dice", "draw": "a card", "score": "cards", "final": "last cards"}


def hand_letter(number: int) -> str:
    """What a card of the hand is called by: a to z, then aa to zz, and so on."""
    return chr(ord("a") + number % 26) * (1 + number // 26)


def players_panel(
    position: Position, names: Sequence[str], here: str, width: int = 0
) -> list[Text]:
    """A line a seat: points and cards; a mark before the one whose decision is due.

    With a `width` names are cut so that each line fits.
    """
    digits = max(len(str(score)) for score in position.scores) if width else 3
    lines = []
    for seat, name in enumerate(names):
        due = seat == position.seat and position.phase != "over"
        line = Text(f"{here if due else ' '} ", style="bold" if due else "")
        line.append(f"{position.scores[seat]:>{digits}} ", "bold")
        cards = f" ({position.hand_sizes[seat]})"
        line.append(cut(name, width - len(line) - len(cards)) if width else name)
        line.append(cards, "dim")
        lines.append(line)
    return lines


def cut(name: str, width: int) -> str:
    """A name in so many columns, with a dot where it was cut."""
    return name if len(name) <= width else f"{name[: max(width - 1, 1)].rstrip()}."


def supply_panel(position: Position) -> list[Text]:
    """What is left in the box."""
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
    """Coloured letters, each with what stands behind it."""
    line = Text()
    for letter, word, style in zip(letters, words, styles, strict=True):
        line.append(letter, style)
        line.append(word)
    line.rstrip()
    return line


def legend(shore: str) -> list[Text]:
    """What the letters mean; `shore` is how an empty tower space on the shore is drawn."""
    towers = _lettered(TOWER_LETTERS, _names(box.TOWER_COLORS), colors.TOWERS)
    names = _names(box.HOUSE_COLORS)
    houses = [
        _lettered(HOUSE_LETTERS[part], names[part], colors.HOUSES[part])
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


def hand_panel(
    values: Sequence[tuple[str, str]], width: int, rows: int = 99, spare: int = 0
) -> list[Text]:
    """The cards with their letters: in columns that leave `spare` rows, or one behind the other.

    What finds no room at all is left out, which is said.
    """
    if not values:
        return [Text("no cards")]
    lines = _in_columns(values, width)
    if len(lines) > rows - spare:
        lines = _one_by_one(values, width)
    if len(lines) <= rows:
        return lines
    return [*lines[: rows - 1], Text("... cards shows the others", "dim")] if rows > 1 else []


def _card(number: int, value: tuple[str, str]) -> Text:
    name, points = value
    return Text.assemble((f"{hand_letter(number)} ", "bold cyan"), name, (f" {points}", "bold"))


def _one_by_one(values: Sequence[tuple[str, str]], width: int) -> list[Text]:
    lines = [_card(0, values[0])]
    for number, value in enumerate(values[1:], 1):
        card = _card(number, value)
        if len(lines[-1]) + 2 + len(card) > width:
            lines.append(card)
        else:
            lines[-1].append("  ").append_text(card)
    return lines


def _in_columns(values: Sequence[tuple[str, str]], width: int) -> list[Text]:
    widest = max(len(name) + len(points) for name, points in values) + 5
    each = max(min((width + 2) // widest, len(values)), 1)
    lines = []
    for start in range(0, len(values), each):
        line = Text()
        for at, value in enumerate(values[start : start + each], start):
            card = _card(at, value)
            line.append_text(card).append(" " * (widest - len(card)))
        line.rstrip()
        lines.append(line)
    return lines
