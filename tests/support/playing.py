"""Functions for tests that play games at random and set up positions."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.board.geometry import Board, load_board
from masons.engine.formats.move_text import Move, early_roll_move, wall_move
from masons.engine.game.chance import Chance, Outside
from masons.engine.game.game import Game
from masons.engine.game.observer import Observer
from masons.engine.state import layout
from masons.engine.state.packed_move import ABSTAIN
from masons.engine.state.position import Position, Roll, members
from masons.engine.state.position_checks import settle_position
from masons.protocol.messages.seat_events import Drew, Moved, Rolled, SeatEvent
from tests.support.paths import BOARDS

BOARD_NAMES = ("classic", "hexagon-24", "triangle-36", "parallelogram-48", "ring-128")


def board_of(name: str) -> Board:
    """Return a built-in board, or a board of the folder `tests/support/boards`."""
    path = BOARDS / f"{name}.json"
    return load_board(path if path.exists() else name)


# ---- random games


def pick_line(game: Game, chance: random.Random) -> Move:
    """Return a wall as in busy play, so that cities are completed, or sometimes an early roll."""
    if early_roll_move() in game.legal_moves() and chance.random() < 0.2:
        return early_roll_move()
    state = game.state
    if chance.random() >= 0.1:
        for group in (layout.CLOSING, layout.DOUBLE, layout.TOUCHED):
            lines = members(state, int(group), 4)
            if lines and chance.random() < 0.8:
                return wall_move(chance.choice(lines))
    return wall_move(chance.choice(members(state, int(layout.OPEN), 4)))


def pick(game: Game, chance: random.Random) -> Move:
    """Return a random legal move.

    Walls that lead to cities are preferred (see `pick_line`). In a scoring, it is equally likely to
    play one card, to play two cards and to abstain.
    """
    if game.phase == "wall":
        return pick_line(game, chance)
    moves = game.legal_moves()
    if game.phase == "score":
        ways: dict[tuple[bool, int], list[Move]] = {}
        for move in moves:
            ways.setdefault((move.kind == ABSTAIN, len(move.cards)), []).append(move)
        moves = chance.choice(list(ways.values()))
    return chance.choice(moves)


def moves_by_chance(game: Game, chance: random.Random) -> Iterator[Move]:
    """Play a game to its end at random, and yield each move before it is made."""
    while not game.is_over:
        move = pick(game, chance)
        yield move
        game.apply(move)


def play(game: Game, chance: random.Random) -> Game:
    """Play a game to its end at random, and return it."""
    for _ in moves_by_chance(game, chance):
        pass
    return game


def deal(players: int, chance: random.Random) -> list[list[str]]:
    """Return a random hand for each seat, as names of cards."""
    deck = list(CARDS) * 2
    chance.shuffle(deck)
    return [deck[6 * seat : 6 * seat + 6] for seat in range(players)]


def new_game(
    players: int, seed: int, board: Board | str = "classic", *, early_roll: bool = False
) -> Game:
    """Return a game whose dice and cards the caller gives (see `step`)."""
    hands = deal(players, random.Random(seed))
    return Game(
        players, board=board, first=seed % players, chance=Outside(), hands=hands,
        early_roll=early_roll,
    )  # fmt: skip


def step(game: Game, chance: random.Random) -> SeatEvent:
    """Make a random move, roll or draw in a game from `new_game`; return it as an event."""
    seat = game.seat
    if game.phase == "roll":
        tower = chance.choice(TOWER_DIE) if game.rolls_tower else None
        rolled = Rolled(tower, chance.choice(HOUSE_DIE), chance.choice(HOUSE_DIE))
        game.give_roll(*rolled)
        return rolled
    if game.phase == "draw":
        card = CARDS[chance.choice(game.position.unseen)]
        game.give_card(card)
        return Drew(seat, card)
    move = pick(game, chance)
    game.apply(move)
    return Moved(seat, move)


def steps(game: Game, chance: random.Random) -> Iterator[SeatEvent]:
    """Play a game from `new_game` to its end, and yield the event of each step after it is made."""
    while not game.is_over:
        yield step(game, chance)


def show(observer: Observer, step: SeatEvent) -> None:
    """Show an observer a step of the game, as its seat sees it."""
    if isinstance(step, Moved):
        observer.follow_move(step.seat, step.move)
    elif isinstance(step, Rolled):
        observer.give_roll(*step)
    else:
        assert isinstance(step, Drew)
        observer.follow_draw(step.seat, step.card if step.seat == observer.own_seat else None)


# ---- planned dice and cards


class Fixed:
    """Planned chance: `rolls` are all rolls, and `tops` has the top cards of each deck in turn."""

    def __init__(self, *rolls: tuple[str, str, str], tops: Iterable[Sequence[str]] = ()) -> None:
        self._rolls = list(rolls)
        self._tops = [list(top) for top in tops]

    def shuffle(self, cards: Sequence[int]) -> list[int]:
        top = [CARDS.index(name) for name in (self._tops.pop(0) if self._tops else ())]
        rest = list(cards)
        for kind in top:
            rest.remove(kind)
        return top + rest

    def roll(self, with_tower: bool) -> Roll:
        tower, first, second = self._rolls.pop(0)
        die = TOWER_DIE.index(tower) if with_tower else None
        return die, HOUSE_DIE.index(first), HOUSE_DIE.index(second)

    def mark(self) -> None: ...

    def back(self, mark: Any) -> None: ...


# ---- positions that are set up


def around(board: Board, *spaces: int) -> set[int]:
    """Return the lines around an area: those that have exactly one of `spaces` beside them."""
    return {
        line
        for line, beside in enumerate(board.line_spaces)
        if sum(space in spaces for space in beside) == 1
    }


def between(board: Board, first: int, second: int) -> int:
    """Return the line between two spaces."""
    return board.line_spaces.index((min(first, second), max(first, second)))


def touching(board: Board, *towers: int) -> list[int]:
    """Return the spaces that have one of some tower spaces as a corner, ascending."""
    return [space for space, corners in enumerate(board.space_towers) if {*towers} & {*corners}]


def ring_round(board: Board, space: int) -> tuple[set[int], set[int]]:
    """Return the spaces that touch a space, and the lines around all of them."""
    ring = {*touching(board, *board.space_towers[space])} - {space}
    return ring, around(board, space, *ring)


def spokes(board: Board, tower: int) -> list[int]:
    """Return the lines that end at a tower space, ascending."""
    return [line for line, ends in enumerate(board.line_towers) if tower in ends]


def neighbors(board: Board, space: int) -> list[int]:
    """Return the spaces that share a line with a space, ascending."""
    beside = {other for line in board.space_lines[space] for other in board.line_spaces[line]}
    return sorted(other for other in beside if other not in (None, space))


def ends_of(board: Board, walls: Iterable[int]) -> list[int]:
    """Return the tower spaces at the ends of some walls, ascending."""
    return sorted({end for line in walls for end in board.line_towers[line]})


def hand(*names: str) -> tuple[int, ...]:
    """Return the numbers of some cards."""
    return tuple(sorted(CARDS.index(name) for name in names))


def setting(
    board: Board,
    walls: Iterable[int] = (),
    *,
    towers: Mapping[int, int] | None = None,
    players: int = 2,
    **fields: Any,
) -> Position:
    """Return a position with the given walls and towers.

    If `towers` is None, there is a tower at each end of a wall, in the three colors in turn.
    """
    walls = frozenset(walls)
    if towers is None:
        towers = {end: i % 3 for i, end in enumerate(ends_of(board, walls))}
    fields.setdefault("scores", (0,) * players)
    fields.setdefault("hands", tuple(tuple(range(6 * s, 6 * s + 6)) for s in range(players)))
    fields.setdefault("seat", fields.get("active", 0))
    return Position(players=players, walls=walls, towers=towers, **fields)


def game_at(position: Position, board: Board, chance: Chance | None = None) -> Game:
    """Return a game at a position that was set up to test a rule. Perhaps no game reaches it.

    If `chance` is None, the caller gives dice and cards (see `step`).
    """
    return Game._of_settled(settle_position(board, position), board, None, chance or Outside())


def chain(board: Board, count: int) -> tuple[set[int], dict[int, int]]:
    """Return horizontal walls, which enclose nothing, and `count` towers at their ends."""
    ends: list[int] = []
    walls: list[int] = []
    for line, (a, b) in enumerate(board.line_towers):
        level = board.tower_xy[a][1] == board.tower_xy[b][1]
        if level and len({*ends, a, b}) <= count:
            walls.append(line)
            ends += [end for end in (a, b) if end not in ends]
    assert len(ends) == count
    return set(walls), {end: i % 3 for i, end in enumerate(ends)}


def grown(board: Board, walls: set[int], count: int) -> set[int]:
    """Return `walls` and further walls, `count` in all, that enclose nothing.

    Each further wall has a new tower space at exactly one end.
    """
    ends = set(ends_of(board, walls))
    while len(walls) < count:
        line = next(
            line for line, pair in enumerate(board.line_towers) if len(ends & set(pair)) == 1
        )
        walls = walls | {line}
        ends |= set(board.line_towers[line])
    assert len(walls) == count
    return walls
