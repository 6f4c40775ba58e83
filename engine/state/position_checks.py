"""Check positions: every field, the fields against each other, and whether a game can get there.

`check_fields` looks at types, `settle_position` at the board and the box, `check_ready` at what is
due, `check_counts` at what counting shows. Plain Python. Each raises PositionError with the first
fault. Some checks are written with `if`, as their message takes longer to make than the check.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from masons.engine.board import components as box
from masons.engine.board.geometry import Board
from masons.engine.checks import shown
from masons.engine.errors import PositionError
from masons.engine.plain_text import count
from masons.engine.state import layout as at
from masons.engine.state.packed_move import PHASE_NAMES
from masons.engine.state.position import Counts, Position

# A state has 16 bits for a score; this leaves enough for all that a game can add.
MAX_SCORE: Final = 9999
BUILDING_PHASES: Final = ("roll", "towers", "houses")
"""The phases of a turn whose wall stands, but whose city is not completed yet."""

_NO_PIECES: Counts = (0, 0, 0, 0, 0)
# What can have ended the game already in a phase of its last turn; in phase over, anything.
_ENDS: Final = {
    "wall": (),
    "roll": ("walls",),
    "towers": ("walls",),
    "houses": ("walls", "towers"),
    "merge": ("walls", "towers", "houses"),
    "score": ("walls", "towers", "houses", "palaces"),
    "draw": ("walls", "towers", "houses", "palaces"),
    "swap": (),
    "final": ("walls", "towers", "houses", "no-line"),
    "over": box.ENDS,
}


def need(condition: bool, message: str) -> None:
    """Raise PositionError where a condition does not hold."""
    if not condition:
        raise PositionError(message)


# ---- areas inside walls; `areas` does the same for the kernels, for one area at a time


def enclosed_areas(board: Board, walls: Collection[int]) -> tuple[frozenset[int], ...]:
    """Return the areas that walls cut off from the board's edge, by their lowest space."""
    areas = []
    done: set[int] = set()
    for start in range(len(board.space_lines)):
        if start in done:
            continue
        area, todo, closed = {start}, [start], True
        while todo:
            space = todo.pop()
            for line in board.space_lines[space]:
                if line in walls:
                    continue
                first, second = board.line_spaces[line]
                beside = second if first == space else first
                if beside is None:
                    closed = False
                elif beside not in area:
                    area.add(beside)
                    todo.append(beside)
        done |= area
        if closed:
            areas.append(frozenset(area))
    return tuple(areas)


def _standing_walls(position: Position) -> frozenset[int]:
    """Return the walls without that of a turn which is still building."""
    building = position.phase in BUILDING_PHASES and position.line is not None
    return frozenset(position.walls) - {position.line if building else None}


def standing_cities(board: Board, position: Position) -> tuple[frozenset[int], ...]:
    """Return the completed cities: what this turn's wall encloses is not one yet."""
    return enclosed_areas(board, _standing_walls(position))


# ---- types


def _is_int(value: object, bound: int | None = None) -> bool:
    return type(value) is int and (bound is None or 0 <= value < bound)


def _all_ints(value: object, bound: int | None = None) -> bool:
    return isinstance(value, tuple | frozenset) and all(_is_int(item, bound) for item in value)


def _are_hands(value: object) -> bool:
    return isinstance(value, tuple) and all(_is_int(hand) or _are_kinds(hand) for hand in value)


def _are_kinds(value: object) -> bool:
    return _all_ints(value, len(box.CARDS))


def _are_towers(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        _is_int(place) and _is_int(color, len(box.TOWER_COLORS)) for place, color in value.items()
    )


def _are_counts(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        _is_int(place)
        and _all_ints(counts)
        and len(counts) == len(box.HOUSE_COLORS)
        and min(counts) >= 0
        for place, counts in value.items()
    )


def _is_roll(value: object) -> bool:
    if not isinstance(value, tuple) or len(value) != 3:
        return value is None
    tower, *dice = value
    return (tower is None or _is_int(tower, len(box.TOWER_COLORS))) and all(
        _is_int(die, len(box.HOUSE_DIE)) for die in dice
    )


_NUMBER: Final = (_is_int, "it must be a whole number")
_NUMBERS: Final = (_all_ints, "it must be whole numbers in a tuple or a frozenset")
_OPTIONAL: Final = (
    lambda value: value is None or _is_int(value),
    "it must be a whole number or None",
)
_TEXT: Final = (lambda value: isinstance(value, str), "it must be a text")
_FLAG: Final = (lambda value: isinstance(value, bool), "it must be True or False")
_PIECES: Final = (_are_counts, "it must be a mapping of spaces to five counts, one a color")
# Each field of a position: whether a value has its type, and what that is. Cities are worked out.
_FIELDS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    **dict.fromkeys(("players", "turn", "active", "seat", "due"), _NUMBER),
    **dict.fromkeys(("scores", "walls", "queue"), _NUMBERS),
    **dict.fromkeys(("line", "city"), _OPTIONAL),
    **dict.fromkeys(("phase", "end"), _TEXT),
    **dict.fromkeys(("early_roll", "rolled"), _FLAG),
    **dict.fromkeys(("houses", "palaces"), _PIECES),
    "hands": (_are_hands, "each hand is a tuple of kinds of cards, or how many cards are hidden"),
    "discard": (_are_kinds, "it must be a tuple of kinds of cards, from 0 to 29"),
    "towers": (_are_towers, "it must be a mapping of tower spaces to colors, from 0 to 2"),
    "roll": (_is_roll, "it must be None, or a tower color (or None) and two house dice"),
}


def check_fields(position: object) -> Position:
    """Return a position whose fields all have the types that `Position` names.

    Raises PositionError for anything else.
    """
    if not isinstance(position, Position):
        raise PositionError(f"{shown(position)} is no position: give a Position")
    for name, (has_type, right) in _FIELDS.items():
        if not has_type(value := getattr(position, name)):
            raise PositionError(f"{name} is {shown(value)}: {right}")
    return position


# ---- the board and the box


def settle_position(board: Board, position: object) -> Position:
    """Return a sound position, its cities worked out and their pieces on their lowest space.

    Raises PositionError naming the first fault.
    """
    sound = check_fields(position)
    _check_seats(sound)
    _check_cards(sound)
    _check_walls(board, sound)
    cities = standing_cities(board, sound)
    _check_pieces(board, sound, cities)
    root = {space: min(city) for city in cities for space in city}

    def pooled(pieces: Mapping[int, Counts]) -> dict[int, Counts]:
        pool: dict[int, Counts] = {}
        for space, counts in sorted(pieces.items()):
            key = root.get(space, space)
            a, b, c, d, e = map(sum, zip(pool.get(key, _NO_PIECES), counts, strict=True))
            pool[key] = (a, b, c, d, e)
        return {space: pool[space] for space in sorted(pool) if any(pool[space])}

    settled = replace(
        sound,
        cities=cities,
        houses=pooled(sound.houses),
        palaces=pooled(sound.palaces),
        hands=tuple(h or () if isinstance(h, int) else tuple(sorted(h)) for h in sound.hands),
        discard=tuple(sorted(sound.discard)),
        towers=dict(sorted(sound.towers.items(), key=lambda item: (item[1], item[0]))),
    )
    _check_phase(board, settled)
    _check_supplies(settled)
    clockwise = [seat for seat in _clockwise(settled) if seat in settled.queue]
    if settled.queue and (tuple(clockwise) != settled.queue or clockwise[0] != settled.seat):
        raise PositionError("queue must begin with seat and go clockwise from the active seat")
    return settled


def _clockwise(position: Position) -> list[int]:
    """Return all seats, the active one first."""
    return [(position.active + i) % position.players for i in range(position.players)]


def _check_seats(position: Position) -> None:
    n, phase = position.players, position.phase
    names = ", ".join(PHASE_NAMES)
    need(box.MIN_PLAYERS <= n <= box.MAX_PLAYERS, f"players is {n}: it must be 2, 3 or 4")
    need(phase in PHASE_NAMES, f"phase is {phase!r}: one of {names}")
    for name, seat in (("active", position.active), ("seat", position.seat)):
        need(0 <= seat < n, f"{name} is {seat}: it must be a seat from 0 to {n - 1}")
    need(len(position.scores) == n, f"scores needs {n} numbers, one a seat")
    need(all(0 <= s <= MAX_SCORE for s in position.scores), f"scores must be from 0 to {MAX_SCORE}")
    need(len(position.hands) == n, f"hands needs {n} hands, one a seat")
    need(0 <= position.turn < 1 << 32, "turn must be from 0 to 4294967295")
    if phase in ("wall", *BUILDING_PHASES, "merge"):
        need(position.seat == position.active, f"in phase {phase} seat must be active")
    need(
        not position.rolled or (position.early_roll and phase == "wall"),
        "rolled goes with options=early_roll and with phase=wall",
    )


def _check_cards(position: Position) -> None:
    copies = [0] * len(box.CARDS)
    for cards in (position.discard, *position.hands):
        for kind in () if isinstance(cards, int) else cards:
            copies[kind] += 1
    for kind, number in enumerate(copies):
        need(number <= 2, f"{box.CARDS[kind]} occurs {number} times: there are two of each card")
    need(position.deck_size >= 0, "the hands hold more cards than there are: 60 with the discards")
    for seat, size in enumerate(position.hand_sizes):
        is_drawing = position.phase == "draw" and seat == position.seat
        may_be_empty = is_drawing or position.phase in ("final", "over")
        need(size > 0 or may_be_empty, f"the hand of seat {seat} is empty: it never gets empty")


def _check_walls(board: Board, position: Position) -> None:
    lines, towers = len(board.line_towers), len(board.tower_xy)
    for line in position.walls:
        need(0 <= line < lines, f"wall {line} is not on the board: lines go from 0 to {lines - 1}")
    need(len(position.walls) <= box.WALLS, f"more than {box.WALLS} walls")
    for tower in position.towers:
        need(0 <= tower < towers, f"tower space {tower} is not on the board: 0 to {towers - 1}")
    ends = {end for line in position.walls for end in board.line_towers[line]}
    for tower in position.towers:
        need(tower in ends, f"the tower on {tower} stands at the end of no wall")
    missing = ends - set(position.towers)
    allowed: set[int] = set()
    if position.line is not None and position.phase in BUILDING_PHASES:
        need(position.line in position.walls, f"line {position.line} carries no wall")
        if position.phase != "houses":
            allowed = set(board.line_towers[position.line])
    if _is_out_of_towers(position) and len(missing) == 1:
        allowed = missing
    for tower in sorted(missing - allowed):
        raise PositionError(f"a wall ends at tower space {tower}, but no tower stands there")
    for color, name in enumerate(box.TOWER_COLORS):
        number = list(position.towers.values()).count(color)
        need(number <= box.TOWERS_PER_COLOR, f"more than {box.TOWERS_PER_COLOR} {name} towers")


def _is_out_of_towers(position: Position) -> bool:
    """Return whether this turn placed the last tower: a second may be missing (rules, 3.3)."""
    is_late = position.phase in ("houses", "final", "over")
    return is_late and position.end in ("walls", "towers") and len(position.towers) == box.TOWERS


def _check_pieces(board: Board, position: Position, cities: tuple[frozenset[int], ...]) -> None:
    spaces = len(board.space_lines)
    for space in (*position.houses, *position.palaces):
        need(0 <= space < spaces, f"space {space} is not on the board: 0 to {spaces - 1}")
    inside = frozenset().union(*cities)
    for space in position.palaces:
        need(space in inside, f"the palace on space {space} stands in no completed city")
    for color, name in enumerate(box.HOUSE_COLORS):
        for pieces, most, kind in (
            (position.houses, box.HOUSES_PER_COLOR, "houses"),
            (position.palaces, box.PALACES_PER_COLOR, "palaces"),
        ):
            number = sum(counts[color] for counts in pieces.values())
            need(number <= most, f"more than {most} {name} {kind}")
    for city in cities:
        for line in position.walls:
            if set(board.line_spaces[line]) <= city:
                raise PositionError(f"wall {line} lies inside the city of space {min(city)}")


def _check_phase(board: Board, position: Position) -> None:
    """Check that the fields which go with some phases are there in these, and only then."""
    phase, city, end = position.phase, position.city, position.end
    is_swapping = phase == "swap" or (phase == "draw" and bool(position.queue))
    is_scoring = phase in ("merge", "score") or (phase == "draw" and not is_swapping)

    def goes_with(field: str, value: object, is_due: bool) -> None:
        right = "needs" if is_due else "has no"
        need((value is not None) == is_due, f"phase {phase} {right} {field}")

    goes_with("line", position.line, phase in BUILDING_PHASES)
    goes_with("roll", position.roll, phase in ("towers", "houses"))
    need(position.due == 0 or phase == "draw", f"phase {phase} has no due")
    need(0 <= position.due <= 60, "due must be from 1 to 60")
    need(bool(position.queue) == is_swapping, "queue goes with phase=swap and the draws of a swap")
    need(
        is_swapping or position.due <= 2, f"due is {position.due}: a scoring draws at most 2 cards"
    )
    goes_with("city", city, is_scoring)
    if city is not None:
        roots = [min(area) for area in position.cities]
        need(city in roots, f"city {city} is not the lowest space of a completed city")
    need(end in at.END_NAMES, f"end is {end!r}: one of {', '.join(box.ENDS)}")
    if end and end not in _ENDS[phase]:
        raise PositionError(f"in phase {phase} the game cannot have ended by {end}")
    if phase in ("final", "over"):
        need(bool(end), f"phase {phase} needs end, one of {', '.join(box.ENDS)}")
    if position.roll is not None and position.line is not None:
        # The tower die is rolled where an end is empty; towers are placed before houses.
        empty = [e for e in board.line_towers[position.line] if e not in position.towers]
        if phase == "towers":
            need(bool(empty), f"phase towers: line {position.line} has towers at both ends")
            need(position.roll[0] is not None, "phase towers: the tower die must have been rolled")
        elif not _is_out_of_towers(position):
            need(not empty, f"phase houses: line {position.line} still lacks a tower")
    need(not (is_swapping and end), "after the end of the game nobody swaps")


def _check_supplies(position: Position) -> None:
    """A supply that has run out has ended the game, by the placing that took the last piece."""
    phase, end = position.phase, position.end
    used = {
        "walls": (len(position.walls), box.WALLS),
        "towers": (len(position.towers), box.TOWERS),
        "houses": (sum(map(sum, position.houses.values())), box.HOUSES),
        "palaces": (sum(map(sum, position.palaces.values())), box.PALACES),
    }
    out = [name for name, (number, total) in used.items() if number == total]
    for name in out:
        all_of = f"all {used[name][1]} {name} are on the board"
        need(bool(end), f"{all_of}: the game has ended, end={name}")
        may_be = name in _ENDS[phase]
        need(may_be, f"{all_of}: the last of them cannot have been placed before phase {phase}")
    # Pieces come back only with a city, and palaces never.
    if phase in (*BUILDING_PHASES, "final") and (out or end not in ("", "no-line")):
        first = out[0] if out else "none"
        need(first == end, f"end is {end}, but the supply that ran out first is {first}")
    if end == "palaces":
        need("palaces" in out, "end is palaces, but there are palaces left")


def check_ready(state: at.State, board: Board, position: Position) -> None:
    """Check that what a settled position waits for is possible in its state."""
    has_line = bool(state[int(at.OPEN) : int(at.OPEN) + 4].any())
    if position.phase == "wall":
        need(has_line, "no line is left for a wall: the game has ended, end=no-line")
    if position.end == "no-line":
        need(not has_line, "end is no-line, but there is a line for a wall")
    if position.phase == "draw":
        need(position.due > 0, "phase draw needs due, the number of cards to draw")
        need(position.deck_size > 0, "phase draw: no card is left to draw")
    if position.phase == "merge":
        new = next(city for city in position.cities if position.city in city)
        others = frozenset().union(*position.cities) - new
        shared = any(new & set(pair) and others & set(pair) for pair in board.line_spaces)
        need(shared, f"phase merge: no other city shares a wall with the city of {position.city}")


# ---- counting: walls and houses tell how many turns there were, cities how often all scored


class _City(NamedTuple):
    """The history of a completed city, as its pieces tell it."""

    root: int  # its lowest space
    cleared: int  # walls that went back from its inside
    least: int  # cities that it was merged from, itself included
    most: int


class _Seat(NamedTuple):
    """The cards of a seat, and the scorings that it still has before it."""

    seat: int
    cards: int  # in its hand, with those that it is about to draw
    late: int  # cities completed that it has not scored yet: 0 or 1
    final: int  # 1 if it may have made its choice in the final scoring


def check_counts(board: Board, position: Position) -> None:
    """Raise PositionError where counting shows that no game gets to a settled position.

    Walls outside completed cities never go back, and each wall brings one house to each of its
    sides. So houses and walls tell how many walls were ever placed, and one is placed each turn.
    What stands inside a city bounds how many cities were completed, each city is scored once by
    every seat, and so hands, discards and scores are bounded too (rules, 1 to 7).
    """
    cities = _count_cities(board, position)
    _check_palaces(position)
    placed = len(position.walls) + sum(city.cleared for city in cities)
    begun = placed - _has_placed(position)
    need(begun >= 0, f"in phase {position.phase} this turn's wall stands, but there is none")
    need(
        position.turn == begun,
        f"turn is {position.turn}, but walls and houses show that {count(placed, 'wall')} were "
        f"placed, one a turn: it must be {begun}",
    )
    _check_end(position, cities, placed)
    seats = _count_seats(position)
    most = sum(city.most for city in cities)
    least = max(sum(city.least for city in cities), _check_hands(position, seats, most))
    _check_discard(position, seats, least, most)
    _check_scores(board, position, seats, most, placed)
    _check_swap(position)


def turns_begun(board: Board, position: Position) -> int:
    """Return how many turns were begun before this one: each placed a wall (rules, 3).

    Raises PositionError where houses and walls do not agree.
    """
    cleared = sum(city.cleared for city in _count_cities(board, position))
    return max(0, len(position.walls) + cleared - _has_placed(position))


def _has_placed(position: Position) -> bool:
    """Return whether this turn's wall has been placed."""
    return position.phase != "wall" and position.end != "no-line"


def _count_cities(board: Board, position: Position) -> list[_City]:
    """Return what each completed city tells; houses and walls must agree.

    Each wall brought a house to each of its sides (rules, 3.4), and two houses became a palace. In
    the last turn one house may be missing, if it was not in supply: then all were on the board.
    """
    houses = sum(map(sum, position.houses.values())) + 2 * sum(map(sum, position.palaces.values()))
    has_ended = position.end in ("walls", "towers", "houses")
    is_late = position.phase not in BUILDING_PHASES
    spare = int(has_ended and is_late and houses >= box.HOUSES)
    walls = _standing_walls(position)
    inside = frozenset().union(*position.cities)
    for space, lines in enumerate(board.space_lines):
        if space in inside:
            continue
        have = sum(position.houses.get(space, _NO_PIECES))
        due = sum(line in walls for line in lines)
        if not have + spare >= due >= have:
            raise PositionError(
                f"{count(have, 'house')} on space {space}, but {count(due, 'wall')} round it: each "
                f"wall brings one, so there must be {due}"
            )
        spare -= due - have
    counted = []
    for city in position.cities:
        # A wall at the border brought one house, one that was cleared from the inside two.
        root = min(city)
        have = sum(position.houses.get(root, _NO_PIECES))
        have += 2 * sum(position.palaces.get(root, _NO_PIECES))
        lines_of = {line for space in city for line in board.space_lines[space]}
        inner = sum(set(board.line_spaces[line]) <= city for line in lines_of)
        border = len(lines_of) - inner
        # All lines inside can have carried walls once the city has been merged.
        is_unmerged = position.phase == "merge" and position.city == root
        most = border + 2 * (inner - len(city) + 1 if is_unmerged else inner)
        lacking = spare * ((have - border) % 2)
        have += lacking
        steps = f"{border}" if most == border else f"{border}, {border + 2} and so on to {most}"
        need(
            border <= have <= most and (have - border) % 2 == 0,
            f"{have - lacking} houses in the city of space {root} (a palace counts two), but its "
            f"{border} walls brought one each and those cleared two: there can be {steps}",
        )
        cleared = (have - border) // 2
        # An original city was connected by lines that never carried a wall (rules, 4), so that
        # `inner - cleared` such lines connect it to at least so few parts; each merge cleared one.
        least = max(1, cleared - inner + len(city))
        most_parts = 1 if is_unmerged else min(len(city), cleared + 1)
        counted.append(_City(root, cleared, least, most_parts))
        spare -= lacking
    return counted


def _check_palaces(position: Position) -> None:
    """Each pair of houses in a city became a palace while there were any (rules, 4)."""
    for root in map(min, position.cities):
        if position.phase == "merge" and position.city == root:
            is_empty = root not in position.palaces
            need(
                is_empty, f"a palace in the city of space {root}: in phase merge none is built yet"
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


def _check_end(position: Position, cities: list[_City], placed: int) -> None:
    """A supply ran out in this turn, before a city gave anything back (rules, 7)."""
    new = [city for city in cities if position.city in (None, city.root)]
    if position.end == "towers":
        need(
            2 * placed >= box.TOWERS,
            f"end is towers, but {count(placed, 'wall')} brought at most {2 * placed} of "
            f"{box.TOWERS}",
        )
    elif position.end in ("walls", "houses"):
        stand, all_of = len(position.walls), box.WALLS
        back = max((city.cleared for city in new), default=0)
        if position.end == "houses":
            stand, all_of = sum(map(sum, position.houses.values())), box.HOUSES
            built = (sum(position.palaces.get(city.root, _NO_PIECES)) for city in new)
            back = 2 * max(built, default=0)
        need(
            stand + back >= all_of,
            f"end is {position.end}, but {stand} stand and at most {back} came back in this turn: "
            f"all {all_of} must have stood",
        )


def _count_seats(position: Position) -> list[_Seat]:
    """Return who has scored the last city: the active seat first, then clockwise (rules, 5)."""
    n, phase = position.players, position.phase
    is_scoring = phase in ("merge", "score") or (phase == "draw" and not position.queue)
    before = (position.seat - position.active) % n + (phase == "draw")
    seats = []
    for seat, size in enumerate(position.hand_sizes):
        order = (seat - position.active) % n
        drawn = position.due if phase == "draw" and seat == position.seat else 0
        is_late = is_scoring and (phase == "merge" or order >= before)
        is_final = phase == "over" or (phase == "final" and order < before)
        seats.append(_Seat(seat, size + drawn, int(is_late), int(is_final)))
    return seats


def _check_hands(position: Position, seats: list[_Seat], most: int) -> int:
    """Check that hands have sizes that so many cities allow; return the fewest they call for.

    A scoring leaves a hand as large, or larger or smaller by one; a swap leaves it as large; in
    the final scoring up to two cards are played and none is drawn (rules, 5 and 7).
    """
    cities = 0
    for seat, cards, late, final in seats:
        scored = max(0, most - late)
        low = max(box.HAND - scored - 2 * final, 0 if final else 1)
        high = box.HAND + scored
        sizes = f"{low}" if low == high else f"{low} to {high}"
        need(
            low <= cards <= high,
            f"the hand of seat {seat} has {count(cards, 'card')}"
            f"{', those it draws included' if position.phase == 'draw' else ''}: after at most "
            f"{count(scored, 'city', 'cities')} scored it can have {sizes}",
        )
        cities = max(cities, late + max(cards - box.HAND, box.HAND - cards - 2 * final, 0))
    return cities


def _check_discard(position: Position, seats: list[_Seat], least: int, most: int) -> None:
    """Check that the discard pile has as many cards as so many cities allow (rules, 5)."""
    have, n = len(position.discard), position.players
    stock = box.DECK - box.HAND * n
    # Most in the j-th scoring: abstain with a hand of 5 + j, then swap all of 6 + j.
    drawn = n * sum(8 + j for j in range(1, most + 1))
    high = n * sum(7 + j for j in range(1, most + 1)) + 2 * sum(seat.final for seat in seats)
    low = 0
    if drawn < stock:  # the deck never ran out: whatever was discarded lies there
        low = sum(max(0, least - seat.late) + max(0, box.HAND - seat.cards) for seat in seats)
        if most == 0:
            high = low
        high = min(high, drawn + box.HAND * n - sum(seat.cards for seat in seats))
        high = max(high, low)
    cities = count(most, "completed city", "completed cities")
    after = cities if least == most else f"{least} to {most} completed cities"
    sizes = f"{low}" if low == high else f"{low} to {high}"
    need(
        low <= have <= high,
        f"discard has {count(have, 'card')}: after {after} there can be {sizes}",
    )
    need(
        position.deck_size > 0 or have == 0 or position.phase in ("final", "over"),
        f"the deck is empty, but {count(have, 'card')} are face up: they are shuffled at once",
    )


def _most_points(board: Board, placed: int) -> int:
    """Return what one card can score at most after so many walls were placed (rules, 6).

    Pieces on the board are at most what so many walls brought, and what is in the box.
    """
    towers = min(box.TOWERS, 2 * placed)
    in_city = box.HOUSES_PER_COLOR + 3 * box.PALACES_PER_COLOR
    return max(
        9,  # city-size-7
        min(in_city, 3 * placed),  # city-red: two houses are a palace, which scores 3
        min(box.HOUSES, 2 * placed),  # land-region-1
        towers,  # land-towers; walls, palaces and cities are fewer
        2 * min(box.TOWERS_PER_COLOR, towers),
        2 * min(sum(board.tower_shore), towers),
        min(box.WALLS, placed),
    )


def _check_scores(
    board: Board, position: Position, seats: list[_Seat], most: int, placed: int
) -> None:
    """Check that no seat has more points than the cards that it can have played brought.

    A play of two cards costs a card of the hand, an abstention brings one. So with p plays of one,
    q of two and a abstentions in k scorings a hand has 6 - q + a cards, and p + 2q = k + 6 - hand
    cards were played; fewer where no card was left to draw. At most one city a turn is completed.
    """
    for seat, cards, late, final in seats:
        scored = max(0, most - late)
        played = max(0, min(2 * (scored + final), scored + box.HAND - cards))
        high = sum(_most_points(board, placed - number // 2) for number in range(played))
        points = position.scores[seat]
        need(
            points <= high,
            f"seat {seat} has {count(points, 'point', thousands='')}: it can have played "
            f"{count(played, 'card')}, and so have {high} at most",
        )


def _check_swap(position: Position) -> None:
    """Those in last place swap, and a swap changes no score (rules, 5)."""
    if not position.queue:
        return
    need(bool(position.cities), f"in phase {position.phase} a city must have been completed")
    last = min(position.scores)
    points = count(position.scores[position.seat], "point", thousands="")
    need(
        position.scores[position.seat] == last,
        f"seat {position.seat} has {points}, the fewest are {last}: "
        f"only who is in last place swaps",
    )
    clockwise = _clockwise(position)
    due = clockwise[clockwise.index(position.seat) :]
    queue = [seat for seat in due if position.scores[seat] == last]
    need(
        tuple(queue) == position.queue,
        f"queue must be {','.join(map(str, queue))}: the seats in last place that have not swapped",
    )
