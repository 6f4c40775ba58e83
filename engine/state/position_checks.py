"""Checks of positions: field types, consistency, and whether a game can reach the position.

`check_fields` checks types. `settle_position` checks a position against the board and the box.
`check_ready` checks that the move or draw that is due is possible. `check_counts` checks the
numbers of pieces, cards and points. Each function raises PositionError for the first fault. The
module is plain Python. Some checks use `if` instead of `need`, because building the message would
take longer than the check.
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

# A state has 16 bits for a score; this limit leaves room for all points that can still be scored.
MAX_SCORE: Final = 9999

_BUILDING: Final = ("roll", "towers", "houses")  # the wall stands, its city is not completed yet
_NO_PIECES: Final = (0,) * len(box.HOUSE_COLORS)
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
    left = set(range(len(board.space_lines)))
    while left:
        area, todo, is_closed = {min(left)}, [min(left)], True
        while todo:
            for line in board.space_lines[todo.pop()]:
                for space in board.line_spaces[line] if line not in walls else ():
                    if space is None:
                        is_closed = False
                    elif space not in area:
                        area.add(space)
                        todo.append(space)
        left -= area
        if is_closed:
            areas.append(frozenset(area))
    return tuple(areas)


def _standing_walls(position: Position) -> frozenset[int]:
    """Return the walls, except this turn's wall while its towers or houses are being placed."""
    new = {position.line} if position.phase in _BUILDING else set()
    return frozenset(position.walls) - new


def standing_cities(board: Board, position: Position) -> tuple[frozenset[int], ...]:
    """Return the completed cities as sets of spaces, sorted by lowest space.

    The area enclosed by this turn's wall counts only after the turn's houses are placed.
    """
    return enclosed_areas(board, _standing_walls(position))


# ---- types


def _is_number(value: object, bound: int | None = None) -> bool:
    return type(value) is int and (bound is None or 0 <= value < bound)


def _are_numbers(value: object, bound: int | None = None, size: int | None = None) -> bool:
    return (
        isinstance(value, tuple | frozenset)
        and size in (None, len(value))
        and all(_is_number(item, bound) for item in value)
    )


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


def _are_towers(value: object) -> bool:
    return _are_placed(value, lambda color: _is_number(color, len(box.TOWER_COLORS)))


def _is_roll(value: object) -> bool:
    if not isinstance(value, tuple) or len(value) != 3:
        return value is None
    is_color = value[0] is None or _is_number(value[0], len(box.TOWER_COLORS))
    return is_color and _are_numbers(value[1:], len(box.HOUSE_DIE))


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
    ("towers", _are_towers, "a mapping of tower spaces to colors, from 0 to 2"),
    ("roll", _is_roll, "None, or a tower color (or None) and two house dice"),
)


def check_fields(position: object) -> Position:
    """Return a position after checking that every field has the type that `Position` names.

    Raises PositionError for any other type, and for anything that is not a Position.
    """
    if not isinstance(position, Position):
        raise PositionError(f"{shown(position)} is not a position: give a Position")
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
                pool[key] = tuple(map(sum, zip(pool.get(key, _NO_PIECES), counts, strict=True)))
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
    clockwise = tuple(seat for seat in _clockwise(settled) if seat in settled.queue)
    if settled.queue and (clockwise != settled.queue or clockwise[0] != settled.seat):
        raise PositionError("queue must begin with seat and go clockwise from the active seat")
    return settled


def _clockwise(position: Position) -> list[int]:
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
    is_own = position.seat == position.active or phase not in ("wall", *_BUILDING, "merge")
    need(is_own, f"in phase {phase} seat must be active")
    may_have_rolled = position.early_roll and phase == "wall"
    right = "rolled needs options=early_roll and phase=wall"
    need(may_have_rolled or not position.rolled, right)


def _check_cards(position: Position) -> None:
    known = [hand for hand in position.hands if not isinstance(hand, int)]
    cards = [kind for pile in (position.discard, *known) for kind in pile]
    for kind, name in enumerate(box.CARDS):
        number = cards.count(kind)
        need(number <= 2, f"{name} occurs {number} times: there are two of each card")
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
    if line is not None and position.phase in _BUILDING:
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
            if set(board.line_spaces[line]) <= city:
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

    goes_with("line", position.line, phase in _BUILDING)
    goes_with("roll", roll, phase in ("towers", "houses"))
    need(due == 0 or phase == "draw", f"phase {phase} has no due")
    need(0 <= due <= 60, "due must be from 1 to 60")
    need(bool(position.queue) == is_swapping, "queue is only for phase=swap and its draws")
    need(is_swapping or due <= 2, f"due is {due}: a scoring draws at most 2 cards")
    goes_with("city", city, is_scoring)
    is_root = city is None or city in map(min, position.cities)
    need(is_root, f"city {city} is not the lowest space of a completed city")
    ends = ", ".join(box.ENDS)
    need(end in at.END_NAMES, f"end is {end!r}: one of {ends}")
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
    """Check that the game has ended if a supply is empty, in a phase that can empty it."""
    phase, end = position.phase, position.end
    used = {
        "walls": (len(position.walls), box.WALLS),
        "towers": (len(position.towers), box.TOWERS),
        "houses": (_number(position.houses), box.HOUSES),
        "palaces": (_number(position.palaces), box.PALACES),
    }
    out = [name for name, (number, total) in used.items() if number == total]
    for name in out:
        all_of = f"all {used[name][1]} {name} are on the board"
        need(bool(end), f"{all_of}: the game has ended, end={name}")
        may_be = name in _ENDS[phase]
        need(may_be, f"{all_of}: the last of them cannot have been placed before phase {phase}")
    # Pieces return to the supply only when a city is completed, and palaces never return.
    if phase in (*_BUILDING, "final") and (out or end not in ("", "no-line")):
        first = out[0] if out else "none"
        need(first == end, f"end is {end}, but the supply that ran out first is {first}")
    is_out = end != "palaces" or "palaces" in out
    need(is_out, "end is palaces, but there are palaces left")


def _number(pieces: Mapping[int, Counts]) -> int:
    return sum(map(sum, pieces.values()))


def check_ready(state: at.State, board: Board, position: Position) -> None:
    """Check that the move or draw that a settled position waits for is possible in its state.

    Raises PositionError if the move or draw is impossible.
    """
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
        is_shared = any(new & set(pair) and others & set(pair) for pair in board.line_spaces)
        need(
            is_shared, f"phase merge: no other city shares a wall with the city of {position.city}"
        )


# ---- counting: walls and houses give the number of turns, cities the number of scorings


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
    """Return whether `root` is the city just completed, before its merge and its palaces."""
    return position.phase == "merge" and position.city == root


def _count_cities(board: Board, position: Position) -> list[_City]:
    """Return the history of each completed city.

    Each wall brought a house to each of its sides, and two houses became one palace. In the last
    turn, one house may be missing if all houses were already on the board. Raises PositionError if
    the houses do not fit the walls.
    """
    all_houses = _number(position.houses) + 2 * _number(position.palaces)
    may_lack = position.end in ("walls", "towers", "houses") and position.phase not in _BUILDING
    spare = int(may_lack and all_houses >= box.HOUSES)
    walls = _standing_walls(position)
    inside = frozenset().union(*position.cities)
    for space, lines in enumerate(board.space_lines):
        have = sum(position.houses.get(space, _NO_PIECES))
        due = len(walls.intersection(lines))
        if space in inside:
            continue
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
        inner = sum(set(board.line_spaces[line]) <= city for line in lines_of)
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
            stand, all_of = _number(position.houses), box.HOUSES
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
    and `a` abstentions, a hand has 6 - q + a cards. Its seat has then played p + 2q = k + 6 - hand
    cards, or fewer if the deck ran out. Each turn completes at most one city.
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
    # Scoring j can discard at most 7 + j cards: one by abstaining with 5 + j cards, and then all
    # 6 + j in a swap. It can draw one card more than that.
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
    clockwise = _clockwise(position)
    due = [s for s in clockwise[clockwise.index(seat) :] if position.scores[s] == last]
    seats = ",".join(map(str, due))
    right = f"queue must be {seats}: the seats in last place that have not swapped"
    need(tuple(due) == position.queue, right)
