"""Choices of the net policy where the best move is plain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pytest

from masons.ai.net_policy.line_choice import CLOSERS
from masons.ai.self_play.self_play import play_policy_games
from masons.engine.board.components import CARDS, HOUSE_COLORS
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import Move
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.state import layout as at
from masons.engine.state.layout import State
from masons.engine.state.position import byte_in, members, unpack_state
from tests.support.playing import board_of
from tests.support.policy_decisions import NET, holding, policy_choice, policy_game


def chosen(game: Game, state: State, seed: int = 0) -> Move:
    return Move(policy_choice(game, state, seed))


# --- houses


@pytest.mark.parametrize(("players", "share"), [(2, 0.4), (3, 0.7), (4, 0.7)])
def test_houses_are_of_the_color_that_the_own_cards_count(players: int, share: float) -> None:
    """Of a few moves that are as many of each color: 20 % would be chance."""
    won = []
    for seed in range(6):
        for game, _ in policy_game(players, seed):
            if game.phase != "houses" or len(game.legal_moves()) < 5:
                continue
            for color in HOUSE_COLORS:
                counts = [str(move).count(color) for move in game.legal_moves()]
                if min(counts) < max(counts):
                    move = chosen(game, holding(game.state, game.seat, f"land-{color}"))
                    won.append(str(move).count(color) == max(counts))
    assert len(won) > 100
    assert np.mean(won) > share


# --- the last wall


def last_walls(board: Board, players: int, games: int) -> Iterator[tuple[Game, State]]:
    """Yield the starts of turns with one wall left in games of the policy."""
    table = Table(board)
    for state in play_policy_games(table, players, range(games), NET).starts:
        if byte_in(state, at.WALL_LEFT) == 1:
            yield Game.from_position(unpack_state(state), board=board, seed=1), state


@pytest.mark.slow
@pytest.mark.parametrize("region", [1, 2, 3])
def test_the_last_wall_stands_where_the_own_cards_count(region: int) -> None:
    """Houses are certain beside it: both are in the region of the cards in hand, where they can."""
    board, closings, seen = board_of("classic"), 0, 0
    for game, state in last_walls(board, 4, 100):
        held = holding(state, byte_in(state, at.SEAT), f"land-region-{region}", alone=True)
        closing = closing_lines(state)
        for seed in range(3):
            line = chosen(game, held, seed).place
            beside = {board.space_region[s] for s in board.line_spaces[line] if s is not None}
            closings += line in closing
            seen += 1
            assert line in closing or (beside == {region} and None not in board.line_spaces[line])
    assert seen >= 12
    assert closings < 0.8 * seen


def closing_lines(state: State) -> list[int]:
    return members(state, int(at.CLOSING), 4)


def sizes_closed(game: Game, lines: Iterable[int]) -> dict[int, int]:
    """Return the sizes of the cities that lines complete, where no merge is to be chosen."""
    sizes = {}
    for line in lines:
        after = Game.from_position(game.position, board=game.board, seed=1)
        after.apply(f"wall:{line}")
        while after.phase in ("towers", "houses"):
            after.apply(after.legal_moves()[0])
        if after.phase == "score":
            lowest = after.position.city
            (sizes[line],) = (len(city) for city in after.position.cities if lowest in city)
    return sizes


def won_by(state: State, size: int) -> State:
    """Return a state in which the seat wins by completing a city of a size, and else has lost.

    It is a point behind and holds both cards for cities of the size. The others have a card for
    cities of another size; everything else is discarded.
    """
    seat, players = byte_in(state, at.SEAT), byte_in(state, at.PLAYERS)
    won = holding(state, seat, f"city-size-{size}", alone=True)
    others = [f"city-size-{n}" for n in (1, 2, 3, 7) if n != size]
    left = [2 * CARDS.index(name) + copy for name in others for copy in (0, 1)]
    for other in range(players):
        if other != seat:
            won[int(at.HANDS) + other] = np.uint64(1 << left.pop())
    won[int(at.DECK)] = np.uint64(sum(1 << card for card in left))
    held = np.bitwise_or.reduce(won[int(at.HANDS) : int(at.HANDS) + 4]) | won[int(at.DECK)]
    won[int(at.DISCARD)] = ~held & np.uint64((1 << 60) - 1)
    scores = [30 if other == seat else 31 for other in range(players)]
    won[int(at.SCORES)] = np.uint64(sum(score << 16 * i for i, score in enumerate(scores)))
    return won


@pytest.mark.slow
def test_a_city_that_wins_at_once_is_completed() -> None:
    seen = 0
    for game, state in last_walls(board_of("triangle-36"), 2, 150):
        built, closing = {min(len(city), 7) for city in game.position.cities}, closing_lines(state)
        if {1, 2, 3} <= built:
            continue
        count = min(len(closing), CLOSERS)
        sizes = sizes_closed(game, (closing[i * len(closing) // count] for i in range(count)))
        for size in {1, 2, 3} & set(sizes.values()) - built:
            line = chosen(game, won_by(state, size)).place
            assert line in closing
            assert sizes.get(line, size) == size, game.text  # of others a merge may make the size
            seen += 1
    assert seen > 3
