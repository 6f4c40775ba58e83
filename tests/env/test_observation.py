"""Observations: each byte against the position, and nothing of the hidden cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from masons.ai.beliefs.hand_estimates import belief
from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.errors import MasonsError
from masons.engine.game.game import Game
from masons.engine.state import layout
from masons.engine.state.position import Position, members
from masons.env.batch_env import BatchEnv, BatchStep
from tests.support.playing import BOARD_NAMES, board_of

PHASES = ("wall", "towers", "houses", "merge", "score", "swap", "final")


def features_of(env: BatchEnv, number: int) -> dict[str, Any]:
    """Return the features of an environment's observation by names of part and feature."""
    places = env.encoding.layout
    parts = places.features(env.last.observation[number])
    return {
        f"{section.name}.{feature.name}": part[..., i].tolist()
        for section, part in zip(places.sections, parts, strict=True)
        for i, feature in enumerate(section.features)
    }


def marks(size: int, *places: int | None) -> list[int]:
    return [int(i in places) for i in range(size)]


def board_bytes(
    env: BatchEnv, position: Position, state: layout.State
) -> Iterator[tuple[str, Any]]:
    """Yield the features of the board as a position has them."""
    board = env.encoding.board
    lines, spaces, towers = (
        len(board.line_spaces), len(board.space_lines), len(board.tower_xy)
    )  # fmt: skip
    yield "lines.wall", marks(lines, *position.walls)
    yield "lines.open", marks(lines, *members(state, int(layout.OPEN), 4))
    yield "lines.closing", marks(lines, *members(state, int(layout.CLOSING), 4))
    yield "lines.this-turn", marks(lines, position.line)
    for color, name in enumerate(TOWER_DIE):
        standing = [place for place, tower in position.towers.items() if tower == color]
        yield f"towers.{name}", marks(towers, *standing)
    for color, name in enumerate(HOUSE_DIE[:-1]):
        for what, pieces in (("houses", position.houses), ("palaces", position.palaces)):
            yield (
                f"spaces.{name}-{what}",
                [pieces[space][color] if space in pieces else 0 for space in range(spaces)],
            )
    inside = [space for city in position.cities for space in city]
    yield "spaces.in-city", marks(spaces, *inside)
    yield "spaces.city", marks(spaces, *map(min, position.cities))
    yield "spaces.just-completed", marks(spaces, position.city)
    beside = () if position.line is None else board.line_spaces[position.line]
    yield "spaces.beside-wall", marks(spaces, *beside)
    ends = () if position.line is None else board.line_towers[position.line]
    yield "towers.beside-wall", marks(towers, *ends)


def other_bytes(
    env: BatchEnv, position: Position, state: layout.State
) -> Iterator[tuple[str, Any]]:
    """Yield those of cards, seats and game, before a decision's first step."""
    order = [(position.seat + i) % position.players for i in range(position.players)]
    none = [0] * (4 - position.players)
    yield "seats.plays", [1] * position.players + none
    yield "seats.points", [position.scores[seat] for seat in order] + none
    yield "seats.cards", [position.hand_sizes[seat] for seat in order] + none
    yield "seats.its-turn", [int(seat == position.active) for seat in order] + none
    yield "seats.may-swap", [int(seat in position.queue) for seat in order] + none
    yield "seats.decides", [1, 0, 0, 0]
    yield "seats.seat", order + none
    hand = position.hands[position.seat]
    assert not isinstance(hand, int)
    held = [hand.count(kind) for kind in range(len(CARDS))]
    face_up = [position.discard.count(kind) for kind in range(len(CARDS))]
    yield "kinds.hand", held
    yield "kinds.discarded", face_up
    yield "kinds.unseen", [2 - a - b for a, b in zip(held, face_up, strict=True)]
    if position.phase == "final" and position.cities:
        values = [env.table.card_points(state, min(city)) for city in position.cities]
    else:
        city = position.city if position.phase == "score" else None
        values = [env.table.card_points(state, city)]
    yield "kinds.points", [max(points) for points in zip(*values, strict=True)]
    for phase in PHASES:
        yield f"game.{phase}", int(position.phase == phase)
    yield "game.players", position.players
    yield "game.walls-left", 33 - len(position.walls)
    yield "game.cities", len(position.cities)
    yield "game.deck", position.deck_size
    yield "game.discards", len(position.discard)
    yield "game.turn", position.turn
    yield "game.ends", int(position.end != "")
    yield "game.rolled-early", int(position.rolled)
    for color, name in enumerate(HOUSE_DIE[:-1]):
        for what, pieces, most in (
            ("houses", position.houses, 12), ("palaces", position.palaces, 3)
        ):  # fmt: skip
            yield f"game.{name}-{what}-left", most - sum(on[color] for on in pieces.values())
    for color, name in enumerate(TOWER_DIE):
        yield f"game.{name}-towers-left", 10 - list(position.towers.values()).count(color)
    if position.roll is not None:
        die, *dice = position.roll
        shown = die if position.phase == "towers" else None
        for color, name in enumerate(TOWER_DIE):
            yield f"game.die-{name}", int(shown == color)
        for i, name in enumerate((*HOUSE_DIE[:-1], "joker")):
            yield f"game.die-1-{name}", int(dice[0] == i)
            yield f"game.die-2-{name}", int(dice[1] == i)


@pytest.mark.parametrize("name", BOARD_NAMES)
def test_every_byte_is_what_the_position_says(name: str) -> None:
    env = BatchEnv(16, "mixed", board=board_of(name), seed=3, early_roll=True)
    env.reset()
    phases = set()
    for n in range(400):
        env.step(env.pick_actions())
        if n % 9:
            continue
        for number in np.flatnonzero(~env.is_mid_decision)[:4].tolist():
            position, seen = env.position(number), features_of(env, number)
            state = env.state([number])[0, : layout.STATE_WORDS].copy()
            wanted = dict(board_bytes(env, position, state))
            wanted |= dict(other_bytes(env, position, state))
            assert {key: seen[key] for key in wanted} == wanted
            phases.add(position.phase)
    assert len(phases) >= 4


def test_no_byte_is_above_what_it_can_be() -> None:
    env = BatchEnv(64, "mixed", seed=1)
    step = env.reset()
    most = step.observation.max(axis=0)
    for _ in range(400):
        env.step(env.pick_actions())
        most = np.maximum(most, step.observation.max(axis=0))
    assert (most <= env.encoding.layout.most).all()
    assert (most[[name == "" for name in env.encoding.layout.names()]] == 0).all()


def same_view(step: BatchStep, other: BatchStep) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(step[:3], other[:3], strict=True))


def test_redealt_hidden_cards_change_no_byte() -> None:
    """10,000 positions: what is hidden is dealt anew, and the observation stays what it was."""
    env = BatchEnv(512, "mixed", seed=5)
    other = BatchEnv(512, "mixed", seed=6)
    env.reset()
    moved = 0
    for n in range(20):
        for _ in range(1 + 17 * (n % 3)):
            step = env.step(env.pick_actions())
        states = env.state()
        redealt = env.redeal(states, n)
        assert same_view(step, other.set_state(redealt))
        hands = slice(int(layout.HANDS), int(layout.DECK) + 1)
        moved += int((states[:, hands] != redealt[:, hands]).any(axis=1).sum())
        for number in range(3 * n, 3 * n + 9):
            dealt = other.position(number)
            assert Game.from_position(dealt, board=env.encoding.board).phase == dealt.phase
            assert other.observe(number).position == env.observe(number).position
    assert moved > 0.99 * 20 * 512
    assert np.array_equal(env.redeal(states, 4), env.redeal(states, 4))
    assert not np.array_equal(env.redeal(states, 4), env.redeal(states, 5))


def test_other_seats_see_the_same_game_with_their_own_hand() -> None:
    env, other = BatchEnv(24, "mixed", seed=4), BatchEnv(24, "mixed", seed=0)
    env.reset()
    layout = env.encoding.layout
    for n in range(25):
        for _ in range(9):
            env.step(env.pick_actions())
        for number in range(24):
            position = env.position(number)
            decider_view = env.seen_by(number, position.seat)
            assert np.array_equal(decider_view, env.last.observation[number])
            seat = (position.seat + 1) % position.players
            seen = layout.features(env.seen_by(number, seat))
            hand = position.hands[seat]
            assert not isinstance(hand, int)
            assert seen.kinds[:, 0].tolist() == [hand.count(kind) for kind in range(len(CARDS))]
            assert seen.kinds[:, 4].sum() == 0
            assert seen.seats[position.players - 1, 5] == 1
            assert seen.seats[0, 6] == seat
            assert np.array_equal(seen.lines, layout.features(decider_view).lines)
            other.set_state(env.redeal(env.state([number]), n, seat), where=[number])
            assert np.array_equal(other.seen_by(number, seat), env.seen_by(number, seat))


def test_beliefs_are_those_of_the_engine() -> None:
    env = BatchEnv(12, "mixed", seed=9)
    env.reset()
    for _ in range(12):
        for _ in range(11):
            env.step(env.pick_actions())
        beliefs = env.beliefs()
        assert beliefs.shape == (12, 4, 30)
        for number in range(12):
            view = env.observe(number)
            for i in range(view.players):
                wanted = np.zeros(30)
                for holding in belief(view, (view.seat + i) % view.players):
                    wanted[holding.kind] = holding.expected
                assert np.allclose(beliefs[number, i], wanted, atol=1e-6)
            assert not beliefs[number, view.players :].any()


@pytest.mark.parametrize(
    ("observation", "message"),
    [
        ("x", "observation is 'x': it must be an array or a tensor whose last axis has 3208 bytes"),
        (None, "observation is None: it must be"),
        ([0] * 3208, "it must be an array or a tensor"),
        (np.zeros((2, 3207), np.uint8), r"has the shape \(2, 3207\): it must be an array"),
        (np.zeros((), np.uint8), r"has the shape \(\): it must be an array"),
    ],
)
def test_features_of_what_is_no_observation(observation: Any, message: str) -> None:
    env = BatchEnv(1)
    for read in (env.encoding.layout.features, env.encoding.layout.records):
        with pytest.raises(MasonsError, match=message):
            read(observation)


def test_the_graph_is_the_board() -> None:
    for name in BOARD_NAMES:
        board = board_of(name)
        graph = BatchEnv(1, board=board).encoding.graph
        assert graph.line_towers.tolist() == [list(pair) for pair in board.line_towers]
        assert graph.space_lines.tolist() == [list(three) for three in board.space_lines]
        edge = [line for line, pair in enumerate(board.line_spaces) if pair[1] is None]
        assert np.flatnonzero(graph.line_spaces[:, 1] == -1).tolist() == edge
        assert graph.tower_shore.tolist() == list(board.tower_shore)
