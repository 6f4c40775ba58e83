"""Checks of positions: the types of the fields, and consistency with the board and the box.

`check_fields` checks types. `settle_position` checks a position against the board and the box.
`position_counts` checks whether a game can reach the position. Each function raises PositionError
for the first fault. The module is plain Python. Some checks use `if` instead of `need`, because
building the message would take longer than the check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from masons.engine.board import components as box
from masons.engine.board.geometry import Board
from masons.engine.checks import shown
from masons.engine.errors import PositionError
from masons.engine.state import layout
from masons.engine.state.packed_move import PHASE_NAMES
from masons.engine.state.position import Counts, Position

# A state has 16 bits for a score; this limit leaves room for all points that can still be scored.
MAX_SCORE: Final = 9999

BUILDING: Final = ("roll", "towers", "houses")  # the wall stands, its city is not completed yet
# For each phase of the last turn, the reasons that can already have ended the game. In the phase
# "over", every reason is possible.
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
    """Raise PositionError with a message unless a condition holds."""
    if not condition:
        raise PositionError(message)


# ---- areas inside walls; for kernels, the module `areas` finds one area at a time


def enclosed_areas(board: Board, walls: Collection[int]) -> tuple[frozenset[int], ...]:
    """Return the areas that walls cut off from the edge of the board, sorted by lowest space."""
    areas = []
    seen: set[int] = set()
    for start in range(len(board.space_lines)):
        if start in seen:
            continue
        area, todo, is_closed = {start}, [start], True
        while todo:
            space = todo.pop()
            for line in board.space_lines[space]:
                if line not in walls:
                    first, second = board.line_spaces[line]
                    beside = second if first == space else first
                    if beside is None:
                        is_closed = False
                    elif beside not in area:
                        area.add(beside)
                        todo.append(beside)
        seen |= area
        if is_closed:
            areas.append(frozenset(area))
    return tuple(areas)


def standing_walls(position: Position) -> frozenset[int]:
    """Return the walls, except this turn's wall while its towers or houses are being placed."""
    new = {position.line} if position.phase in BUILDING else set()
    return frozenset(position.walls) - new


def standing_cities(board: Board, position: Position) -> tuple[frozenset[int], ...]:
    """Return the completed cities as sets of spaces, sorted by lowest space.

    The area enclosed by this turn's wall counts only after the turn's houses are placed.
    """
    return enclosed_areas(board, standing_walls(position))


# ---- types


def _is_number(value: object, bound: int | None = None) -> bool:
    return type(value) is int and (bound is None or 0 <= value < bound)


def _are_numbers(value: object, bound: int | None = None, size: int | None = None) -> bool:
    if not isinstance(value, tuple | frozenset) or size not in (None, len(value)):
        return False
    for item in value:  # `all` and `_is_number` would take twice as long
        if type(item) is not int or (bound is not None and not 0 <= item < bound):
            return False
    return True


def _are_placed(value: object, fits: Callable[[object], bool]) -> bool:
    return (
        isinstance(value, Mapping)
        and all(map(_is_number, value))
        and all(map(fits, value.values()))
    )


def _are_hands(value: object) -> bool:
    return isinstance(value, tuple) and all(
        _is_number(x) or _are_numbers(x, box.KINDS) for x in value
    )


def _is_color(value: object) -> bool:
    return _is_number(value, len(box.TOWER_COLORS))


def _is_roll(value: object) -> bool:
    if not isinstance(value, tuple) or len(value) != 3:
        return value is None
    may_be = value[0] is None or _is_color(value[0])
    return may_be and _are_numbers(value[1:], len(box.HOUSE_DIE))


_WHOLE: Final = "a whole number"
_PIECES: Final = "a mapping of spaces to five counts, one a color"
# Fields of a position, a test of their type, and the name of the type in messages. `cities` is
# missing here, because `settle_position` computes it.
_FIELDS: Final[tuple[tuple[str, Callable[[Any], bool], str], ...]] = (
    ("players turn active seat due", _is_number, _WHOLE),
    ("scores walls queue", _are_numbers, "whole numbers in a tuple or a frozenset"),
    ("line city", lambda x: x is None or _is_number(x), f"{_WHOLE} or None"),
    ("phase end", lambda x: isinstance(x, str), "a text"),
    ("early_roll rolled", lambda x: isinstance(x, bool), "True or False"),
    ("houses palaces", lambda x: _are_placed(x, lambda n: _are_numbers(n, 61, 5)), _PIECES),
    ("hands", _are_hands, "a tuple of hands: kinds of cards in a tuple, or how many are hidden"),
    ("discard", lambda x: _are_numbers(x, box.KINDS), "a tuple of kinds of cards, from 0 to 29"),
    (
        "towers",
        lambda x: _are_placed(x, _is_color),
        "a mapping of tower spaces to colors, from 0 to 2",
    ),
    ("roll", _is_roll, "None, or a tower color (or None) and two house dice"),
)


def check_fields(position: object) -> Position:
    """Return a position after checking that every field has the type that `Position` names.

    Raises PositionError for any other type, and for anything that is not a Position.
    """
    if not isinstance(position, Position):
        raise PositionError(
            f"{shown(position)} is not a Position: give one like game.position or view.position"
        )
    for names, has_type, right in _FIELDS:
        for name in names.split():
            if not has_type(value := getattr(position, name)):
                raise PositionError(f"{name} is {shown(value)}: it must be {right}")
    return position


# ---- the board and the box


def settle_position(board: Board, position: object) -> Position:
    """Return a checked position in normal form.

    In normal form, `cities` is computed from the walls, all pieces of a completed city are counted
    on its lowest space, and cards and pieces are sorted. Raises PositionError for the first fault.
    """
    sound = check_fields(position)
    _check_seats(sound)
    _check_cards(sound)
    _check_walls(board, sound)
    cities = standing_cities(board, sound)
    _check_pieces(board, sound, cities)
    root = {space: min(city) for city in cities for space in city}

    def pooled(pieces: Mapping[int, Counts]) -> dict[int, Any]:
        pool: dict[int, Any] = {}
        for space, counts in pieces.items():
            if any(counts):
                key = root.get(space, space)
                if key in pool:
                    pool[key] = tuple(map(sum, zip(pool[key], counts, strict=True)))
                else:
                    pool[key] = tuple(counts)
        return dict(sorted(pool.items()))

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
    clockwise = tuple(seat for seat in clockwise_seats(settled) if seat in settled.queue)
    if settled.queue and (clockwise != settled.queue or clockwise[0] != settled.seat):
        raise PositionError("queue must begin with seat and go clockwise from the active seat")
    return settled


def clockwise_seats(position: Position) -> list[int]:
    """Return all seats clockwise, beginning with the active seat."""
    return [(position.active + i) % position.players for i in range(position.players)]


def _check_seats(position: Position) -> None:
    n, phase = position.players, position.phase
    need(box.MIN_PLAYERS <= n <= box.MAX_PLAYERS, f"players is {n}: it must be 2, 3 or 4")
    need(phase in PHASE_NAMES, f"phase is {phase!r}: one of {', '.join(PHASE_NAMES)}")
    for name, seat in (("active", position.active), ("seat", position.seat)):
        need(0 <= seat < n, f"{name} is {seat}: it must be a seat from 0 to {n - 1}")
    need(len(position.scores) == n, f"scores needs {n} numbers, one a seat")
    need(all(0 <= s <= MAX_SCORE for s in position.scores), f"scores must be from 0 to {MAX_SCORE}")
    need(len(position.hands) == n, f"hands needs {n} hands, one a seat")
    need(0 <= position.turn < 1 << 32, "turn must be from 0 to 4294967295")
    is_own = position.seat == position.active or phase not in ("wall", *BUILDING, "merge")
    need(is_own, f"in phase {phase} seat must be active")
    may_have_rolled = position.early_roll and phase == "wall"
    right = "rolled needs options=early_roll and phase=wall"
    need(may_have_rolled or not position.rolled, right)


def _check_cards(position: Position) -> None:
    known = [hand for hand in position.hands if not isinstance(hand, int)]
    cards = [kind for pile in (position.discard, *known) for kind in pile]
    for kind, number in sorted(Counter(cards).items()):
        need(number <= 2, f"{box.CARDS[kind]} occurs {number} times: there are two of each card")
    need(position.deck_size >= 0, "the hands hold more cards than there are: 60 with the discards")
    for seat, size in enumerate(position.hand_sizes):
        is_drawing = position.phase == "draw" and seat == position.seat
        may_be_empty = is_drawing or position.phase in ("final", "over")
        need(size > 0 or may_be_empty, f"the hand of seat {seat} is empty: a hand never is")


def _check_walls(board: Board, position: Position) -> None:
    lines, spots, line = len(board.line_towers), len(board.tower_xy), position.line
    for wall in position.walls:
        need(0 <= wall < lines, f"wall {wall} is not on the board: lines go from 0 to {lines - 1}")
    need(len(position.walls) <= box.WALLS, f"more than {box.WALLS} walls")
    for tower in position.towers:
        need(0 <= tower < spots, f"tower space {tower} is not on the board: 0 to {spots - 1}")
    ends = {end for wall in position.walls for end in board.line_towers[wall]}
    for tower in position.towers:
        need(tower in ends, f"the tower on {tower} stands at the end of no wall")
    missing = ends - set(position.towers)
    may_miss: set[int] = set()
    if line is not None and position.phase in BUILDING:
        need(line in position.walls, f"line {line} carries no wall")
        may_miss = set(board.line_towers[line]) if position.phase != "houses" else set()
    if _is_out_of_towers(position) and len(missing) == 1:
        may_miss = missing
    for tower in sorted(missing - may_miss):
        raise PositionError(f"a wall ends at tower space {tower}, but no tower stands there")
    for color, name in enumerate(box.TOWER_COLORS):
        number = list(position.towers.values()).count(color)
        need(number <= box.TOWERS_PER_COLOR, f"more than {box.TOWERS_PER_COLOR} {name} towers")


def _is_out_of_towers(position: Position) -> bool:
    """Return whether this turn used up the towers, so that one end may lack a tower."""
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
        for kind, pieces, most in (
            ("houses", position.houses, box.HOUSES_PER_COLOR),
            ("palaces", position.palaces, box.PALACES_PER_COLOR),
        ):
            number = sum(counts[color] for counts in pieces.values())
            need(number <= most, f"more than {most} {name} {kind}")
    for city in cities:
        for line in position.walls:
            if city.issuperset(board.line_spaces[line]):
                raise PositionError(f"wall {line} lies inside the city of space {min(city)}")


def _check_phase(board: Board, position: Position) -> None:
    """Check that the fields for certain phases are set in these phases and in no others."""
    phase, city, end, due, roll = (
        position.phase, position.city, position.end, position.due, position.roll
    )  # fmt: skip
    is_swapping = phase == "swap" or (phase == "draw" and bool(position.queue))
    is_scoring = phase in ("merge", "score") or (phase == "draw" and not is_swapping)

    def goes_with(field: str, value: object, is_needed: bool) -> None:
        right = "needs" if is_needed else "has no"
        need((value is not None) == is_needed, f"phase {phase} {right} {field}")

    goes_with("line", position.line, phase in BUILDING)
    goes_with("roll", roll, phase in ("towers", "houses"))
    need(due == 0 or phase == "draw", f"phase {phase} has no due")
    need(0 <= due <= 60, "due must be from 1 to 60")
    need(bool(position.queue) == is_swapping, "queue is only for phase=swap and its draws")
    need(is_swapping or due <= 2, f"due is {due}: a scoring draws at most 2 cards")
    goes_with("city", city, is_scoring)
    is_root = city is None or city in map(min, position.cities)
    need(is_root, f"city {city} is not the lowest space of a completed city")
    ends = ", ".join(box.ENDS)
    need(end in layout.END_NAMES, f"end is {end!r}: one of {ends}")
    may_be = not end or end in _ENDS[phase]
    need(may_be, f"in phase {phase} the game cannot have ended by {end}")
    need(bool(end) or phase not in ("final", "over"), f"phase {phase} needs end, one of {ends}")
    if roll is not None and position.line is not None:
        # The tower die is rolled if an end of the wall has no tower; towers come before houses.
        is_free = not set(board.line_towers[position.line]) <= set(position.towers)
        if phase == "towers":
            need(is_free, f"phase towers: line {position.line} has towers at both ends")
            need(roll[0] is not None, "phase towers: the tower die must have been rolled")
        elif not _is_out_of_towers(position):
            need(not is_free, f"phase houses: line {position.line} still lacks a tower")
    need(not (is_swapping and end), "nobody swaps after the end of the game")


def _check_supplies(position: Position) -> None:
    """Check that each empty supply can have run out before this phase, and that `end` fits it."""
    phase, end = position.phase, position.end
    used = {
        "walls": (len(position.walls), box.WALLS),
        "towers": (len(position.towers), box.TOWERS),
        "houses": (number_of_pieces(position.houses), box.HOUSES),
        "palaces": (number_of_pieces(position.palaces), box.PALACES),
    }
    out = [name for name, (number, total) in used.items() if number == total]
    for name in out:
        all_of = f"all {used[name][1]} {name} are on the board"
        need(bool(end), f"{all_of}: the game has ended, end={name}")
        may_be = name in _ENDS[phase]
        need(may_be, f"{all_of}: the last of them cannot have been placed before phase {phase}")
    # Pieces return to the supply only when a city is completed, and palaces never return.
    if phase in (*BUILDING, "final") and (out or end not in ("", "no-line")):
        first = out[0] if out else "none"
        need(first == end, f"end is {end}, but the supply that ran out first is {first}")
    is_out = end != "palaces" or "palaces" in out
    need(is_out, "end is palaces, but there are palaces left")


def number_of_pieces(pieces: Mapping[int, Counts]) -> int:
    """Return the number of houses or palaces on all spaces."""
    return sum(map(sum, pieces.values()))
