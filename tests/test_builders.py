"""Guessing hands by what was built: the kernels against plain numpy, and nothing hidden told."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from learn_builders import builder_chances, split, terms_of, traits_of
from masons.ai.builders import ODDS, POINTS, card_odds
from masons.ai.determinize import determinized
from masons.ai.halving import HalvingSearch
from masons.ai.inputs import KINDS, game_left_of
from masons.ai.learned import learned
from masons.engine import layout as at
from masons.engine.components import MAX_PLAYERS
from masons.engine.game import Game
from masons.engine.ledger import LANDS, built
from masons.engine.rng import new_rng
from masons.engine.snapshot import kinds, members
from masons.engine.view import View
from masons.engine.witness import Witness
from tests.following import new_game, steps
from tests.playing import pick
from tests.test_witness import tell


def some_views(players: int, seed: int) -> list[View]:
    """What the deciding seats of a game saw, now and then."""
    game, luck = Game(players, seed=seed), random.Random(seed)
    found = []
    while not game.is_over:
        if luck.random() < 0.1:
            found.append((game, game.seen(game.seat)))
        game.apply(pick(game, luck))
    return [view for _, view in found]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_odds_are_those_that_were_fitted(players: int) -> None:
    numbers, table = learned()["builders"], Game(2, seed=1).table
    cards, weights, out = split(numbers)
    for view in some_views(players, 4):
        assert view.ledger is not None
        odds = card_odds(view.state, table.packed, view.ledger, numbers)
        over = np.array([1 - game_left_of(view.state)])
        values = np.array([table.card_points(view.state, None)[KINDS - LANDS :]]) / POINTS
        close, double, touched = (
            len(members(view.state, int(group), 4)) for group in (at.CLOSING, at.DOUBLE, at.TOUCHED)
        )
        cities = int(view.state[int(at.CITIES)])
        lines = np.array([[cities / 4, min(close, 4) / 4, double / 16, touched / 64]])
        for seat in range(players):
            added = built(view.ledger, seat)[None] / POINTS
            chance = builder_chances(traits_of(over, values, added, lines), weights, out)
            assert odds[seat] == pytest.approx(chance[0], abs=1e-6)
            expected = np.exp((terms_of(over, values, added)[0] * cards).sum(axis=1))
            own = odds[MAX_PLAYERS + KINDS * seat :][:KINDS]
            assert own == pytest.approx(expected, rel=1e-6)


def dealt(view: View, odds: np.ndarray, count: int) -> list[np.ndarray]:
    """Worlds of a view."""
    rng = new_rng(5)
    return [determinized(view, rng, odds) for _ in range(count)]


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_every_world_is_one_that_the_view_may_be_of(chance: float) -> None:
    for view in some_views(3, 2):
        odds = np.exp(np.random.default_rng(1).standard_normal(ODDS))
        odds[:MAX_PLAYERS] = chance
        for state in dealt(view, odds, 20):
            hands = [int(state[int(at.HANDS) + s]) for s in range(3)]
            known = int(view.state[int(at.HANDS) + view.seat])
            assert hands[view.seat] == known
            sizes = [hand.bit_count() for hand in hands]
            assert [n for s, n in enumerate(sizes) if s != view.seat] == [
                n for s, n in enumerate(view.hidden) if s != view.seat
            ]
            parts = [*(h for s, h in enumerate(hands) if s != view.seat), int(state[int(at.DECK)])]
            assert (
                sum(part.bit_count() for part in parts) == int(view.state[int(at.DECK)]).bit_count()
            )
            whole = 0
            for part in parts:
                whole |= part
            assert whole == int(view.state[int(at.DECK)])


@pytest.mark.parametrize("chance", [0.0, 0.3, 1.0])
def test_cards_are_dealt_by_the_odds(chance: float) -> None:
    view = replace(Game(2, seed=7).seen(0), hidden=(0, 1))
    odds = np.ones(ODDS)
    odds[:MAX_PLAYERS] = chance
    odds[MAX_PLAYERS + KINDS :][:KINDS] = np.linspace(0.2, 3.0, KINDS)
    unseen = Counter(kinds(int(view.state[int(at.DECK)])))
    weighed = {k: n * odds[MAX_PLAYERS + KINDS + k] for k, n in unseen.items()}
    count = 20_000
    found = Counter(
        kind for state in dealt(view, odds, count) for kind in kinds(int(state[int(at.HANDS) + 1]))
    )
    for kind, copies in unseen.items():
        expected = chance * weighed[kind] / sum(weighed.values())
        expected += (1 - chance) * copies / unseen.total()
        assert found[kind] / count == pytest.approx(expected, abs=5 * (expected / count) ** 0.5)


def test_the_hands_of_others_do_not_matter() -> None:
    """A seat that follows a game searches like one that sits in it, whatever the others hold."""
    game, searched = new_game(3, 1), 0
    witness = Witness.of(game.board, game.view(1), 1)
    for step in steps(game, random.Random(5)):
        tell(witness, step)
        if game.phase in ("wall", "score") and game.seat == 1:
            said = []
            for view in (game.seen(1), witness.seen_now):
                search = HalvingSearch(game.table, view, game.legal_moves(), seed=1)
                search.run(200)
                said.append([(m.move, m.visits, m.wins) for m in search.analysis(0.0).moves])
            assert said[0] == said[1]
            searched += 1
    assert searched > 10


def test_who_built_what_matters() -> None:
    game, luck = Game(2, seed=3), random.Random(3)
    for _ in range(60):
        game.apply(pick(game, luck))
    view = game.seen(game.seat)
    wins = set()
    for known in (view, replace(view, ledger=None)):
        search = HalvingSearch(game.table, known, game.legal_moves(), seed=1)
        search.run(500)
        wins.add(search.analysis(0.0).wins)
    assert len(wins) == 2
