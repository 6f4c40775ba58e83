"""Counts that show whether a game can reach a position.

The number of turns follows from the walls and houses, and the number of scorings follows from the
cities. The module is plain Python.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from masons.engine.board import components as box
from masons.engine.board.geometry import Board
from masons.engine.errors import PositionError
from masons.engine.plain_text import count
from masons.engine.state.position import Position
from masons.engine.state.position_checks import (
    BUILDING,
    clockwise_seats,
    need,
    number_of_pieces,
    standing_walls,
)

_NO_PIECES: Final = (0,) * len(box.HOUSE_COLORS)


class _City(NamedTuple):
    """The history of a completed city, inferred from its pieces."""

    root: int  # its lowest space
    cleared: int  # walls inside it that were returned to the supply
    least: int  # fewest cities that can have merged to form it; 1 if none merged
    most: int  # most cities that can have merged to form it


def check_counts(board: Board, position: Position) -> None:
    """Raise PositionError if counting shows that no game can reach a settled position.

    Walls outside completed cities never return to the supply, and each wall brings one house to
    each of its sides. The number of walls ever placed, one for each turn, therefore follows from
    the houses and walls. The pieces inside a city limit the number of cities that were merged to
    form it. Every seat scores each completed city once, which limits hands, discards and scores.
    """
    cities = _count_cities(board, position)
    _check_palaces(position)
    placed = len(position.walls) + sum(city.cleared for city in cities)
    begun = placed - _has_placed(position)
    need(begun >= 0, f"in phase {position.phase} this turn's wall must stand, but there is no wall")
    shows = f"walls and houses show that {count(placed, 'wall')} were placed, one a turn"
    need(position.turn == begun, f"turn is {position.turn}, but {shows}: it must be {begun}")
    _check_end(position, cities, placed)
    _check_scorings(board, position, cities, placed)
    _check_swap(position)


def turns_begun(board: Board, position: Position) -> int:
    """Return the number of turns begun before this one; each of them placed one wall.

    Raises PositionError if the houses do not fit the walls.
    """
    cleared = sum(city.cleared for city in _count_cities(board, position))
    return max(0, len(position.walls) + cleared - _has_placed(position))


def _has_placed(position: Position) -> bool:
    """Return whether this turn's wall has been placed."""
    return position.phase != "wall" and position.end != "no-line"


def _is_unmerged(position: Position, root: int) -> bool:
    """Return whether the city with lowest space `root` was just completed and may still merge."""
    return position.phase == "merge" and position.city == root


def _count_cities(board: Board, position: Position) -> list[_City]:
    """Return the history of each completed city.

    Each wall brought a house to each of its sides, and two houses became one palace. In the last
    turn, one house may be missing if all houses were already on the board. Raises PositionError if
    the houses do not fit the walls.
    """
    all_houses = number_of_pieces(position.houses) + 2 * number_of_pieces(position.palaces)
    may_lack = position.end in ("walls", "towers", "houses") and position.phase not in BUILDING
    spare = int(may_lack and all_houses >= box.HOUSES)
    walls = standing_walls(position)
    inside = frozenset().union(*position.cities)
    for space, lines in enumerate(board.space_lines):
        if space in inside:
            continue
        have = sum(position.houses.get(space, _NO_PIECES))
        due = len(walls.intersection(lines))
        if not have + spare >= due >= have:
            raise PositionError(
                f"{count(have, 'house')} on space {space}, but {count(due, 'wall')} around it: "
                f"each wall brings one, so there must be {due}"
            )
        spare -= due - have
    counted = []
    for city in position.cities:
        # A border wall brought one house, a wall cleared from the inside brought two.
        root = min(city)
        have = sum(position.houses.get(root, _NO_PIECES))
        have += 2 * sum(position.palaces.get(root, _NO_PIECES))
        lines_of = {line for space in city for line in board.space_lines[space]}
        inner = sum(city.issuperset(board.line_spaces[line]) for line in lines_of)
        border = len(lines_of) - inner
        # After a merge, every line inside the city may have carried a wall.
        is_unmerged = _is_unmerged(position, root)
        most = border + 2 * (inner - len(city) + 1 if is_unmerged else inner)
        lacking = spare * ((have - border) % 2)
        cleared, odd = divmod(have + lacking - border, 2)
        steps = f"{border}" if most == border else f"{border}, {border + 2} and so on to {most}"
        brought = f"its {border} walls brought one each and those cleared two"
        houses = f"{have} houses in the city of space {root} (a palace counts two)"
        is_possible = border <= have + lacking <= most and not odd
        need(is_possible, f"{houses}, but {brought}: there can be {steps}")
        # The spaces of an original city are connected by lines that never carried a wall.
        # `inner - cleared` such lines leave at least `least` connected parts. Each merge cleared
        # at least one wall.
        least = max(1, cleared - inner + len(city))
        most_parts = 1 if is_unmerged else min(len(city), cleared + 1)
        counted.append(_City(root, cleared, least, most_parts))
        spare -= lacking
    return counted


def _check_palaces(position: Position) -> None:
    """Check that each pair of houses in a city became a palace while supplies lasted."""
    for root in map(min, position.cities):
        if _is_unmerged(position, root):
            has_none = root not in position.palaces
            need(
                has_none, f"a palace in the city of space {root}: in phase merge none is built yet"
            )
            continue
        for color, houses in enumerate(position.houses.get(root, _NO_PIECES)):
            used = sum(counts[color] for counts in position.palaces.values())
            if houses >= 2 and used < box.PALACES_PER_COLOR:
                name = box.HOUSE_COLORS[color]
                raise PositionError(
                    f"{houses} {name} houses in the city of space {root}, but only {used} {name} "
                    "palaces on the board: two houses become a palace while there are any, so "
                    "there can be 0 or 1"
                )


def _check_end(position: Position, cities: list[_City], placed: int) -> None:
    """Check that the supply named by `end` can have run out in this turn.

    A city completed in the same turn returned pieces only after the supply had run out, so these
    pieces are counted as used.
    """
    end, towers = position.end, 2 * placed
    new = [city for city in cities if position.city in (None, city.root)]
    if end == "towers":
        brought = f"{count(placed, 'wall')} brought at most {towers} of {box.TOWERS}"
        need(towers >= box.TOWERS, f"end is towers, but {brought}")
    elif end in ("walls", "houses"):
        stand, all_of = len(position.walls), box.WALLS
        back = max((city.cleared for city in new), default=0)
        if end == "houses":
            stand, all_of = number_of_pieces(position.houses), box.HOUSES
            built = (sum(position.palaces.get(city.root, _NO_PIECES)) for city in new)
            back = 2 * max(built, default=0)
        came = f"{stand} stand and at most {back} came back in this turn"
        need(stand + back >= all_of, f"end is {end}, but {came}: all {all_of} must have stood")


def _range(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def _check_scorings(board: Board, position: Position, cities: list[_City], placed: int) -> None:
    """Check that hands, discards and scores fit the number of cities completed.

    A play of two cards reduces the hand by one card, an abstention adds one card, and a play of one
    card or a swap leaves the size of the hand unchanged. In the final scoring a seat plays up to
    two cards and draws none. After k scorings with `p` plays of one card, `q` plays of two cards
    and `a` abstentions, a hand has 6 - q + a cards. Its seat has then played p + 2q cards, which is
    k + 6 minus the size of the hand, or fewer cards if the deck ran out. Each turn completes at
    most one city.
    """
    n, phase, is_draw = position.players, position.phase, position.phase == "draw"
    most = sum(city.most for city in cities)
    least = sum(city.least for city in cities)
    # The active seat scores the last city first, and the other seats follow clockwise.
    is_scoring = phase in ("merge", "score") or (is_draw and not position.queue)
    done = (position.seat - position.active) % n + is_draw
    seats = []  # (cards held or due, has yet to score the last city, most scorings, final scorings)
    for seat, size in enumerate(position.hand_sizes):
        order = (seat - position.active) % n
        cards = size + (position.due if is_draw and seat == position.seat else 0)
        # A city has been completed that this seat has not scored yet.
        is_late = is_scoring and (phase == "merge" or order >= done)
        final = int(phase == "over" or (phase == "final" and order < done))
        scored = max(0, most - is_late)
        low, high = max(box.HAND - scored - 2 * final, 0 if final else 1), box.HAND + scored
        has = f"has {count(cards, 'card')}{', those it draws included' if is_draw else ''}"
        after = f"after at most {count(scored, 'city', 'cities')} scored"
        can_have = f"it can have {_range(low, high)}"
        need(low <= cards <= high, f"the hand of seat {seat} {has}: {after} {can_have}")
        least = max(least, is_late + max(cards - box.HAND, box.HAND - cards - 2 * final, 0))
        seats.append((cards, is_late, scored, final))
    _check_discard(position, seats, least, most)
    for seat, (cards, _, scored, final) in enumerate(seats):
        played = max(0, min(2 * (scored + final), scored + box.HAND - cards))
        high = sum(_most_points(board, placed - number // 2) for number in range(played))
        points = count(position.scores[seat], "point", thousands="")
        at_most = f"it can have played {count(played, 'card')}, and so have {high} at most"
        need(position.scores[seat] <= high, f"seat {seat} has {points}: {at_most}")


def _check_discard(
    position: Position, seats: list[tuple[int, bool, int, int]], least: int, most: int
) -> None:
    """Check that the size of the discard pile fits the number of cities completed.

    `seats` is the list that `_check_scorings` makes.
    """
    have, n = len(position.discard), position.players
    # In scoring j, a seat can discard at most 7 + j cards: one by abstaining with 5 + j cards, and
    # then all 6 + j cards in a swap. It can draw at most 8 + j cards.
    drawn = n * sum(8 + j for j in range(1, most + 1))
    high = n * sum(7 + j for j in range(1, most + 1)) + 2 * sum(final for *_, final in seats)
    low = 0
    if drawn < box.DECK - box.HAND * n:  # the deck never ran out, so no discard was reshuffled
        low = sum(
            max(0, least - is_late) + max(0, box.HAND - cards) for cards, is_late, _, _ in seats
        )
        if most == 0:
            high = low
        high = max(low, min(high, drawn + box.HAND * n - sum(cards for cards, *_ in seats)))
    cards, cities = count(have, "card"), count(most, "completed city", "completed cities")
    after = cities if least == most else f"{least} to {most} completed cities"
    can_be = f"after {after} there can be {_range(low, high)}"
    need(low <= have <= high, f"discard has {cards}: {can_be}")
    is_drawn = position.deck_size > 0 or have == 0 or position.phase in ("final", "over")
    need(is_drawn, f"the deck is empty, but {cards} are face up: they are shuffled at once")


def _most_points(board: Board, placed: int) -> int:
    """Return the most points that one card can score after `placed` walls.

    The walls placed and the pieces in the box limit the number of pieces on the board.
    """
    towers = min(box.TOWERS, 2 * placed)
    in_city = box.HOUSES_PER_COLOR + 3 * box.PALACES_PER_COLOR
    return max(
        9,  # city-size-7
        min(in_city, 3 * placed),  # city-red: two houses become a palace, which scores 3
        min(box.HOUSES, 2 * placed),  # land-region-1
        towers,  # land-towers; there are fewer walls, palaces and cities
        2 * min(box.TOWERS_PER_COLOR, towers),
        2 * min(sum(board.tower_shore), towers),
        min(box.WALLS, placed),
    )


def _check_swap(position: Position) -> None:
    """Check that the queue holds the seats in last place that have not swapped yet."""
    if not position.queue:
        return
    need(bool(position.cities), f"in phase {position.phase} a city must have been completed")
    seat, last = position.seat, min(position.scores)
    points = f"seat {seat} has {count(position.scores[seat], 'point', thousands='')}"
    is_last = position.scores[seat] == last
    need(is_last, f"{points}, the fewest are {last}: only a seat in last place swaps")
    clockwise = clockwise_seats(position)
    due = [s for s in clockwise[clockwise.index(seat) :] if position.scores[s] == last]
    seats = ",".join(map(str, due))
    right = f"queue must be {seats}: the seats in last place that have not swapped"
    need(tuple(due) == position.queue, right)
