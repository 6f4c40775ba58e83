"""What counting shows of a settled position: whether a game can have come to it (rules, 1 to 7).

Walls outside completed cities never go back, and each wall brings one house to each of its sides.
So houses and walls tell how many walls were ever placed, and one is placed each turn. What stands
inside a city bounds how many cities were completed, each city is scored once by every seat, and so
hands, discards and scores are bounded too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from masons.engine.board import components as box
from masons.engine.board.geometry import Board
from masons.engine.errors import PositionError
from masons.engine.plain_words import count
from masons.engine.state.enclosed_areas import BUILDING_PHASES
from masons.engine.state.position import Counts, Position
from masons.engine.state.position_checks import need

_NO_PIECES: Counts = (0, 0, 0, 0, 0)


@dataclass(frozen=True)
class CityCount:
    """What the pieces of a completed city tell."""

    root: int  # its lowest space
    cleared: int  # walls that went back from its inside
    least: int  # cities that it was merged from, itself included
    most: int


def _may_lack_a_house(position: Position) -> bool:
    """Whether this turn may have found one house in supply where two were due (rules, 3.4).

    Then all houses were on the board, and it is the last turn.
    """
    placed = sum(sum(counts) for counts in position.houses.values())
    placed += 2 * sum(sum(counts) for counts in position.palaces.values())
    ended = position.end in ("walls", "towers", "houses")
    return ended and position.phase not in BUILDING_PHASES and placed >= box.HOUSES


def city_counts(board: Board, position: Position) -> tuple[CityCount, ...]:
    """What each completed city tells. Raises PositionError where houses and walls do not agree.

    Each wall brought a house to each of its sides (rules, 3.4), and two houses became a palace.
    """
    spare = int(_may_lack_a_house(position))
    walls = set(position.walls)
    if position.phase in BUILDING_PHASES:
        walls.discard(-1 if position.line is None else position.line)
    inside = frozenset().union(*position.cities)
    for space, lines in enumerate(board.space_lines):
        if space in inside:
            continue
        have = sum(position.houses.get(space, _NO_PIECES))
        due = sum(line in walls for line in lines)
        if not have + spare >= due >= have:  # asked here, as the words take longer than the check
            raise PositionError(
                f"{count(have, 'house')} on space {space}, but {count(due, 'wall')} round it: each "
                f"wall brings one, so there must be {due}"
            )
        spare -= due - have
    found = []
    for city in position.cities:
        counted, lacking = _city(board, position, city, spare)
        spare -= lacking
        found.append(counted)
    return tuple(found)


def _city(
    board: Board, position: Position, city: frozenset[int], spare: int
) -> tuple[CityCount, int]:
    """What a city tells, and how many houses it lacks.

    A wall that stands at its border brought one house, one that was cleared from its inside two.
    """
    root = min(city)
    have = sum(position.houses.get(root, _NO_PIECES))
    have += 2 * sum(position.palaces.get(root, _NO_PIECES))
    lines = {line for space in city for line in board.space_lines[space]}
    inner = sum(set(board.line_spaces[line]) <= city for line in lines)
    border = len(lines) - inner
    most = border + 2 * _most_cleared(position, city, inner)
    lacking = spare * ((have - border) % 2)
    good = border <= have + lacking <= most and (have + lacking - border) % 2 == 0
    steps = f"{border}" if most == border else f"{border}, {border + 2} and so on to {most}"
    need(
        good,
        f"{have} houses in the city of space {root} (a palace counts two), but its "
        f"{border} walls brought one each and those cleared two: there can be {steps}",
    )
    cleared = (have + lacking - border) // 2
    # An original city was connected by lines that never carried a wall (rules, 4), so that
    # `inner - cleared` such lines connect it to at least so few parts; each merge cleared a wall.
    least = max(1, cleared - inner + len(city))
    most_parts = 1 if _is_unmerged(position, root) else min(len(city), cleared + 1)
    return CityCount(root, cleared, least, most_parts), lacking


def _is_unmerged(position: Position, root: int) -> bool:
    return position.phase == "merge" and position.city == root


def _most_cleared(position: Position, city: frozenset[int], inner: int) -> int:
    """How many lines inside a city can have carried walls: all, once it has been merged."""
    return inner - len(city) + 1 if _is_unmerged(position, min(city)) else inner


def _check_palaces(position: Position) -> None:
    """Each pair of houses in a city became a palace while there were any (rules, 4)."""
    for city in position.cities:
        root = min(city)
        if _is_unmerged(position, root):
            need(
                root not in position.palaces,
                f"a palace in the city of space {root}: in phase merge none is built yet",
            )
            continue
        for color, houses in enumerate(position.houses.get(root, _NO_PIECES)):
            used = sum(counts[color] for counts in position.palaces.values())
            name = box.HOUSE_COLORS[color]
            need(
                houses < 2 or used == box.PALACES_PER_COLOR,
                f"{houses} {name} houses in the city of space {root}, but only {used} {name} "
                f"palaces on the board: two houses become a palace while there are any, so "
                f"there can be 0 or 1",
            )


def check_pieces(board: Board, position: Position) -> tuple[CityCount, ...]:
    """What each completed city tells. Raises PositionError where the pieces do not agree."""
    cities = city_counts(board, position)
    _check_palaces(position)
    return cities


def _has_placed(position: Position) -> bool:
    """Whether this turn's wall has been placed."""
    return position.phase != "wall" and position.end != "no-line"


def _placed(position: Position, cities: Iterable[CityCount]) -> int:
    """The walls that were ever placed: those that stand, and those cleared from cities."""
    return len(position.walls) + sum(city.cleared for city in cities)


def turns_begun(board: Board, position: Position) -> int:
    """How many turns were begun before this one: each placed a wall (rules, 3).

    Raises PositionError where houses and walls do not agree.
    """
    return max(0, _placed(position, city_counts(board, position)) - _has_placed(position))


def _check_end(position: Position, cities: tuple[CityCount, ...], placed: int) -> None:
    """A supply ran out in this turn, before a city gave anything back (rules, 7)."""
    new = [city for city in cities if position.city in (None, city.root)]
    if position.end == "walls":
        back = max((city.cleared for city in new), default=0)
        need(
            len(position.walls) + back >= box.WALLS,
            f"end is walls, but {len(position.walls)} stand and at most {back} came back in this "
            f"turn: all {box.WALLS} must have stood",
        )
    elif position.end == "houses":
        stand = sum(sum(counts) for counts in position.houses.values())
        back = max((2 * sum(position.palaces.get(c.root, _NO_PIECES)) for c in new), default=0)
        need(
            stand + back >= box.HOUSES,
            f"end is houses, but {stand} stand and at most {back} came back in this turn: all "
            f"{box.HOUSES} must have stood",
        )
    elif position.end == "towers":
        need(
            2 * placed >= box.TOWERS,
            f"end is towers, but {count(placed, 'wall')} brought at most {2 * placed} of "
            f"{box.TOWERS}",
        )


@dataclass(frozen=True)
class SeatCount:
    """What a seat did with its cards until now, at most: `scored` cities, and the final scoring."""

    seat: int
    cards: int  # in its hand, with those that it is about to draw
    late: int  # cities completed that it has not scored yet: 0 or 1
    final: int  # 1 if it may have made its choice in the final scoring


def _seat_counts(position: Position) -> list[SeatCount]:
    """Who has scored the last city already: the active seat first, then clockwise (rules, 5)."""
    n, phase = position.players, position.phase
    scoring = phase in ("merge", "score") or (phase == "draw" and not position.queue)
    before = (position.seat - position.active) % n + (phase == "draw")
    found = []
    for seat, size in enumerate(position.hand_sizes):
        order = (seat - position.active) % n
        drawn = position.due if phase == "draw" and seat == position.seat else 0
        late = scoring and (phase == "merge" or order >= before)
        final = phase == "over" or (phase == "final" and order < before)
        found.append(SeatCount(seat, size + drawn, int(late), int(final)))
    return found


def _check_hands(position: Position, seats: list[SeatCount], most: int) -> int:
    """Hands have the sizes that so many cities allow; the number of cities that they ask for.

    A scoring leaves a hand as large, or larger or smaller by one; a swap leaves it as large; in
    the final scoring up to two cards are played and none is drawn (rules, 5 and 7).
    """
    asked = 0
    for own in seats:
        scored = max(0, most - own.late)
        low = max(box.HAND - scored - 2 * own.final, 0 if own.final else 1)
        high = box.HAND + scored
        sizes = f"{low}" if low == high else f"{low} to {high}"
        need(
            low <= own.cards <= high,
            f"the hand of seat {own.seat} has {count(own.cards, 'card')}"
            f"{', those it draws included' if position.phase == 'draw' else ''}: after at most "
            f"{count(scored, 'city', 'cities')} scored it can have {sizes}",
        )
        change = max(own.cards - box.HAND, box.HAND - own.cards - 2 * own.final, 0)
        asked = max(asked, change + own.late)
    return asked


def _check_discard(position: Position, seats: list[SeatCount], least: int, most: int) -> None:
    """The discard pile has as many cards as so many cities allow (rules, 5)."""
    have, n = len(position.discard), position.players
    stock = box.DECK - box.HAND * n
    # Most in the j-th scoring: abstain with a hand of 5 + j, then swap all of 6 + j.
    drawn = n * sum(8 + j for j in range(1, most + 1))
    high = n * sum(7 + j for j in range(1, most + 1)) + 2 * sum(own.final for own in seats)
    low = 0
    if drawn < stock:  # the deck never ran out: whatever was discarded lies there
        low = sum(max(0, least - own.late) + max(0, box.HAND - own.cards) for own in seats)
        if most == 0:
            high = low
        high = min(high, drawn + box.HAND * n - sum(own.cards for own in seats))
        high = max(high, low)
    what = f"{low}" if low == high else f"{low} to {high}"
    need(
        low <= have <= high,
        f"discard has {count(have, 'card')}: after {_cities(least, most)} there can be {what}",
    )
    need(
        position.deck_size > 0 or have == 0 or position.phase in ("final", "over"),
        f"the deck is empty, but {count(have, 'card')} are face up: they are shuffled at once",
    )


def _cities(least: int, most: int) -> str:
    if least == most:
        return count(most, "completed city", "completed cities")
    return f"{least} to {most} completed cities"


def most_points(board: Board, turn: int) -> int:
    """What one card can score after so many walls were placed (rules, 6).

    Pieces on the board are at most what so many walls brought, and what is in the box.
    """
    houses = min(box.HOUSES, 2 * turn)
    towers = min(box.TOWERS, 2 * turn)
    in_city = box.HOUSES_PER_COLOR + 3 * box.PALACES_PER_COLOR
    return max(
        9,  # city-size-7
        min(in_city, 3 * turn),  # city-red: two houses are a palace, which scores 3
        houses,  # land-region-1
        towers,  # land-towers; walls, palaces and cities are fewer
        2 * min(box.TOWERS_PER_COLOR, towers),
        2 * min(sum(board.tower_shore), towers),
        min(box.WALLS, turn),
    )


def _check_scores(
    board: Board, position: Position, seats: list[SeatCount], most: int, placed: int
) -> None:
    """No seat has more points than the cards that it can have played brought.

    A play of two cards costs a card of the hand, an abstention brings one. So with p plays of one,
    q of two and a abstentions in k scorings a hand has 6 - q + a cards, and p + 2q = k + 6 - hand
    cards were played; fewer where no card was left to draw. At most one city a turn is completed.
    """
    for own in seats:
        scored = max(0, most - own.late)
        plays = scored + own.final
        played = max(0, min(2 * plays, scored + box.HAND - own.cards))
        high = sum(most_points(board, placed - number // 2) for number in range(played))
        points = position.scores[own.seat]
        need(
            points <= high,
            f"seat {own.seat} has {count(points, 'point', thousands='')}: it can have played "
            f"{count(played, 'card')}, and so have {high} at most",
        )


def _check_queue(position: Position) -> None:
    """Those in last place swap, and a swap changes no score (rules, 5)."""
    if not position.queue:
        return
    need(bool(position.cities), f"in phase {position.phase} a city must have been completed")
    last = min(position.scores)
    n = position.players
    clockwise = [(position.active + i) % n for i in range(n)]
    due = clockwise[clockwise.index(position.seat) :]
    queue = [seat for seat in due if position.scores[seat] == last]
    own = count(position.scores[position.seat], "point", thousands="")
    need(
        position.scores[position.seat] == last,
        f"seat {position.seat} has {own}, the fewest are {last}: only who is in last place swaps",
    )
    need(
        tuple(queue) == position.queue,
        f"queue must be {','.join(map(str, queue))}: the seats in last place that have not swapped",
    )


def check_counts(board: Board, position: Position) -> None:
    """Raises PositionError where counting shows that no game comes to a settled position."""
    cities = check_pieces(board, position)
    placed = _placed(position, cities)
    begun = placed - _has_placed(position)
    need(begun >= 0, f"in phase {position.phase} this turn's wall stands, but there is none")
    need(
        position.turn == begun,
        f"turn is {position.turn}, but walls and houses show that {count(placed, 'wall')} were "
        f"placed, one a turn: it must be {begun}",
    )
    _check_end(position, cities, placed)
    check_cards(board, position, cities)


def check_cards(board: Board, position: Position, cities: tuple[CityCount, ...]) -> None:
    """Hands, discards, scores and the queue of a swap, by the cities that were completed."""
    least, most = (sum(c.least for c in cities), sum(c.most for c in cities))
    seats = _seat_counts(position)
    least = max(least, _check_hands(position, seats, most))
    _check_discard(position, seats, least, most)
    _check_scores(board, position, seats, most, _placed(position, cities))
    _check_queue(position)
