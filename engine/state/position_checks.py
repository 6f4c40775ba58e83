"""Whether a position is sound: every field checked, against the box and against the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from masons.engine.board import components as box
from masons.engine.board.geometry import Board
from masons.engine.errors import PositionError
from masons.engine.given import shown
from masons.engine.state import layout as at
from masons.engine.state.enclosed_areas import BUILDING_PHASES, standing_cities
from masons.engine.state.phases import PHASE_NAMES
from masons.engine.state.position import Counts, Position

# A state has 16 bits for a score; this leaves enough for all that a game can add.
MAX_SCORE: Final = 9999
# What can have ended the game already in a phase of its last turn.
_ENDS = {
    "wall": (),
    "roll": ("walls",),
    "towers": ("walls",),
    "houses": ("walls", "towers"),
    "merge": ("walls", "towers", "houses"),
    "score": ("walls", "towers", "houses", "palaces"),
    "draw": ("walls", "towers", "houses", "palaces"),
    "swap": (),
    "final": ("walls", "towers", "houses", "no-line"),
}
# What each field is made of; cities are worked out anew.
_SORTS: Final = {
    "players": "number", "phase": "text", "turn": "number", "active": "number", "seat": "number",
    "scores": "numbers", "hands": "hands", "discard": "kinds", "walls": "numbers",
    "towers": "towers", "houses": "counts", "palaces": "counts", "early_roll": "flag",
    "rolled": "flag", "line": "number or None", "roll": "roll", "city": "number or None",
    "due": "number", "queue": "numbers", "end": "text",
}  # fmt: skip
_RIGHT: Final = {
    "number": "it must be a whole number",
    "number or None": "it must be a whole number or None",
    "numbers": "it must be whole numbers in a tuple or a frozenset",
    "text": "it must be a text",
    "flag": "it must be True or False",
    "hands": "each hand is a tuple of kinds of cards, or how many cards are hidden",
    "kinds": "it must be a tuple of kinds of cards, from 0 to 29",
    "towers": "it must be a mapping of tower spaces to colours, from 0 to 2",
    "counts": "it must be a mapping of spaces to five counts, one a colour",
    "roll": "it must be None, or a tower colour (or None) and two house dice",
}


def need(condition: bool, message: str) -> None:
    """Raise PositionError where a condition does not hold."""
    if not condition:
        raise PositionError(message)


def _check_seats(position: Position) -> None:
    n = position.players
    need(box.MIN_PLAYERS <= n <= box.MAX_PLAYERS, f"players is {n}: it must be 2, 3 or 4")
    need(position.phase in PHASE_NAMES, f"phase is {position.phase!r}: one of {_names()}")
    for name, seat in (("active", position.active), ("seat", position.seat)):
        need(0 <= seat < n, f"{name} is {seat}: it must be a seat from 0 to {n - 1}")
    need(len(position.scores) == n, f"scores needs {n} numbers, one a seat")
    need(all(0 <= s <= MAX_SCORE for s in position.scores), f"scores must be from 0 to {MAX_SCORE}")
    need(len(position.hands) == n, f"hands needs {n} hands, one a seat")
    need(0 <= position.turn < 1 << 32, "turn must be from 0 to 4294967295")
    own = position.phase in ("wall", *BUILDING_PHASES, "merge")
    if own:
        need(position.seat == position.active, f"in phase {position.phase} seat must be active")
    need(
        not position.rolled or (position.early_roll and position.phase == "wall"),
        "rolled goes with options=early_roll and with phase=wall",
    )


def _names() -> str:
    return ", ".join(PHASE_NAMES)


def _check_cards(position: Position) -> None:
    counts = [0] * len(box.CARDS)
    for cards in (position.discard, *position.hands):
        for kind in () if isinstance(cards, int) else cards:
            counts[kind] += 1
    for kind, count in enumerate(counts):
        need(count <= 2, f"{box.CARDS[kind]} occurs {count} times: there are two of each card")
    need(position.deck_size >= 0, "the hands hold more cards than there are: 60 with the discards")
    for seat, size in enumerate(position.hand_sizes):
        drawing = position.phase == "draw" and seat == position.seat
        may_be_empty = drawing or position.phase in ("final", "over")
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
    if _out_of_towers(position) and len(missing) == 1:
        allowed = missing
    for tower in sorted(missing - allowed):
        raise PositionError(f"a wall ends at tower space {tower}, but no tower stands there")
    for color, name in enumerate(box.TOWER_COLORS):
        count = sum(1 for c in position.towers.values() if c == color)
        need(count <= box.TOWERS_PER_COLOR, f"more than {box.TOWERS_PER_COLOR} {name} towers")


def _out_of_towers(position: Position) -> bool:
    """Whether this turn placed the last tower, so that a second one may be missing (rules, 3.3)."""
    late = position.phase in ("houses", "final", "over")
    return late and position.end in ("walls", "towers") and len(position.towers) == box.TOWERS


def _total(counts: Iterable[Counts], color: int) -> int:
    return sum(count[color] for count in counts)


def _check_pieces(board: Board, position: Position, cities: tuple[frozenset[int], ...]) -> None:
    spaces = len(board.space_lines)
    for space in (*position.houses, *position.palaces):
        need(0 <= space < spaces, f"space {space} is not on the board: 0 to {spaces - 1}")
    inside = frozenset().union(*cities)
    for space in position.palaces:
        need(space in inside, f"the palace on space {space} stands in no completed city")
    for color, name in enumerate(box.HOUSE_COLORS):
        houses = _total(position.houses.values(), color)
        palaces = _total(position.palaces.values(), color)
        need(houses <= box.HOUSES_PER_COLOR, f"more than {box.HOUSES_PER_COLOR} {name} houses")
        need(palaces <= box.PALACES_PER_COLOR, f"more than {box.PALACES_PER_COLOR} {name} palaces")
    for city in cities:
        for line in position.walls:
            first, second = board.line_spaces[line]
            if first in city and second in city:
                raise PositionError(f"wall {line} lies inside the city of space {min(city)}")


def _check_phase(board: Board, position: Position) -> None:
    phase, city = position.phase, position.city
    need(
        (position.line is not None) == (phase in BUILDING_PHASES),
        f"phase {phase} {'needs' if phase in BUILDING_PHASES else 'has no'} line",
    )
    need(
        (position.roll is not None) == (phase in ("towers", "houses")),
        f"phase {phase} {'needs' if phase in ('towers', 'houses') else 'has no'} roll",
    )
    need(position.due == 0 or phase == "draw", f"phase {phase} has no due")
    need(0 <= position.due <= 60, "due must be from 1 to 60")
    swapping = phase == "swap" or (phase == "draw" and bool(position.queue))
    need(bool(position.queue) == swapping, "queue goes with phase=swap and the draws of a swap")
    scoring = phase in ("merge", "score") or (phase == "draw" and not swapping)
    need(swapping or position.due <= 2, f"due is {position.due}: a scoring draws at most 2 cards")
    need((city is not None) == scoring, f"phase {phase} {'needs' if scoring else 'has no'} city")
    if city is not None:
        roots = [min(area) for area in position.cities]
        need(city in roots, f"city {city} is not the lowest space of a completed city")
    need(position.end in at.END_NAMES, f"end is {position.end!r}: one of {', '.join(box.ENDS)}")
    possible = _ENDS.get(phase, box.ENDS)
    if position.end and position.end not in possible:
        raise PositionError(f"in phase {phase} the game cannot have ended by {position.end}")
    if phase in ("final", "over"):
        need(bool(position.end), f"phase {phase} needs end, one of {', '.join(box.ENDS)}")
    if position.roll is not None:
        _check_roll(board, position)
    need(not (swapping and position.end), "after the end of the game nobody swaps")
    _check_supplies(position)


def _check_roll(board: Board, position: Position) -> None:
    """The tower die is rolled where an end is empty; towers are placed before houses."""
    assert position.line is not None
    assert position.roll is not None
    empty = [end for end in board.line_towers[position.line] if end not in position.towers]
    if position.phase == "towers":
        need(bool(empty), f"phase towers: line {position.line} has towers at both ends")
        need(position.roll[0] is not None, "phase towers: the tower die must have been rolled")
    elif not _out_of_towers(position):
        need(not empty, f"phase houses: line {position.line} still lacks a tower")


def _check_supplies(position: Position) -> None:
    """A supply that has run out has ended the game, by the placing that took the last piece."""
    phase, end = position.phase, position.end
    supplies = {
        "walls": (len(position.walls), box.WALLS),
        "towers": (len(position.towers), box.TOWERS),
        "houses": (sum(sum(counts) for counts in position.houses.values()), box.HOUSES),
        "palaces": (sum(sum(counts) for counts in position.palaces.values()), box.PALACES),
    }
    out = [name for name, (used, total) in supplies.items() if used == total]
    for name in out:
        all_of = f"all {supplies[name][1]} {name} are on the board"
        need(bool(end), f"{all_of}: the game has ended, end={name}")
        possible = name in _ENDS.get(phase, box.ENDS)
        need(possible, f"{all_of}: the last of them cannot have been placed before phase {phase}")
    # Pieces come back only with a city, and palaces never.
    if phase in (*BUILDING_PHASES, "final") and (out or end not in ("", "no-line")):
        need(out[:1] == [end], f"end is {end}, but the supply that ran out first is "
              f"{out[0] if out else 'none'}")  # fmt: skip
    if end == "palaces":
        need("palaces" in out, "end is palaces, but there are palaces left")


def _check_queue(position: Position) -> None:
    n = position.players
    clockwise = [(position.active + i) % n for i in range(n)]
    order = [seat for seat in clockwise if seat in position.queue]
    if position.queue and (tuple(order) != position.queue or order[0] != position.seat):
        raise PositionError("queue must begin with seat and go clockwise from the active seat")


def settle_position(board: Board, position: Position) -> Position:
    """A sound position with its cities worked out and their pieces on their lowest space.

    Raises PositionError naming the first fault.
    """
    _check_seats(position)
    _check_cards(position)
    _check_walls(board, position)
    cities = standing_cities(board, position)
    _check_pieces(board, position, cities)
    root = {space: min(city) for city in cities for space in city}

    def pooled(counts: dict[int, Counts]) -> dict[int, Counts]:
        pool: dict[int, Counts] = {}
        for space, count in sorted(counts.items()):
            key = root.get(space, space)
            a, b, c, d, e = pool.get(key, (0, 0, 0, 0, 0))
            pool[key] = (a + count[0], b + count[1], c + count[2], d + count[3], e + count[4])
        return {space: pool[space] for space in sorted(pool) if any(pool[space])}

    position = replace(
        position,
        cities=cities,
        houses=pooled(dict(position.houses)),
        palaces=pooled(dict(position.palaces)),
        hands=tuple(h or () if isinstance(h, int) else tuple(sorted(h)) for h in position.hands),
        discard=tuple(sorted(position.discard)),
        towers=dict(sorted(position.towers.items(), key=lambda item: (item[1], item[0]))),
    )
    _check_phase(board, position)
    _check_queue(position)
    return position


def settled_position(board: Board, position: object) -> Position:
    """`settle_position` of anything, also of a position whose fields are not what they must be.

    Raises PositionError.
    """
    sound = need_fields(position)
    try:
        return settle_position(board, sound)
    except (AttributeError, IndexError, KeyError, TypeError, OverflowError) as error:
        raise PositionError(f"this is no position of the board: {error}") from None


def need_fields(position: object) -> Position:
    """A position of which every field is made of what `Position` says. Raises PositionError."""
    if not isinstance(position, Position):
        raise PositionError(f"{shown(position)} is no position: give a Position")
    for name, value in vars(position).items():
        sort = _SORTS.get(name)
        if sort is not None and not _is_made_of(value, sort):
            raise PositionError(f"{name} is {shown(value)}: {_RIGHT[sort]}")
    return position


def _is_made_of(value: object, sort: str) -> bool:
    if sort == "number or None":
        return value is None or type(value) is int
    if sort == "number":
        return type(value) is int
    if sort == "text":
        return isinstance(value, str)
    if sort == "flag":
        return isinstance(value, bool)
    if sort == "hands":
        return isinstance(value, tuple) and all(
            type(hand) is int or _is_made_of(hand, "kinds") for hand in value
        )
    if sort == "kinds":
        return _is_made_of(value, "numbers") and all(
            0 <= kind < len(box.CARDS)
            for kind in value  # type: ignore[attr-defined]
        )
    if sort == "towers":
        return isinstance(value, Mapping) and all(
            type(place) is int and type(color) is int and 0 <= color < len(box.TOWER_COLORS)
            for place, color in value.items()
        )
    if sort == "counts":
        return isinstance(value, Mapping) and all(
            type(place) is int
            and _is_made_of(counts, "numbers")
            and len(counts) == len(box.HOUSE_COLORS)
            and min(counts) >= 0
            for place, counts in value.items()
        )
    if sort == "roll":
        return value is None or (isinstance(value, tuple) and _is_roll(value))
    return isinstance(value, tuple | frozenset) and all(type(item) is int for item in value)


def _is_roll(roll: tuple[object, ...]) -> bool:
    faces = (range(len(box.TOWER_COLORS)), range(len(box.HOUSE_DIE)), range(len(box.HOUSE_DIE)))
    return len(roll) == len(faces) and all(
        (die is None and face is faces[0]) or (type(die) is int and die in face)
        for die, face in zip(roll, faces, strict=True)
    )


def check_ready(state: at.State, board: Board, position: Position) -> None:
    """What a settled position waits for must be possible in its state. Raises PositionError."""
    if position.phase == "wall":
        lines = state[int(at.OPEN) : int(at.OPEN) + 4]
        need(bool(lines.any()), "no line is left for a wall: the game has ended, end=no-line")
    if position.end == "no-line":
        lines = state[int(at.OPEN) : int(at.OPEN) + 4]
        need(not lines.any(), "end is no-line, but there is a line for a wall")
    if position.phase == "draw":
        need(position.due > 0, "phase draw needs due, the number of cards to draw")
        need(position.deck_size > 0, "phase draw: no card is left to draw")
    if position.phase == "merge":
        own = next(city for city in position.cities if position.city in city)
        others = frozenset().union(*position.cities) - own
        shared = any(
            (first in own and second in others) or (second in own and first in others)
            for first, second in board.line_spaces
        )
        need(shared, f"phase merge: no other city shares a wall with the city of {position.city}")
