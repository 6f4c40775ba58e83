"""Action histories: against a count in plain Python, and the same for all seats."""

from __future__ import annotations

import random
import re
from statistics import fmean, pstdev

import numpy as np
import pytest

from examples import plain_random
from masons.ai.models.model_data import learned
from masons.ai.self_play.seat_choices import Seat
from masons.ai.self_play.self_play import play_games
from masons.engine.board.components import (
    CARDS,
    FIRST_LAND,
    HOUSE_COLORS,
    KINDS,
    LANDS,
    TOWER_COLORS,
)
from masons.engine.formats.move_text import Move, wall_move
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.game.action_history import (
    ENTRIES,
    KEPT,
    PASSED,
    PLACED,
    PLAYS,
    SORTS,
    SWAPS,
    WALLED,
    ActionHistory,
)
from masons.engine.game.game import Game
from masons.engine.game.observer import Observer
from masons.engine.rules.transitions import apply_move
from masons.engine.state import layout
from masons.engine.state.packed_move import PLAY, WALL
from masons.engine.state.position import card_values, members
from masons.protocol.messages.seat_events import Moved
from tests.support import reference
from tests.support.playing import board_of, new_game, pick, show, steps

LAND_NAMES = CARDS[FIRST_LAND:]


def history_of(game: Game) -> ActionHistory:
    """The action history, which all seats see."""
    history = game.observe(0).history
    assert history is not None
    return history


def entries_of(game: Game, seat: int) -> np.ndarray:
    """A seat's entries."""
    return history_of(game)[ENTRIES * seat :][:ENTRIES].copy()


def prospects(game: Game, line: int) -> list[float]:
    """The expected points of the land cards after a wall, by the plain rules."""
    data = game.board.to_dict()
    plain = plain_random.Position.parse(game.text, plain_random.Board.of_data(data))
    before = plain.cities
    plain.walls.add(line)
    plain.cities = plain_random.find_cities(plain.board, plain.walls)
    new = [city for city in plain.cities if city not in before]
    for city in new:
        reference.clear_inside(plain, city)
        reference.build_palaces(plain, city)
    points: dict[str, float] = dict(reference.card_points(plain, data, set()))
    if not new:
        for end in set(plain.board.line_towers[line]) - plain.towers.keys():
            points["land-towers"] += 1
            points["land-shore"] += 2 * data["towers"][end]["shore"]
            for color in TOWER_COLORS:
                points[f"land-towers-{color}"] += 2 / 3
        for space in plain.board.line_spaces[line]:
            points[f"land-region-{data['spaces'][space]['region']}"] += 1
            for color in HOUSE_COLORS:
                points[f"land-{color}"] += 1 / 5
    return [points[name] for name in LAND_NAMES]


def standardized(game: Game, chosen: Move) -> list[float]:
    """The entries of a wall, a land card each."""
    lines = [move.place for move in game.legal_moves() if move.kind == WALL]
    all_walls = list(zip(*(prospects(game, line) for line in lines), strict=True))
    entries = []
    for points, values in zip(prospects(game, chosen.place), all_walls, strict=True):
        spread = pstdev(values)
        entries.append((points - fmean(values)) / spread if spread > 1e-4 else 0.0)
    return entries


def sort_of(game: Game, line: int) -> int:
    """Among SORTS: completes a city, between two towers, beside one, apart."""
    groups = (layout.CLOSING, layout.DOUBLE, layout.TOUCHED)
    hits = [line in members(game.state, int(group), 4) for group in groups]
    return hits.index(True) if any(hits) else 3


def by_placing(game: Game, chosen: Move) -> list[float]:
    """The entries of a choice of towers or houses, a land card each."""
    after = {}
    for move in game.legal_moves():
        state = game.state
        apply_move(state, game.table.packed, np.uint64(move))
        after[move] = game.table.card_points(state, None)[FIRST_LAND:]
    columns = zip(*after.values(), strict=True)
    return [points - fmean(every) for points, every in zip(after[chosen], columns, strict=True)]


def after_cards(before: np.ndarray, game: Game, move: Move) -> np.ndarray:
    """A seat's entries after a scoring or a swap."""
    entries, size = before.copy(), len(game.position.hands[game.seat])
    left = size - len(move.cards)
    if game.phase == "swap":
        entries *= left / size
        entries[int(SWAPS)] += len(move.cards)
    else:
        plays, values = move.kind == PLAY, card_values(game.state)
        share = left / (left + (1 if plays else 2))
        least = min(values[kind] for kind in move.cards) if plays else 0
        entries *= share
        entries[int(PASSED) :][:KINDS] += share * np.maximum(np.array(values) - least, 0)
        entries[int(PLAYS)] += 1
    for kind in move.cards:
        entries[int(PASSED) + kind] = 0
        if kind >= FIRST_LAND:
            entries[int(WALLED) + kind - FIRST_LAND] = 0
            entries[int(PLACED) + kind - FIRST_LAND] = 0
    return entries


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "board", "early_roll"),
    [(2, "classic", False), (3, "ring-128", True), (4, "hexagon-24", False)],
)
def test_what_each_choice_tells(players: int, board: str, early_roll: bool) -> None:
    game = Game(players, board=board_of(board), seed=players, early_roll=early_roll)
    rng, seen = random.Random(players), set()
    while not game.is_over:
        seat, phase, move = game.seat, game.phase, pick(game, rng)
        closing = phase == "wall" and move.kind == WALL and sort_of(game, move.place) == 0
        if phase == "wall" and rng.random() < (0.3 if closing else 0.8):
            game.apply(move)
            continue
        all_before, expected = history_of(game), entries_of(game, seat)
        if phase == "wall" and move.kind == WALL:
            expected[int(WALLED) :][:LANDS] += standardized(game, move)
            expected[int(SORTS) + sort_of(game, move.place)] += 1
        elif phase in ("towers", "houses"):
            expected[int(PLACED) :][:LANDS] += by_placing(game, move)
        elif phase in ("score", "swap"):
            expected = after_cards(expected, game, move)
        game.apply(move)
        seen.add("closing" if closing else phase)
        assert entries_of(game, seat) == pytest.approx(expected, abs=1e-6)
        others = [s for s in range(players) if s != seat]
        pages = all_before[: int(KEPT)].reshape(-1, ENTRIES)[others]
        assert np.array_equal(history_of(game)[: int(KEPT)].reshape(-1, ENTRIES)[others], pages)
    assert seen >= {"wall", "closing", "towers", "houses", "score", "swap"}


def test_a_position_in_the_middle_of_a_game_does_not_tell_who_chose_what() -> None:
    """Only one before the first choice has a history, and it is empty."""
    game, rng = Game(2, seed=3), random.Random(3)
    assert Game.from_position(game.text).observe(0).history is not None
    while game.decisions < 20:
        game.apply(pick(game, rng))
        if game.position.turn or game.phase != "wall":
            assert Game.from_position(game.text).observe(0).history is None
    view = format_position(game.view(0), game.board)
    for text in (view, *(re.sub(r" turn=\d+", "", text) for text in (game.text, view))):
        _, position = parse_position(text)
        assert Observer.of(game.board, position, 0).observation.history is None
    assert game.table.view(game.view(game.seat)).history is None


def test_games_in_a_kernel_keep_the_same_history() -> None:
    """The entries of a turn without a city, from one row of `selfplay` to the next."""
    table = Game(2, seed=1).table
    seats = [Seat(sims, learned()["heuristic"], learned()["net"]) for sims in (10, 0)]
    games, compared = play_games(table, seats, [1, 2, 3]), 0
    pages = games.histories[:, : int(KEPT)].reshape(len(games.starts), -1, ENTRIES)
    for row in range(len(games.starts) - 1):
        before, after = games.starts[row], games.starts[row + 1]
        same_game = games.of_game[row] == games.of_game[row + 1]
        walls = set(members(after, 0, 4)) - set(members(before, 0, 4))
        if (
            not same_game
            or len(walls) != 1
            or before[int(layout.DISCARD)] != after[int(layout.DISCARD)]
        ):
            continue
        seat = int(before.view(np.uint8)[int(layout.SEAT)])
        history = games.histories[row].copy()
        table.add_choice(before.copy(), wall_move(walls.pop()), history)
        expected, actual = history[: int(KEPT)].reshape(-1, ENTRIES), pages[row + 1]
        placed = slice(int(PLACED), int(PLACED) + LANDS)  # by dice that no row has
        expected[seat, placed] = actual[seat, placed]
        assert actual == pytest.approx(expected)
        compared += 1
    assert compared > 30


def copies_in(cards: int) -> np.ndarray:
    """How many of each kind are among some cards."""
    return np.array([(cards >> (2 * kind) & 3).bit_count() for kind in range(KINDS)])


def held(game: Game) -> np.ndarray:
    """How many of each kind lie in hands."""
    hands = game.state[int(layout.HANDS) :][: game.players]
    return copies_in(int(np.bitwise_or.reduce(hands)))


@pytest.mark.parametrize("players", [2, 4])
def test_cards_in_hands_at_a_shuffle_are_there_until_they_are_discarded(players: int) -> None:
    compared = 0
    for seed in range(1, 4):
        game, kept = new_game(players, seed), np.zeros(KINDS)
        observer = Observer.of(game.board, game.view(0), 0)
        before, decks = held(game), len(game.log.decks)
        for step in steps(game, random.Random(seed)):
            show(observer, step)
            now = held(game)
            if isinstance(step, Moved):
                kept = np.maximum(kept - np.maximum(before - now, 0), 0)
            if len(game.log.decks) > decks:
                kept, decks = now, len(game.log.decks)
            before = now
            if game.phase in ("draw", "final") or game.is_over:
                continue
            assert np.array_equal(history_of(game)[int(KEPT) :], kept)
            assert (kept <= now).all()
            assert np.array_equal(history_of(observer), history_of(game))
            compared += bool(kept.any())
    assert compared > 20
