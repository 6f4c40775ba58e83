#!/usr/bin/env python3
"""A player of Masons that moves at random, written only from docs/protocol.md and the rules.

The program uses only Python's standard library and nothing from Masons Engine, so it can serve as a
model for engines in any language. It does not follow the events of a game, because the `position`
before every `go` contains everything it needs.

    masons-engine compliance python examples/plain_random.py
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import chain, combinations, pairwise, product
from typing import Any, NamedTuple

TOWER_COLORS = ("white", "gray", "black")
HOUSE_COLORS = ("red", "rose", "yellow", "green", "blue")
CARDS = (
    *(f"city-size-{size}" for size in (1, 2, 3, 7)),
    "city-colors",
    *(f"city-towers-{color}" for color in TOWER_COLORS),
    "city-palaces",
    *(f"city-{color}" for color in HOUSE_COLORS),
    "city-towers",
    *(f"land-{color}" for color in HOUSE_COLORS),
    *(f"land-region-{region}" for region in (1, 2, 3)),
    "land-towers",
    *(f"land-towers-{color}" for color in TOWER_COLORS),
    "land-shore", "land-walls", "cities",
)  # fmt: skip
TOWERS_EACH, HOUSES_EACH, PALACES_EACH, WALLS = 10, 12, 3, 33
FIELDS = {
    "board", "players", "options", "turn", "active", "phase", "seat", "end", "rolled", "line",
    "roll", "city", "due", "queue", "scores", "hands", "discard", "walls", "towers", "houses",
    "palaces",
}  # fmt: skip
DECISIONS = ("wall", "towers", "houses", "merge", "score", "swap", "final")
PHASES = (*DECISIONS, "roll", "draw", "over")
MAX_LINE = 1 << 20
OTHER_SPACE = re.compile(r"[^\S \t]")  # white space that does not separate words
MOST_MOVES = 10_000


class Refusal(Exception):  # noqa: N818
    """An error of a command, with the code and the text of the `error` line that reports it."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


# --- the board


class Board(NamedTuple):
    """A board: the numbers of the spaces and tower spaces that each line touches."""

    name: str
    line_spaces: list[list[int]]  # [line]: one or two spaces
    line_towers: list[tuple[int, int]]  # [line]: two tower spaces
    spaces: int  # the number of spaces
    towers: int  # the number of tower spaces

    @classmethod
    def of_data(cls, data: dict[str, Any]) -> Board:
        """Return the board described by the JSON that `masons-engine board NAME --json` prints."""
        beside = [[s for s in line["spaces"] if s is not None] for line in data["lines"]]
        ends = [(min(line["towers"]), max(line["towers"])) for line in data["lines"]]
        return cls(data["name"], beside, ends, len(data["spaces"]), len(data["towers"]))


def classic_board() -> Board:
    """Return the classic board.

    The board has nine rows with 7, 8, 7, ... tower spaces, and triangles between the rows.
    """
    rows = [[(x + (count == 7) / 2, y) for x in range(count)]
            for y, count in enumerate([7, 8] * 4 + [7])]  # fmt: skip
    number = {place: i for i, place in enumerate(place for row in rows for place in row)}
    triangles = []
    for above, below in pairwise(rows):
        corners = [(x + 0.5, (x, y), (x + 1, y), (x + 0.5, other))
                   for row, other in ((above, below[0][1]), (below, above[0][1]))
                   for x, y in row]  # fmt: skip
        triangles += [
            sorted(number[place] for place in three)
            for _, *three in sorted(corners)
            if all(place in number for place in three)
        ]
    pairs = sorted({pair for triangle in triangles for pair in combinations(triangle, 2)})
    beside = [[s for s, triangle in enumerate(triangles) if set(pair) <= set(triangle)]
              for pair in pairs]  # fmt: skip
    return Board("classic", beside, pairs, len(triangles), len(number))


def load_board(name: str) -> Board:
    """Return the classic board or the board in a file. Raises Refusal for an unreadable file."""
    if name == "classic":
        return classic_board()
    try:
        with open(name, encoding="utf-8") as file:  # noqa: PTH123
            return Board.of_data(json.load(file))
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise Refusal("illegal", f"board {name} cannot be read: {error}") from None


# --- a position (docs/position.md)


def numbers(text: str, limit: int) -> list[int]:
    """Return numbers joined by commas. Raises ValueError if a number is not below `limit`."""
    values = [int(part) for part in text.split(",")] if text else []
    if not all(0 <= n < limit for n in values):
        raise ValueError(f"{text}: a number is too high")
    return values


def groups(text: str, colors: tuple[str, ...], limit: int) -> dict[int, Counter[str]]:
    """Return the pieces in a text such as `red:23,89*2;blue:76`, by place and color."""
    pieces: dict[int, Counter[str]] = {}
    for group in text.split(";") if text else ():
        color, _, items = group.partition(":")
        if color not in colors:
            raise ValueError(f"{color} is no color")
        for item in items.split(","):
            place, _, count = item.partition("*")
            pieces.setdefault(numbers(place, limit)[0], Counter())[color] += int(count or 1)
    return pieces


def cards_of(text: str) -> list[str]:
    """Return the cards of a hand written as `cities+land-red`, or as `-` if the hand is empty."""
    cards = [] if text == "-" else text.split("+")
    if not set(cards) <= set(CARDS):
        raise ValueError(f"{text}: no such card")
    return cards


class Position:
    """The part of a position that determines the legal moves. A new object has no pieces yet."""

    def __init__(self, board: Board, players: int) -> None:
        self.board = board
        self.players = players
        self.early_roll = self.rolled = False
        self.phase, self.end = "wall", ""
        self.seat = 0
        self.scores = [0] * players
        self.hands: list[list[str] | int] = [0] * players
        self.discard: list[str] = []
        self.walls: set[int] = set()
        self.towers: dict[int, str] = {}
        self.houses: dict[int, Counter[str]] = {}
        self.palaces: dict[int, Counter[str]] = {}
        self.cities: list[set[int]] = []
        self.line = self.city = -1
        self.roll: list[str] = []

    @classmethod
    def parse(cls, text: str, board: Board) -> Position:
        """Parse the text of a position. Raises ValueError or LookupError if the text is wrong."""
        first, *words = text.split()
        field = dict(word.split("=", 1) for word in words)
        if first != "masons1" or len(field) != len(words) or not set(field) <= FIELDS:
            raise ValueError("an unknown or repeated field")
        if field["board"] != board.name or field["phase"] not in PHASES:
            raise ValueError("another board, or no such phase")
        at = cls(board, int(field["players"]))
        at.early_roll = field.get("options") == "early_roll"
        at.rolled = field.get("rolled") == "1"
        at.phase, at.end = field["phase"], field.get("end", "")
        at.seat = int(field.get("seat", field["active"]))
        if "scores" in field:
            at.scores = [int(n) for n in field["scores"].split(",")]
        at.hands = [
            int(hand[1:]) if hand.startswith("?") else cards_of(hand)
            for hand in field["hands"].split("/")
        ]
        at.discard = cards_of(field.get("discard", "-"))
        at.walls = set(numbers(field.get("walls", ""), len(board.line_towers)))
        towers = groups(field.get("towers", ""), TOWER_COLORS, board.towers)
        at.towers = {place: color for place, colors in towers.items() for color in colors}
        at.houses = groups(field.get("houses", ""), HOUSE_COLORS, board.spaces)
        at.palaces = groups(field.get("palaces", ""), HOUSE_COLORS, board.spaces)
        if "line" in field:
            at.line = numbers(field["line"], len(board.line_towers))[0]
        at.roll = field["roll"].split("/") if "roll" in field else []
        at.city = int(field.get("city", -1))
        at.cities = find_cities(board, at.walls)
        at._check(towers)
        return at

    def _check(self, towers: dict[int, Counter[str]]) -> None:
        """Raise ValueError if the position is plainly impossible.

        A random player needs no further checks.
        """
        seen: Counter[str] = Counter()
        for hand in (*self.hands, self.discard):
            seen.update(() if isinstance(hand, int) else hand)
        ends = {end for line in self.walls for end in self.board.line_towers[line]}
        sound = (
            self.players == len(self.hands) == len(self.scores)
            and 2 <= self.players <= 4
            and self.seat in range(self.players)
            and len(self.walls) <= WALLS
            and all(count <= 2 for count in seen.values())
            and all(sum(colors.values()) == 1 for colors in towers.values())
            and set(self.towers) <= ends
            and all(left >= 0 for left in self.tower_supply().values())
            and all(left >= 0 for left in self.house_supply().values())
            and max(sum(self.palaces.values(), Counter()).values(), default=0) <= PALACES_EACH
            and (self.line in self.walls) == (self.phase in ("roll", "towers", "houses"))
            and (len(self.roll) == 3 or self.phase not in ("towers", "houses"))
            and (self.phase not in ("merge", "score") or self.city in map(min, self.cities))
            and all(any(space in city for city in self.cities) for space in self.palaces)
        )
        if not sound:
            raise ValueError("no game can come to this")

    def tower_supply(self) -> Counter[str]:
        """Return the number of towers of each color that are left."""
        standing = Counter(self.towers.values())
        return Counter({color: TOWERS_EACH - standing[color] for color in TOWER_COLORS})

    def house_supply(self) -> Counter[str]:
        """Return the number of houses of each color that are left."""
        standing: Counter[str] = sum(self.houses.values(), Counter())
        return Counter({color: HOUSES_EACH - standing[color] for color in HOUSE_COLORS})


def find_cities(board: Board, walls: set[int]) -> list[set[int]]:
    """Return the areas that walls cut off from the edge of the board, found by flood fill."""
    ways: dict[int, list[int]] = {space: [] for space in range(board.spaces)}
    open_to_edge = set()
    for line, beside in enumerate(board.line_spaces):
        if line not in walls and len(beside) == 1:
            open_to_edge.add(beside[0])
        elif line not in walls:
            ways[beside[0]].append(beside[1])
            ways[beside[1]].append(beside[0])
    cities, seen = [], set()
    for start in range(board.spaces):
        if start in seen:
            continue
        area, border = {start}, [start]
        while border:
            new = set(ways[border.pop()]) - area
            area |= new
            border += new
        seen |= area
        if not area & open_to_edge:
            cities.append(area)
    return cities


# --- what may be placed


def in_supply(supply: Counter[str], die: str) -> list[str]:
    """Return the colors that a die allows.

    They are the color that the die shows, or all colors in the supply if the die shows `?` or its
    color has run out.
    """
    return [die] if supply[die] > 0 else [color for color, left in supply.items() if left > 0]


Outcome = tuple[tuple[int, str], ...]  # the places and colors of the pieces placed


def placings(supply: Counter[str], places: list[int], dice: list[str]) -> set[Outcome]:
    """Return the ways to place the pieces of two dice, one at each place, in either order.

    An outcome is a sorted tuple of places with their colors. The first die takes its piece from the
    supply before the second die. If there is only one place, or only one piece in the supply, only
    the piece of the first die is placed.
    """
    if sum(supply.values()) == 1 or len(places) == 1:
        colors = in_supply(supply, dice[0])
        return {((place, color),) for place in places for color in colors}
    outcomes = set()
    for first, second in (places, places[::-1]):
        for color in in_supply(supply, dice[0]):
            left = supply - Counter([color])
            outcomes |= {tuple(sorted([(first, color), (second, other)]))
                         for other in in_supply(left, dice[1])}  # fmt: skip
    return outcomes


def placing_moves(word: str, outcomes: set[Outcome]) -> list[str]:
    """Return outcomes in the notation of moves."""
    return [f"{word}:" + ",".join(f"{place}={color}" for place, color in put)
            for put in sorted(outcomes)]  # fmt: skip


def wall_moves(at: Position) -> list[str]:
    """Return a wall on each empty line outside cities, and the early roll if it is allowed."""
    inside = set().union(*at.cities)
    moves = [
        f"wall:{line}"
        for line, beside in enumerate(at.board.line_spaces)
        if line not in at.walls and not inside & set(beside)
    ]
    return moves + (["early-roll"] if moves and at.early_roll and not at.rolled else [])


def tower_moves(at: Position) -> list[str]:
    """Return all placings of towers: the rolled color at one end, any color at a second end."""
    ends = [end for end in sorted(at.board.line_towers[at.line]) if end not in at.towers]
    return placing_moves("towers", placings(at.tower_supply(), ends, [at.roll[0], "?"]))


def house_moves(at: Position) -> list[str]:
    """Return all placings of one house on each space beside the wall.

    If there is only one space, it gets the house of one of the dice.
    """
    spaces = sorted(at.board.line_spaces[at.line])
    dice = at.roll[1:]
    supply = at.house_supply()
    outcomes = placings(supply, spaces, dice) | placings(supply, spaces, dice[::-1])
    return placing_moves("houses", outcomes)


def merge_moves(at: Position) -> list[str]:
    """Return a merge with each city that shares a wall with the new city, and `merge:none`."""
    new = next(city for city in at.cities if min(city) == at.city)
    beside = {s for line in at.walls if new & set(at.board.line_spaces[line])
              for s in at.board.line_spaces[line]}  # fmt: skip
    others = [min(city) for city in at.cities if city is not new and city & beside]
    return [f"merge:{root}" for root in sorted(others)] + ["merge:none"]


# --- cards


def one_or_two(hand: list[str]) -> list[tuple[str, ...]]:
    """Return each distinct card and each distinct pair of cards; a pair is in CARDS order."""
    cards = sorted(hand, key=CARDS.index)
    return sorted({*combinations(cards, 1), *combinations(cards, 2)})


def score_moves(hand: list[str]) -> list[str]:
    """Return the moves that play one or two cards, or abstain with one card."""
    plays = ["play:" + "+".join(cards) for cards in one_or_two(hand)]
    return plays + [f"abstain:{card}" for card in sorted(set(hand))]


def swap_count(hand: list[str]) -> int:
    """Return in how many ways a hand can swap, from no cards to all cards."""
    total = 1
    for count in Counter(hand).values():
        total *= count + 1
    return total


def swap_moves(hand: list[str]) -> list[str]:
    """Return all swaps of a hand. Raises Refusal if there are too many."""
    if swap_count(hand) > MOST_MOVES:
        raise Refusal("state", f"{swap_count(hand)} swaps are too many to list")
    parts = [[[card] * n for n in range(hand.count(card) + 1)] for card in CARDS if card in hand]
    return [swap_move([*chain(*chosen)]) for chosen in product(*parts)]


def swap_move(cards: list[str]) -> str:
    """Return the move that swaps some cards."""
    return "swap:" + ("+".join(cards) or "none")


def in_order(move: str) -> str:
    """Return a move with its cards in the order of CARDS."""
    at = max(move.rfind(":"), move.rfind("/")) + 1
    cards = move[at:].split("+")
    if not set(cards) <= set(CARDS):
        return move
    return move[:at] + "+".join(sorted(cards, key=CARDS.index))


def city_points(at: Position, city: set[int], card: str) -> int:
    """Return the points that a card scores for a city, or 0 for a card that ignores the city."""
    border = [line for line in at.walls if city & set(at.board.line_spaces[line])]
    ends = {end for line in border for end in at.board.line_towers[line]} & set(at.towers)
    towers = Counter(at.towers[end] for end in ends)
    houses = sum((at.houses.get(space, Counter()) for space in city), Counter())
    palaces = sum((at.palaces.get(space, Counter()) for space in city), Counter())
    size = len(city)
    points = {
        "city-size-1": 6 * (size == 1),
        "city-size-2": 7 * (size == 2),
        "city-size-3": 8 * (size == 3),
        "city-size-7": 9 * (size >= 7),
        "city-colors": (0, 0, 4, 4, 7, 7)[len(set(houses) | set(palaces))],
        "city-palaces": sum(palaces.values()),
        "city-towers": len(ends),
        **{f"city-towers-{color}": 2 * towers[color] for color in TOWER_COLORS},
        **{f"city-{color}": 3 * palaces[color] + houses[color] for color in HOUSE_COLORS},
    }
    return points.get(card, 0)


def city_total(at: Position, city: set[int], cards: Iterable[str]) -> int:
    """Return the points that some cards score for a city."""
    return sum(city_points(at, city, card) for card in cards)


def final_moves(at: Position, hand: list[str]) -> list[str]:
    """Return all moves of the final scoring: one or two cards for a city, and passing.

    If the cards score the same total for several cities, only the first city is listed.
    """
    moves = ["final:pass"]
    for cards in one_or_two(hand):
        named = "+".join(cards)
        if not at.cities:
            moves.append(f"final:none/{named}")
        totals = set()
        for city in sorted(at.cities, key=min):
            total = city_total(at, city, cards)
            if total not in totals:
                moves.append(f"final:{min(city)}/{named}")
            totals.add(total)
    return moves


def legal_moves(at: Position) -> list[str]:
    """Return all legal moves, or no moves if chance decides or the game is over."""
    if at.phase not in DECISIONS:
        return []
    if at.phase in ("wall", "towers", "houses", "merge"):
        lists = {"wall": wall_moves, "towers": tower_moves, "houses": house_moves}
        return lists.get(at.phase, merge_moves)(at)
    hand = at.hands[at.seat]
    if isinstance(hand, int):
        raise Refusal("state", f"the hand of seat {at.seat} is hidden")
    if at.phase == "final":
        return final_moves(at, hand)
    return score_moves(hand) if at.phase == "score" else swap_moves(hand)


def listed_as(at: Position, move: str) -> str:
    """Return a move by the name that `legal_moves` gives it.

    Another name can have the cards in another order, or in the final scoring another city with the
    same total.
    """
    move = in_order(move)
    number, _, named = move.removeprefix("final:").partition("/")
    cards = named.split("+")
    named_city = next((city for city in at.cities if number == str(min(city))), None)
    if at.phase != "final" or named_city is None:
        return move
    total = city_total(at, named_city, cards)
    same = [min(city) for city in at.cities if city_total(at, city, cards) == total]
    return f"final:{min(same)}/{named}"


def query_legal(at: Position, named: list[str]) -> list[str]:
    """Return all legal moves or, if moves are named, these by the names that they have there."""
    moves = legal_moves(at)
    listed = [listed_as(at, move) for move in named]
    if not set(listed) <= set(moves):
        raise Refusal("illegal", "name legal moves")
    return listed or moves


# --- a move by chance


def choose(at: Position, rng: random.Random, only: list[str], avoid: list[str]) -> str:
    """Return a random legal move that is not in `avoid`.

    If `only` is not empty, the move is one of `only`.
    """
    hand = at.hands[at.seat]
    if at.phase == "swap" and isinstance(hand, list) and swap_count(hand) > MOST_MOVES:
        return choose_swap(hand, rng, only, avoid)
    moves = legal_moves(at)
    if not set(only) | set(avoid) <= set(moves):
        raise Refusal("illegal", "moves and avoid must name legal moves")
    return pick([move for move in only or moves if move not in avoid], rng)


def choose_swap(hand: list[str], rng: random.Random, only: list[str], avoid: list[str]) -> str:
    """Choose a swap as `choose` does, but from a hand with too many swaps to list."""
    for move in (*only, *avoid):
        word, _, names = move.partition(":")
        cards = [] if names == "none" else names.split("+")
        if word != "swap" or not Counter(cards) <= Counter(hand):
            raise Refusal("illegal", "moves and avoid must name legal moves")
    if only or len(set(avoid)) >= swap_count(hand):
        return pick([move for move in only if move not in avoid], rng)
    while True:
        cards = [card for card in CARDS for _ in range(rng.randint(0, hand.count(card)))]
        if swap_move(cards) not in avoid:
            return swap_move(cards)


def pick(moves: list[str], rng: random.Random) -> str:
    """Return a random one of `moves`. Raises Refusal if there are no moves."""
    if not moves:
        raise Refusal("state", "no move is left to choose from")
    return rng.choice(moves)


# --- the protocol (docs/protocol.md)

GO_NUMBERS = ("movetime", "sims", "multipv", "seed")
GO_LISTS = ("clock", "inc")
GO_MOVES = ("moves", "avoid")
GO_ENDS = ("movetime", "sims", "clock")  # limits that end even an infinite search
CHANGES = ("go", "setoption", "newgame", "position", "event", "gameover")
GO_WORDS = (*GO_NUMBERS, *GO_LISTS, *GO_MOVES, "id", "infinite")


class Player:
    """The engine: its options, its seat, the position, and a move that waits for `stop`."""

    def __init__(self) -> None:
        self.rng = random.Random()
        self.forget()

    def forget(self) -> None:
        """Forget the game and the position."""
        self.board = classic_board()
        self.game: tuple[int, int, bool] | None = None  # players, seat, early roll
        self.at: Position | None = None
        self.waiting: tuple[str, str] | None = None  # answer and id of an infinite search

    def mei(self, _: list[str]) -> None:
        """Introduce the engine."""
        say("id name Plain Random", "id version 1", "id author The Masons Engine authors")
        say("option name Seed type spin default 0 min 0 max 1000000", "protocol 1", "meiok")

    def isready(self, _: list[str]) -> None:
        """Answer without delay, because there is nothing to prepare."""
        say("readyok")

    def setoption(self, words: list[str]) -> None:
        """Set the option Seed. With the seed 0, the moves differ from run to run."""
        if words[0] != "name" or len(words) < 2:
            raise Refusal("syntax", "write setoption name X value Y")
        if words[1].lower() != "seed":
            raise Refusal("unknown", f"no option {words[1]}")
        if words[2:3] != ["value"] or len(words) != 4 or not 0 <= int(words[3]) <= 1000000:
            raise Refusal("syntax", "Seed is a number from 0 to 1000000")
        self.rng = random.Random(int(words[3]) or None)

    def newgame(self, words: list[str]) -> None:
        """Begin a game with given players, seat, board and perhaps the option early_roll."""
        is_named = words[:5:2] == ["players", "seat", "board"]
        if not is_named or words[6:] not in ([], ["options", "early_roll"]):
            raise Refusal("syntax", "write newgame players N seat S board B [options early_roll]")
        players, seat = int(words[1]), int(words[3])
        if not 0 <= seat < players or players not in (2, 3, 4):
            raise Refusal("syntax", "2 to 4 players; seats count from 0")
        board = load_board(words[5])
        self.forget()
        self.board, self.game = board, (players, seat, len(words) > 6)

    def position(self, words: list[str]) -> None:
        """Store a position, which replaces everything known so far."""
        try:
            at = Position.parse(" ".join(words), self.board)
        except (ValueError, LookupError) as error:
            raise Refusal("illegal", f"the position makes no sense: {error}") from None
        if self.game and (at.players, at.early_roll) != (self.game[0], self.game[2]):
            raise Refusal("illegal", "the position is of another game")
        if isinstance(at.hands[self.game[1] if self.game else at.seat], int):
            raise Refusal("illegal", "the hand of this seat must be known")
        self.at = at

    def event(self, words: list[str]) -> None:
        """Forget the position, because it is outdated. The next `go` needs a new position."""
        if words[:1] not in (["move"], ["roll"], ["draw"]):
            raise Refusal("syntax", "write event move, event roll or event draw")
        self.at = None

    def go(self, words: list[str]) -> None:
        """Answer with a random move: without delay or, with only `infinite`, after `stop`."""
        options: dict[str, list[str]] = {}
        for word in words:
            if word in GO_WORDS:
                key = word
                options[key] = []
            elif not options:
                raise Refusal("syntax", f"{word} is no word of go")
            else:
                options[key].append(word)
        self._check_go(options)
        if self.at is None:
            raise Refusal("state", "there is no position")
        if self.at.phase not in DECISIONS or (self.game and self.at.seat != self.game[1]):
            raise Refusal("state", "this seat has nothing to decide")
        at = self.at
        only, avoid = ([listed_as(at, move) for move in options.get(word, [])] for word in GO_MOVES)
        rng = random.Random(int(options["seed"][0])) if "seed" in options else self.rng
        end = f" id {options['id'][0]}" if "id" in options else ""
        self.waiting = (choose(at, rng, only, avoid), end)
        if "infinite" not in options or set(GO_ENDS) & set(options):
            self.stop([])

    def _check_go(self, options: dict[str, list[str]]) -> None:
        for key, values in options.items():
            if key in (*GO_NUMBERS, *GO_LISTS, "id") and len(values) != 1:
                raise Refusal("syntax", f"{key} needs one value")
            if key in (*GO_NUMBERS, *GO_LISTS):
                parts = values[0].split(",") if key in GO_LISTS else values
                if not all(part.isascii() and part.isdigit() for part in parts):
                    raise Refusal("syntax", f"{key} needs numbers")
            if key == "infinite" and values:
                raise Refusal("syntax", f"{values[0]} is no word of go")

    def stop(self, words: list[str]) -> None:
        """Answer the waiting search, unless `words` name the id of a different search."""
        if self.waiting and words in ([], self.waiting[1].split()[1:]):
            say(f"bestmove {self.waiting[0]}{self.waiting[1]}")
            self.waiting = None

    def query(self, words: list[str]) -> None:
        """Answer a question about the position."""
        questions = ("legal", "tomove", "phase", "scores", "result")
        if words[:1] not in [[question] for question in questions]:
            raise Refusal("unknown", f"query one of {', '.join(questions)}")
        if self.at is None:
            raise Refusal("state", "there is no position")
        at, what = self.at, words[0]
        answers = {
            "legal": lambda: " ".join(query_legal(at, words[1:])),
            "tomove": lambda: str(at.seat) if at.phase in DECISIONS else "none",
            "phase": lambda: at.phase,
            "scores": lambda: joined(at.scores),
            "result": lambda: result(at),
        }
        say(f"response {what} {answers[what]()}".rstrip())

    def gameover(self, _: list[str]) -> None:
        """Forget the game and its position."""
        self.forget()

    def debug(self, words: list[str]) -> None:
        """Check the command and do nothing, because there is nothing to debug."""
        if words not in (["on"], ["off"]):
            raise Refusal("syntax", "write debug on or debug off")

    def do(self, line: str) -> bool:
        """Execute one command. Return False if it was the last command."""
        text = line.strip(" \t\r\n")
        if not text or text.startswith("#"):
            return True
        if OTHER_SPACE.search(text):
            say("error syntax only blanks and tabs separate words")
            return True
        name, *words = text.split()
        commands = {
            "mei": self.mei, "isready": self.isready, "setoption": self.setoption,
            "newgame": self.newgame, "position": self.position, "event": self.event,
            "go": self.go, "stop": self.stop, "query": self.query, "gameover": self.gameover,
            "debug": self.debug,
        }  # fmt: skip
        mark = ""
        if name == "go" and "id" in words[:-1]:
            mark = f" id {words[words.index('id') + 1]}"
        try:
            if name == "quit":
                return False
            if name not in commands:
                raise Refusal("unknown", f"no command {name[:40]}")
            if self.waiting and name in CHANGES:
                raise Refusal("busy", "a search is running")
            commands[name](words)
        except Refusal as error:
            say(f"error {error.code}{mark} {error}")
        except (ValueError, IndexError):
            say(f"error syntax{mark} {name}: a word is wrong or missing")
        return True


def joined(values: list[int]) -> str:
    """Return the values of all seats, joined by commas."""
    return ",".join(map(str, values))


def result(at: Position) -> str:
    """Return the result of a game. Ties are broken by the number of cards in hand."""
    if at.phase != "over":
        return "none"
    sizes = [hand if isinstance(hand, int) else len(hand) for hand in at.hands]
    standing = list(zip(at.scores, sizes))  # noqa: B905
    winners = [seat for seat, rank in enumerate(standing) if rank == max(standing)]
    return f"scores {joined(at.scores)} winners {joined(winners)} end {at.end}"


def say(*lines: str) -> None:
    """Write lines to stdout in a single write."""
    sys.stdout.write("".join(" ".join(line.split()) + "\n" for line in lines))
    sys.stdout.flush()


def read_line() -> str | None:
    """Return the next line of input, or None at the end of input.

    For a line that is not valid UTF-8 or has more than MAX_LINE bytes, an `error` line is written,
    and an empty line is returned.
    """
    data = sys.stdin.buffer.readline(MAX_LINE + 2)
    if not data:
        return None
    end = data
    while not end.endswith(b"\n") and (end := sys.stdin.buffer.readline(MAX_LINE)):
        data = b" " * (MAX_LINE + 1)  # too long, so the rest of the line is skipped
    if len(data.rstrip(b"\r\n")) > MAX_LINE:
        say("error syntax the line is too long")
        return ""
    try:
        return data.decode()
    except UnicodeDecodeError:
        say("error syntax the line is not UTF-8")
        return ""


def main() -> None:
    """Read and execute commands until the input ends."""
    player = Player()
    first = True
    while (line := read_line()) is not None:
        if not player.do(line.removeprefix("\ufeff") if first else line):
            break
        first = False


if __name__ == "__main__":
    main()
