"""Beliefs about hidden hands, against every deal that the view allows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from masons.ai.beliefs.hand_estimates import DEALS, belief, estimate_hands
from masons.ai.models.hand_model import card_weights
from masons.ai.models.model_data import learned
from masons.engine.board.components import CARDS, KINDS
from masons.engine.errors import MasonsError
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.state import layout
from masons.engine.state.position import Position, kinds


def unseen_by(unseen: tuple[int, ...], hidden: tuple[int, ...]) -> tuple[Game, Position]:
    """Return a view of seat 0 without cards, these unseen, so many in each other hand."""
    game = Game(1 + len(hidden), seed=1)
    rest = Counter(dict.fromkeys(range(len(CARDS)), 2))
    rest.subtract(unseen)
    assert min(rest.values()) >= 0
    hands = ((), *(size or () for size in hidden))
    return game, replace(game.view(0), hands=hands, discard=tuple(sorted(rest.elements())))


@pytest.mark.parametrize(
    ("unseen", "hidden"),
    [((1,), (1,)), ((1, 1), (1,)), ((1, 1), (2,)), ((3, 3, 8, 9), (2,)), ((3, 3, 8, 8, 9), (2, 3)),
     ((0, 0, 4, 4, 5, 6, 7), (3, 2)), ((0, 1, 2, 3, 4, 5, 6, 7), (2, 0, 1)),
     ((0, 0, 1, 1, 2, 2, 29, 29, 5), (1, 4, 2))],
)  # fmt: skip
def test_every_deal_counted(unseen, hidden):
    game, position = unseen_by(unseen, hidden)
    view = Observation(game.table.state_of_settled(position), (0, *hidden))
    for seat, size in enumerate(hidden, 1):
        deals = [
            Counter(unseen[i] for i in deal) for deal in combinations(range(len(unseen)), size)
        ]
        holdings = {holding.kind: holding for holding in belief(view, seat)}
        assert list(holdings) == sorted(set(unseen) if size else ())
        for kind, holding in holdings.items():
            copies = [deal[kind] for deal in deals]
            assert holding.expected == sum(copies) / len(deals)
            assert holding.probability == sum(map(bool, copies)) / len(deals)


def test_own_and_open_hands_are_certain():
    game = Game(3, seed=4)
    for view, seats in ((game.observe(1), [1]), (Observation(game.state, ()), [0, 1, 2])):
        for seat in seats:
            holdings = belief(view, seat)
            hand = Counter(game.position.hands[seat])
            assert {h.kind: h.expected for h in holdings} == hand
            assert all(h.probability == 1 for h in holdings)


def test_guesses_are_the_odds_of_a_single_card():
    game = Game(2, seed=3)
    for _ in range(12):
        game.apply(game.legal_moves()[0])
    view = game.observe(0)
    assert view.history is not None
    hand_weights = card_weights(view.state, game.table.packed, view.history, learned()["hands"])
    unseen = Counter(kinds(int(view.state[int(layout.DECK)])))
    weights = {kind: copies * hand_weights[KINDS + kind] for kind, copies in unseen.items()}
    estimates = estimate_hands(game.table, replace(view, hidden=(0, 1)))
    assert set(estimates[0]) == set(kinds(int(view.state[int(layout.HANDS)])))
    assert set(estimates[0].values()) == {1.0}
    assert sum(estimates[1].values()) == pytest.approx(1)
    for kind, weight in weights.items():
        share = weight / sum(weights.values())
        assert estimates[1].get(kind, 0.0) == pytest.approx(share, abs=5 * (share / DEALS) ** 0.5)
    assert max(hand_weights[KINDS:][:KINDS]) > 1.5 * min(hand_weights[KINDS:][:KINDS])


def test_without_what_was_chosen_there_is_nothing_to_guess_by():
    game = Game(3, seed=8)
    with pytest.raises(MasonsError, match="action history"):
        estimate_hands(game.table, replace(game.observe(1), history=None))
