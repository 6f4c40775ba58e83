"""The level of an analysis: what search and rollout together say about who wins."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from masons.ai.models.features import game_left_of
from masons.ai.rollout.evidence import Measure
from masons.ai.rollout.figures import with_evidence
from masons.ai.rollout.level import DISPUTED, KNOTS, LEVEL_ERROR, WEIGHTS, combined_win
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session
from tests.support.named_play import at_decision

WINS = st.floats(0.001, 0.999)
PLAYERS, LEFT = st.sampled_from((2, 3, 4)), st.floats(0, 1)
LEAST = 1e-4


def rollout_at(number: int, **limits: int) -> tuple[Analysis, Rollout]:
    game = at_decision(number)
    session = Session(game.table, seed=1)
    analysis = session.analyze(game, **{"sims": 300, "rollouts": 900, **limits})
    assert session.rollout is not None
    return analysis, session.rollout


@given(WINS, WINS, PLAYERS, LEFT)
def test_a_combined_win_rises_with_both_by_their_weights(
    rollout: float, searched: float, players: int, left: float
) -> None:
    weights, fair = WEIGHTS[players], 1 / players

    def odds(*wins: float) -> float:
        combined, _ = combined_win(*wins, LEAST, players, left)
        return math.log(combined / (1 - combined))

    def above(win: float) -> float:
        return math.log(win / (1 - win)) - math.log(fair / (1 - fair))

    alone = odds(fair, fair)
    assert odds(rollout, fair) - alone == pytest.approx(weights.rollout * above(rollout), abs=1e-6)
    both = weights.rollout * above(rollout) + weights.searched * above(searched)
    assert odds(rollout, searched) - alone == pytest.approx(both, abs=1e-6)
    ends = weights.begin, weights.end
    assert min(ends) - 1e-6 <= alone - math.log(fair / (1 - fair)) <= max(ends) + 1e-6


@given(WINS, WINS, PLAYERS, LEFT)
def test_the_slope_is_that_of_a_small_change(
    rollout: float, searched: float, players: int, left: float
) -> None:
    step, rest = 1e-6 * rollout * (1 - rollout), (searched, LEAST, players, left)
    below, above = (combined_win(rollout + side * step, *rest)[0] for side in (-1, 1))
    _, slope = combined_win(rollout, *rest)
    assert slope == pytest.approx((above - below) / (2 * step), rel=1e-3, abs=1e-4)


def test_win_probabilities_of_0_and_1_count_as_the_limit() -> None:
    assert combined_win(1.0, 1.0, 0.01, 2, 0.5) == combined_win(0.99, 0.99, 0.01, 2, 0.5)
    assert combined_win(0.0, 0.0, 0.01, 3, 0.5) == combined_win(0.01, 0.01, 0.01, 3, 0.5)


def test_all_moves_of_an_analysis_move_together() -> None:
    analysis, rollout = rollout_at(30, rollouts=2000)
    seat, sums = rollout.view.seat, rollout.sums
    measured = [row for row in analysis.moves if row.games]
    best = measured[0]
    assert len(measured) > 1
    assert best.win is not None
    raw = rollout.shown_wins.wins[rollout.moves.index(best.move)]
    assert best.win != pytest.approx(raw, abs=1e-6)
    weights, left = WEIGHTS[2], game_left_of(rollout.view.state)
    for row in measured:
        assert row.win is not None
        assert row.loss is not None
        assert best.win - row.win == pytest.approx(row.loss)
        assert sum(row.wins) == pytest.approx(1)
        number = rollout.moves.index(row.move)
        for each in range(2):
            added = row.scores[each] - sums.means(Measure.SCORE * 2 + each)[number]
            best_mean = sums.means(Measure.SCORE * 2 + each)[rollout.moves.index(best.move)]
            searched = rollout.searched.scores[each]
            points = (0.0, *(weights.own if each == seat else weights.others))
            by_hand = (searched - best_mean) / 2 + np.interp(left, KNOTS, points)
            assert added == pytest.approx(by_hand)
        assert row.error is not None
        disputed = DISPUTED * abs(rollout.searched.wins[seat] - raw)
        assert row.error > math.hypot(4 * LEVEL_ERROR * best.win * (1 - best.win), disputed)
        assert math.isclose(row.wins[seat], row.win)


def test_nothing_is_added_without_a_search_and_where_searches_play_the_games() -> None:
    _, rollout = rollout_at(30)
    rollout.searched = replace(rollout.searched, wins=(), scores=())
    game = at_decision(30)
    session = Session(game.table, seed=1, options=SearchOptions(rollout_player=10))
    session.analyze(game, sims=300, rollouts=60)
    assert session.rollout is not None
    for each in (rollout, session.rollout):
        best = with_evidence(each).moves[0]
        assert best.win == pytest.approx(each.shown_wins.wins[each.moves.index(best.move)])


def test_nothing_is_added_where_chance_plays_no_role() -> None:
    game = at_decision(165)  # the last decision of the game
    analysis = Session(game.table, seed=1).analyze(game, sims=300, rollouts=3000)
    assert {row.win for row in analysis.moves if row.games} <= {0.0, 0.5, 1.0}
