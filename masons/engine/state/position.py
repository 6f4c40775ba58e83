"""A position as plain Python data: the content of a packed state, with named fields.

A position is either complete or one seat's view of a game. In a view, each hand of the other seats
is only a number of cards. `unpack_state` converts a state to a position;
`masons.engine.state.derive` converts a position to a state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np

from masons.engine.board.board_picture import Picture
from masons.engine.board.components import (
    CARDS,
    HOUSE_COLORS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    TOWER_COLORS,
)
from masons.engine.checks import check_any_whole, shown, whole
from masons.engine.errors import PositionError
from masons.engine.state import layout
from masons.engine.state.packed_move import PHASE_NAMES

_FIRST_COPIES = int(layout.FIRST_COPIES)

Cards = tuple[int, ...]
Counts = tuple[int, int, int, int, int]

# A roll: the tower color (None if the tower die was not rolled) and two house dice (5 is the
# joker).
Roll = tuple[int | None, int, int]


@dataclass(frozen=True)
class Position:
    """Everything that decides how a game goes on, as numbers of lines, spaces, seats and cards.

    A position is plain data, a frozen dataclass: `dataclasses.replace(position, scores=(3, 0))`
    returns a changed one. The constructor checks only the number of players. Functions that take a
    position check it and raise PositionError. `masons.parse_position` reads a position from text.

    A kind of card is its index in `masons.CARDS`. Towers have the colors 0 white, 1 gray and 2
    black, and houses and palaces 0 red, 1 rose, 2 yellow, 3 green and 4 blue. A roll is the tower
    die (None if it was not rolled) and the two house dice, where 5 is the joker. `turn` counts from
    0; `active` is the seat whose turn it is.
    """

    players: int
    phase: str = "wall"
    turn: int = 0
    active: int = 0
    seat: int = 0  # the seat that decides or draws
    scores: tuple[int, ...] = ()  # the points of each seat
    hands: tuple[Cards | int, ...] = ()  # ascending kinds, or the number of cards of a hidden hand
    discard: Cards = ()  # the kinds of the cards face up
    walls: frozenset[int] = frozenset()  # their lines
    towers: Mapping[int, int] = field(default_factory=dict)  # tower space -> color
    houses: Mapping[int, Counts] = field(default_factory=dict)  # space -> number of each color
    palaces: Mapping[int, Counts] = field(default_factory=dict)  # lowest space of a city -> same
    cities: tuple[frozenset[int], ...] = ()  # completed cities, sorted by lowest space
    early_roll: bool = False  # the rule option is on
    rolled: bool = False  # an early roll was made in this turn
    line: int | None = None  # this turn's wall
    roll: Roll | None = None  # while towers or houses are still to be placed
    city: int | None = None  # lowest space of the city just completed, until it is scored
    due: int = 0  # cards that `seat` still draws
    queue: tuple[int, ...] = ()  # seats that may still swap, `seat` first
    end: str = ""  # reason for the end of the game, "" while it goes on

    def __post_init__(self) -> None:
        if type(self.players) is not int or not MIN_PLAYERS <= self.players <= MAX_PLAYERS:
            raise PositionError(
                f"players is {shown(self.players)}: it must be 2, 3 or 4; a position text is read "
                "by masons.Observation.from_text"
            )

    def observed_by(self, seat: int | None) -> Position:
        """Return the position as a seat sees it, with only the number of cards in every other hand.

        An empty hand stays an empty tuple, because it hides nothing. If `seat` is None, the result
        is the view of a spectator, who sees no hand. Raises PositionError for a seat that does not
        exist.
        """
        if seat is not None and whole(seat) not in range(len(self.hands)):
            raise PositionError(f"seat is {shown(seat)}: it must be from 0 to {self.players - 1}")
        hands = tuple(
            hand if s == seat or isinstance(hand, int) else len(hand) or ()
            for s, hand in enumerate(self.hands)
        )
        return replace(self, hands=hands)

    def dealt(self, seed: int | None = None) -> Position:
        """Return the position with a random card of the unseen cards for each hidden card.

        All deals are equally likely, so the hands are rarely the true ones. Equal values of `seed`
        give equal deals; None stands for a random seed. `masons.Game.from_position` continues from
        the result. Raises PositionError if more cards are hidden than unseen.
        """
        if seed is not None:
            seed = check_any_whole("seed", seed, "a whole number or None")
        if self.deck_size < 0:
            raise PositionError(f"hands hide more cards than the {len(self.unseen)} unseen ones")
        left = list(self.unseen)
        Random(seed).shuffle(left)
        hands = tuple(
            tuple(sorted(left.pop() for _ in range(hand))) if isinstance(hand, int) else hand
            for hand in self.hands
        )
        return replace(self, hands=hands)

    @property
    def is_complete(self) -> bool:
        """True if every hand is known."""
        return not any(isinstance(hand, int) for hand in self.hands)

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """The number of cards in each hand."""
        return tuple(hand if isinstance(hand, int) else len(hand) for hand in self.hands)

    @property
    def unseen(self) -> Cards:
        """The cards in hidden hands and in the deck, as kinds, ascending."""
        left = [2] * len(CARDS)
        for cards in (self.discard, *self.hands):
            for kind in () if isinstance(cards, int) else cards:
                left[kind] -= 1
        return tuple(kind for kind, count in enumerate(left) for _ in range(count))

    @property
    def deck_size(self) -> int:
        """The number of cards face down."""
        return len(self.unseen) - sum(hand for hand in self.hands if isinstance(hand, int))


def members(state: layout.State, base: int, words: int) -> list[int]:
    """Return the items of a bitset in ascending order.

    The bitset fills `words` words of the state, starting at word `base`.
    """
    packed = int.from_bytes(state[base : base + words].tobytes(), "little")
    values = []
    while packed:
        low = packed & -packed
        values.append(low.bit_length() - 1)
        packed ^= low
    return values


def standing_towers(state: layout.State) -> set[int]:
    """Return the tower spaces that carry a tower."""
    base = int(layout.TOWERS)
    return {t for c in range(len(TOWER_COLORS)) for t in members(state, base + 2 * c, 2)}


def kinds(cards: int) -> Cards:
    """Return the kinds (0 to 29) of a set of cards in ascending order.

    A kind occurs twice if the set has both copies.
    """
    return tuple(card // 2 for card in range(2 * len(CARDS)) if cards >> card & 1)


def kind_sets(cards: int) -> tuple[int, int]:
    """Return the kinds in a set of cards, and the kinds that the set holds twice.

    Each result is a set of cards, which contains the first copy of each of these kinds.
    """
    return (cards | cards >> 1) & _FIRST_COPIES, cards & cards >> 1 & _FIRST_COPIES


def one_of(cards: int, kind: int) -> int:
    """Return one card of a kind as a set of one card, or 0 if `cards` has no card of this kind."""
    both = cards & (3 << (2 * kind))
    return both & -both


def byte_in(state: layout.State, offset: int) -> int:
    """Return the byte of a state at a byte offset."""
    return int(state.view(np.uint8)[int(offset)])


def phase_of(state: layout.State) -> str:
    """Return the phase of a state, one of PHASE_NAMES."""
    return PHASE_NAMES[byte_in(state, layout.PHASE)]


def space_words(state: layout.State) -> list[int]:
    """Return the 32-bit words of 128 spaces, including those that the board does not have."""
    values: list[int] = state.view(np.uint32)[int(layout.SPACES_HALF) :][:128].tolist()
    return values


def houses_in(word: int) -> Counts:
    """Return the houses of each color in a space's word."""
    a, b, c, d, e = ((word >> (4 * color)) & 15 for color in range(len(HOUSE_COLORS)))
    return a, b, c, d, e


def palaces_in(word: int) -> Counts:
    """Return the palaces of each color in a space's word."""
    a, b, c, d, e = ((word >> (20 + 2 * color)) & 3 for color in range(len(HOUSE_COLORS)))
    return a, b, c, d, e


def cities_in(words: list[int]) -> tuple[frozenset[int], ...]:
    """Return the completed cities as sets of spaces, sorted by lowest space.

    `words` is the result of `space_words`.
    """
    areas: dict[int, set[int]] = {}
    for space, word in enumerate(words):
        if word & int(layout.IS_CITY | layout.IN_CITY):
            areas.setdefault(word & 255 if word & int(layout.IN_CITY) else space, set()).add(space)
    return tuple(frozenset(areas[root]) for root in sorted(areas))


def scores_in(state: layout.State, players: int) -> tuple[int, ...]:
    """Return the points of each seat."""
    packed = int(state[int(layout.SCORES)])
    return tuple((packed >> (16 * seat)) & 0xFFFF for seat in range(players))


def card_values(state: layout.State) -> list[int]:
    """Return the points of each kind of card for the city being scored, from a state's VALUES."""
    values: list[int] = state.view(np.uint8)[int(layout.VALUES_BYTE) :][: len(CARDS)].tolist()
    return values


def unpack_state(state: layout.State, hidden: tuple[int, ...] = ()) -> Position:
    """Return the position that a state (uint64[STATE_WORDS]) holds.

    A state can keep the cards of hidden hands in its deck. `hidden` then gives the number of such
    cards for each seat, and 0 for a seat whose hand the state holds.
    """
    b = state.view(np.uint8)
    players = int(b[int(layout.PLAYERS)])
    phase = PHASE_NAMES[b[int(layout.PHASE)]]
    words = space_words(state)
    cities = cities_in(words)
    houses = {
        space: houses_in(word)
        for space, word in enumerate(words)
        if not word & int(layout.IN_CITY) and word & int(layout.HOUSE_BITS)
    }
    palaces = {
        min(city): palaces_in(words[min(city)])
        for city in cities
        if any(palaces_in(words[min(city)]))
    }
    hands: list[Cards | int] = [kinds(int(state[int(layout.HANDS) + s])) for s in range(players)]
    for seat, size in enumerate(hidden):
        if size:
            hands[seat] = size
    active, seat = int(b[int(layout.ACTIVE)]), int(b[int(layout.SEAT)])
    queue = int(b[int(layout.QUEUE)])
    # `city` is set until every seat has scored the city just completed.
    is_scoring = phase in ("merge", "score") or (phase == "draw" and queue == 0)
    placed = phase in ("towers", "houses")
    die = int(b[int(layout.DIE)])
    return Position(
        players=players,
        phase=phase,
        turn=int(state[int(layout.TURN)]),
        active=active,
        seat=seat,
        scores=scores_in(state, players),
        hands=tuple(hands),
        discard=kinds(int(state[int(layout.DISCARD)])),
        walls=frozenset(members(state, int(layout.WALLS), 4)),
        towers={
            tower: color
            for color in range(len(TOWER_COLORS))
            for tower in members(state, int(layout.TOWERS) + 2 * color, 2)
        },
        houses=houses,
        palaces=palaces,
        cities=cities,
        early_roll=bool(b[int(layout.OPTIONS)] & int(layout.EARLY_ROLL_OPTION)),
        rolled=phase == "wall" and bool(b[int(layout.ROLLED)]),
        line=int(b[int(layout.LINE)]) if placed or phase == "roll" else None,
        roll=(
            (
                None if die == int(layout.NONE) else die,
                int(b[int(layout.DICE)]),
                int(b[int(layout.DICE) + 1]),
            )
            if placed
            else None
        ),
        city=int(b[int(layout.CITY)]) if is_scoring else None,
        due=int(b[int(layout.DUE)]) if phase == "draw" else 0,
        queue=tuple(s % players for s in range(seat, seat + players) if queue >> (s % players) & 1),
        end=layout.END_NAMES[b[int(layout.END)]],
    )


def picture_of(position: Position) -> Picture:
    """Return the pieces of a position for drawing, without the hands."""
    counting = [city for city in position.cities if position.city in city]
    return Picture(
        walls=sorted(position.walls),
        towers={place: TOWER_COLORS[color] for place, color in position.towers.items()},
        houses=_named(position.houses, HOUSE_COLORS),
        palaces=_named(position.palaces, HOUSE_COLORS),
        cities=tuple(tuple(sorted(city)) for city in position.cities),
        fresh=() if position.line is None else (position.line,),
        focus=tuple(sorted(space for city in counting for space in city)),
    )


def _named(where: Mapping[int, Counts], names: Sequence[str]) -> dict[int, dict[str, int]]:
    return {
        space: {name: count for name, count in zip(names, counts, strict=True) if count}
        for space, counts in where.items()
    }
