"""Counts that show whether a game can reach a position.

The number of turns follows from the walls and houses, and the number of scorings follows from the
cities. The module is plain Python.
"""

from __future__ import annotations

from itertools import pairwise
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


class _Seat(NamedTuple):
    """The scorings of a seat, inferred from its cards."""

    cards: int  # in hand or due
    late: int  # 1 if it has yet to score the last city
    least: int  # fewest scorings that it can have done
    most: int  # most scorings that it can have done
    played: int  # 1 if it has had its final scoring
    may_swap: bool  # it can have swapped after the last of these scorings


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
    _check_end(position, cities, placed)
    _check_swap(position)
    begun = placed - _has_placed(position)
    were = "was" if placed == 1 else "were"
    shows = f"walls and houses show that {count(placed, 'wall')} {were} placed, one a turn"
    need(position.turn == begun, f"turn is {position.turn}, but {shows}: it must be {begun}")
    seats = _count_scorings(position, cities)
    _check_discard(position, seats, cities)
    _check_points(position, seats, placed)


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
        brought = f"its {count(border, 'wall')} brought one each and those cleared two"
        houses = f"{count(have, 'house')} in the city of space {root} (a palace counts two)"
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
                    f"{houses} {name} houses in the city of space {root}, but only "
                    f"{count(used, f'{name} palace')} on the board: two houses become a palace "
                    "while there are any, so there can be 0 or 1"
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


def _count_scorings(position: Position, cities: list[_City]) -> list[_Seat]:
    """Return what each seat must have done; raise PositionError if its hand cannot come of it.

    A play of two cards reduces the hand by one card, an abstention adds one card (or none, if the
    deck ran out), and a play of one card or a swap leaves the size of the hand unchanged. In the
    final scoring a seat plays up to two cards and draws none. So k scorings change a hand by at
    most k cards. Each turn completes at most one city, and every seat scores it.
    """
    phase, is_draw = position.phase, position.phase == "draw"
    # The active seat scores the last city first, and the other seats follow clockwise.
    is_scoring = phase in ("merge", "score") or (is_draw and not position.queue)
    done = (position.seat - position.active) % position.players + is_draw
    # From a scoring to the next one, only an early roll and the final scoring change the scores.
    shows_last = phase in (*BUILDING, "wall", "swap", "draw") and not position.early_roll
    least, most = sum(city.least for city in cities), sum(city.most for city in cities)
    seats = []
    for seat, size in enumerate(position.hand_sizes):
        order = (seat - position.active) % position.players
        is_drawing = is_draw and seat == position.seat
        cards = size + (position.due if is_drawing else 0)
        late = int(is_scoring and (phase == "merge" or order >= done))
        played = int(phase == "over" or (phase == "final" and order < done))
        scored = max(0, most - late)
        low, high = max(box.HAND - scored - 2 * played, 0 if played else 1), box.HAND + scored
        has = f"has {count(cards, 'card')}{', those it draws included' if is_draw else ''}"
        after = f"after at most {count(scored, 'city', 'cities')} scored"
        can_have = f"it can have {_range(low, high)}"
        need(low <= cards <= high, f"the hand of seat {seat} {has}: {after} {can_have}")
        least = max(least, late + max(cards - box.HAND, box.HAND - cards - 2 * played, 0))
        is_last = not shows_last or position.scores[seat] == min(position.scores)
        has_swapped = is_last and (seat not in position.queue or is_drawing)
        may_swap = has_swapped if not is_scoring else bool(late)
        seats.append(_Seat(cards, late, 0, scored, played, may_swap))
    return [seat._replace(least=max(0, least - seat.late)) for seat in seats]


def _check_discard(position: Position, seats: list[_Seat], cities: list[_City]) -> None:
    """Check that the size of the discard pile fits the scorings.

    A seat has discarded the cards that it was dealt or drew and does not hold. While the deck never
    ran out, all of them are face up.
    """
    have, held = len(position.discard), sum(seat.cards for seat in seats)
    dealt = box.HAND * len(seats)
    drawn = sum(map(_most_drawn, seats))
    low, high = 0, dealt + drawn - held
    if drawn < box.DECK - dealt:
        low = sum(seat.least + max(0, box.HAND - seat.cards) for seat in seats)
    least, most = max(seat.least + seat.late for seat in seats), sum(city.most for city in cities)
    cards, number = count(have, "card"), count(most, "completed city", "completed cities")
    after = number if least == most else f"{least} to {number}"
    can_be = f"after {after} there can be {_range(low, high)}"
    need(low <= have <= high, f"discard has {cards}: {can_be}")
    is_drawn = position.deck_size > 0 or have == 0 or position.phase in ("final", "over")
    need(is_drawn, f"the deck is empty, but {cards} are face up: they are shuffled at once")


def _most_drawn(seat: _Seat) -> int:
    """Return the most cards that a seat can have drawn.

    A scoring draws one card, or two if the hand grows by one. A swap draws at most as many cards
    as the hand has. So a seat draws most if its hand first grows as far as it can, and then shrinks
    to what it is now.
    """
    k, end = seat.most, seat.cards + 2 * seat.played
    hands = [min(box.HAND + j, end + k - j) for j in range(1, k + 1)]
    grown = sum(after > before for before, after in pairwise([box.HAND, *hands]))
    return k + grown + sum(hands if seat.may_swap else hands[:-1])


def _check_points(position: Position, seats: list[_Seat], placed: int) -> None:
    """Check that each seat can have played enough cards for its points.

    After k scorings with `p` plays of one card, `q` plays of two cards and `a` abstentions, a hand
    has 6 - q + a cards. Its seat has then played p + 2q cards, which is k + 6 minus the size of the
    hand, or fewer cards if the deck ran out.
    """
    # No card counts more than the houses in the box or four times the walls (its towers, twice).
    most = min(box.HOUSES, max(9, 4 * placed))  # city-size-7 scores 9
    for seat, (cards, _, _, scored, final, _) in enumerate(seats):
        played = max(0, min(2 * (scored + final), scored + box.HAND - cards))
        high = played * most
        points = count(position.scores[seat], "point", thousands="")
        at_most = f"it can have played {count(played, 'card')}, and so have {high} at most"
        need(position.scores[seat] <= high, f"seat {seat} has {points}: {at_most}")


def _check_swap(position: Position) -> None:
    """Check that the queue holds the seats in last place that have not swapped yet."""
    if not position.queue:
        return
    need(bool(position.cities), f"in phase {position.phase} a city must have been completed")
    clockwise = clockwise_seats(position)
    left = clockwise[clockwise.index(position.seat) :]
    due = tuple(seat for seat in left if position.scores[seat] == min(position.scores))
    right = f"queue must be {','.join(map(str, due)) or 'empty'}"
    need(due == position.queue, f"{right}: the seats in last place that have not swapped")
