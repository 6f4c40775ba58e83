"""Guessing hands by what was chosen: the kernels against plain numpy, and nothing hidden told."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.training.self_play_data import hand_inputs
from masons.ai.beliefs.determinization import determinized
from masons.ai.models.features import game_left_of
from masons.ai.models.hand_model import (
    HAND_WEIGHTS,
    LIMIT,
    PAGE_AT,
    SUMS_AT,
    SUMS_SIZE,
    SURE,
    card_weights,
    hand_weights_of,
    sharpened,
)
from masons.ai.models.model_data import learned
from masons.engine.board.components import FIRST_LAND, KINDS
from masons.engine.game.action_history import ENTRIES, HISTORY_SIZE, KEPT
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.jit import FloatArray
from masons.engine.kernels.rng import new_rng
from masons.engine.state import layout
from masons.engine.state.position import kinds, members
from tests.support.chi_square import assert_fair
from tests.support.plain_models import log_weights
from tests.support.playing import moves_by_chance


def some_views(players: int, seed: int) -> list[Observation]:
    """Return some views of the deciding seats of a game."""
    game, rng, views = Game(players, seed=seed), random.Random(seed), []
    for _ in moves_by_chance(game, rng):
        if rng.random() < 0.1:
            views.append(game.observe(game.seat))
    return views


def plain_inputs(table: Table, view: Observation, pages: FloatArray) -> FloatArray:
    """Return the inputs (float64[1, HAND_INPUTS]) of a seat with so much of the history."""
    values = np.array([table.card_points(view.state, None)[FIRST_LAND:]])
    close, double, touched = (
        len(members(view.state, int(group), 4))
        for group in (layout.CLOSING, layout.DOUBLE, layout.TOUCHED)
    )
    cities = int(view.state[int(layout.CITIES)])
    lines = np.array([[cities / 4, min(close, 4) / 4, double / 16, touched / 64]])
    over = np.array([1 - game_left_of(view.state)])
    return hand_inputs(over, view.players, lines, values, pages)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_weights_are_those_that_were_fitted(players: int) -> None:
    numbers, table = learned()["hands"], Game(2, seed=1).table
    for view in some_views(players, 4):
        assert view.history is not None
        hand_weights = card_weights(view.state, table.packed, view.history, numbers)
        for seat in range(players):
            pages = view.history[ENTRIES * seat :][None, :ENTRIES]
            inputs = plain_inputs(table, view, pages)
            expected = np.exp(np.clip(log_weights(numbers, inputs)[0], -LIMIT, LIMIT))
            expected *= seat != view.seat
            assert hand_weights[KINDS * seat :][:KINDS] == pytest.approx(expected, rel=1e-6)
            # The sums by which the kinds that are unseen are drawn.
            deck = set(kinds(int(view.state[int(layout.DECK)])))
            sums = np.cumsum([w if kind in deck else 0 for kind, w in enumerate(expected)])
            kept = hand_weights[int(SUMS_AT) + SUMS_SIZE * seat :][:SUMS_SIZE]
            assert kept[:KINDS] == pytest.approx(sums, rel=1e-6)
            assert np.isinf(kept[KINDS:]).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_without_a_history_the_weights_come_from_the_board(players: int) -> None:
    table, numbers = Game(2, seed=1).table, learned()
    prior = numbers["prior"].reshape(3, PAGE_AT, KINDS)[players - 2]
    for view in some_views(players, 4):
        weights = hand_weights_of(table, replace(view, history=None), numbers)
        inputs = plain_inputs(table, view, np.zeros((1, ENTRIES)))
        expected = np.exp(np.clip(inputs[0, :PAGE_AT] @ prior, -LIMIT, LIMIT))
        for seat in range(players):
            dealt = weights[KINDS * seat :][:KINDS]
            assert dealt == pytest.approx(expected * (seat != view.seat), rel=1e-9)
        assert not weights[int(SURE) :][:KINDS].any()  # nobody knows who held what


def dealt(view: Observation, hand_weights: np.ndarray, count: int) -> list[np.ndarray]:
    """Determinizations of a view."""
    rng = new_rng(5)
    return [determinized(view, rng, hand_weights) for _ in range(count)]


def test_every_determinization_is_one_that_the_view_may_be_of() -> None:
    for view in some_views(3, 2):
        hand_weights = np.exp(np.random.default_rng(1).standard_normal(HAND_WEIGHTS))
        unseen = int(view.state[int(layout.DECK)])
        for state in dealt(view, hand_weights, 20):
            hands = [int(state[int(layout.HANDS) + s]) for s in range(3)]
            assert hands.pop(view.seat) == int(view.state[int(layout.HANDS) + view.seat])
            hidden = [n for s, n in enumerate(view.hidden) if s != view.seat]
            assert [hand.bit_count() for hand in hands] == hidden
            parts = [*hands, int(state[int(layout.DECK)])]
            assert sum(part.bit_count() for part in parts) == unseen.bit_count()
            assert parts[0] | parts[1] | parts[2] == unseen


def test_cards_that_somebody_is_known_to_hold_are_dealt_to_hands() -> None:
    view = replace(Game(3, seed=7).observe(0), hidden=(0, 2, 1))
    held = set(kinds(int(view.state[int(layout.HANDS)])))
    unseen = sorted({*kinds(int(view.state[int(layout.DECK)]))} - held)
    history = np.zeros(HISTORY_SIZE)
    # What the observer holds itself tells nothing of others.
    history[[int(KEPT) + kind for kind in (*unseen[:2], *held)]] = 1.0
    packed = Game(3, seed=7).table.packed
    hand_weights = card_weights(view.state, packed, history, learned()["hands"])
    counts: Counter[int] = Counter()
    for state in dealt(view, hand_weights, 200):
        hands = [kinds(int(state[int(layout.HANDS) + seat])) for seat in (1, 2)]
        assert [len(hand) for hand in hands] == [2, 1]
        assert set(unseen[:2]) <= {*hands[0], *hands[1]}
        counts.update(hands[0])
    # Each of them now here, now there; the third card is any.
    assert all(20 < counts[kind] < 200 for kind in unseen[:2])
    assert len(counts) > 10


Hands = tuple[tuple[int, ...], ...]


def exact_deals(
    deck: list[int], weights: np.ndarray, hidden: tuple[int, ...], sure: dict[int, int]
) -> dict[Hands, float]:
    """Return how likely each pair of hands is, card by card: sure ones first, then seat by seat."""
    chances: Counter[Hands] = Counter()

    def give(hands: Hands, left: list[int], seat: int, kind: int, p: float) -> None:
        left.remove(kind)
        grown = tuple(sorted((*hands[seat], kind)))
        deal_on(tuple(grown if s == seat else h for s, h in enumerate(hands)), left, p)

    def deal_on(hands: Hands, left: list[int], p: float) -> None:
        due = sorted(set(sure.elements()) - set(sum(hands, ()))) if sure else []
        free = [size - len(hand) for size, hand in zip(hidden, hands, strict=True)]
        if due:
            odds = [weights[s, due[0]] * n for s, n in enumerate(free)]
            for seat, n in enumerate(odds):
                if n:
                    give(hands, left.copy(), seat, due[0], p * n / sum(odds))
        elif any(free):
            seat = next(s for s, n in enumerate(free) if n)
            total = sum(weights[seat, card] for card in left)
            for kind in set(left):
                share = left.count(kind) * weights[seat, kind] / total
                give(hands, left.copy(), seat, kind, p * share)
        else:
            chances[hands] += p

    sure = Counter(sure)
    deal_on(tuple(() for _ in hidden), deck, 1.0)
    return chances


@pytest.mark.parametrize(
    ("deck", "hidden", "spread", "sure"),
    [
        ([3, 3, 8, 9], (2, 1), 0.0, {}),  # all cards as likely
        ([3, 3, 8, 9], (2, 1), 1.0, {}),
        ([0, 7, 7, 12, 29, 29], (3, 2), 2.0, {}),
        ([0, 5, 5, 29], (3, 0), 1.0, {}),
        # Whoever holds the likely card, others are drawn at last by what is left.
        ([2, 2, 20, 21, 29], (2, 2), 7.0, {}),
        ([1, 1, 4, 10, 28, 28], (2, 2), 1.5, {4: 1, 10: 1}),
    ],
)
def test_hands_are_dealt_by_the_weights(
    deck: list[int], hidden: tuple[int, int], spread: float, sure: dict[int, int]
) -> None:
    """Against the exact probability of each pair of hands."""
    view = Game(3, seed=7).observe(0)
    state = view.state.copy()
    cards = [2 * kind + deck[:i].count(kind) for i, kind in enumerate(deck)]
    state[int(layout.DECK)] = sum(1 << card for card in cards)
    view = replace(view, state=state, hidden=(0, *hidden))
    hand_weights, log = np.zeros(HAND_WEIGHTS), np.random.default_rng(2).standard_normal((2, KINDS))
    weights = np.exp(spread * log)
    if not spread:
        hand_weights = np.zeros(0)
    else:
        hand_weights[KINDS : 3 * KINDS] = weights.ravel()
    for kind, copies in sure.items():
        hand_weights[int(SURE) + kind] = copies
    counts = Counter(
        tuple(tuple(kinds(int(state[int(layout.HANDS) + seat]))) for seat in (1, 2))
        for state in dealt(view, hand_weights, 20_000)
    )
    assert_fair(counts, exact_deals(deck, weights, hidden, sure))


def test_a_sharpened_model_has_the_weights_to_a_power(table: Table) -> None:
    numbers = learned()["hands"]
    for view in some_views(3, 5):
        assert view.history is not None
        weights, sharper = (
            card_weights(view.state, table.packed, view.history, model)[: int(SURE)]
            for model in (numbers, sharpened(numbers, 1.5))
        )
        plain = np.minimum(weights**1.5, np.exp(LIMIT)) * (weights > 0)
        assert sharper == pytest.approx(plain, rel=1e-9)
