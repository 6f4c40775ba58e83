"""Luck as a control variate: what came less the mean of what could have come."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from masons.ai.review.luck import (
    BATCHES,
    LUCK,
    PLAY,
    ChanceValues,
    StepValue,
    accounts,
    extremes,
    luck_of_game,
    margin_luck,
    moments,
    strokes,
)
from masons.ai.review.timeline import CARDS, DECISION, DICE, Timeline, timeline_of
from masons.engine.board.components import CARDS as CARD_IDS
from masons.engine.formats.record_endings import Forfeit
from masons.engine.game.record import parse_record, read_record
from masons.engine.state import layout
from masons.match.running.match_runner import SeededGame, play_seeded
from tests.support.named_play import GAMES

pytestmark = pytest.mark.usefixtures("compiled")
FACES = ("red", "rose", "yellow", "green", "blue", "?")
SAMPLES = 8


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    return timeline_of(read_record(GAMES))


def values_of(timeline: Timeline, seed: int = 1) -> list[StepValue]:
    evaluator = ChanceValues(timeline, SAMPLES, seed)
    return [evaluator.of_step(index) for index in range(len(timeline.steps))]


def steps(timeline: Timeline, cause: str) -> Iterator[int]:
    return (i for i, step in enumerate(timeline.steps) if step.cause == cause)


def with_step(timeline: Timeline, index: int, *fell: str) -> Timeline:
    """Return the same game with another roll or card, for the value before and after it."""
    steps_ = list(timeline.steps)
    steps_[index] = replace(steps_[index], fell=fell)
    return replace(timeline, steps=tuple(steps_))


@pytest.mark.slow
def test_the_value_before_a_roll_is_the_mean_over_all_rolls(timeline: Timeline) -> None:
    for index in list(steps(timeline, DICE))[::9]:
        tower = timeline.steps[index].fell[0]
        towers = ("-",) if tower == "-" else ("white", "gray", "black")
        values = [
            ChanceValues(
                with_step(timeline, index, color, first_die, second_die), SAMPLES, 1
            ).of_step(index)
            for color in towers
            for first_die in FACES
            for second_die in FACES
        ]
        after = np.mean([value.after for value in values], axis=0)
        assert after == pytest.approx(np.array(values[0].before), abs=1e-6)
        assert np.array([value.luck for value in values]).mean(axis=0) == pytest.approx(0, abs=1e-6)


def test_the_value_before_a_draw_is_the_mean_over_the_deck(timeline: Timeline) -> None:
    for index in list(steps(timeline, CARDS))[::11]:
        if len(timeline.steps[index].fell) > 1:
            continue
        deck = int(timeline.before(index)[int(layout.DECK)])
        luck = np.zeros((BATCHES, timeline.players))
        for kind, name in enumerate(CARD_IDS):
            if copies := (deck >> 2 * kind & 3).bit_count():
                changed = with_step(timeline, index, name)
                luck += copies * ChanceValues(changed, SAMPLES, 1).of_step(index).luck
        assert luck == pytest.approx(0, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("game", [1, 2, 3])
def test_the_sums_add_up(game: int) -> None:
    timeline = timeline_of(read_record(GAMES, game))
    values = values_of(timeline)
    seats = accounts(timeline, values)
    for account in seats:
        assert list(account.parts) == [*LUCK, *PLAY]
        assert 1 / timeline.players + sum(account.parts.values()) == pytest.approx(account.share)
        assert account.luck + account.without_luck == pytest.approx(account.share)
        assert account.error > 0
    for name in LUCK:
        assert sum(account.parts[name] for account in seats) == pytest.approx(0, abs=1e-6)
    for moment in moments(values):
        assert moment.sum(axis=1) == pytest.approx(1)
    assert moments(values)[-1].mean(axis=0) == pytest.approx(timeline.shares)
    changes = strokes(timeline, values)
    lucky = [change for change in changes if change.step.cause in (DICE, CARDS)]
    most = max(lucky, key=lambda change: max(map(abs, change.differences)))
    assert extremes(changes, timeline.players)[0] == most


def test_a_forfeit_is_own_play_of_its_seat_alone(timeline: Timeline) -> None:
    """Seat 0 forfeits an even game."""
    even = ((0.5, 0.5),) * BATCHES
    values = [StepValue(() if s.cause == DECISION else even, even) for s in timeline.steps]
    game = replace(timeline, winners=(1,), forfeits=(Forfeit(0, 9, "time"),))
    first, second = accounts(game, values)
    assert {name: part for name, part in first.parts.items() if part} == {"own": -0.5}
    assert {name: part for name, part in second.parts.items() if part} == {"others": 0.5}


@pytest.mark.parametrize(("stand_in", "part"), [(False, "own"), (True, "others")])
def test_what_a_stand_in_chooses_is_not_the_play_of_its_seat(
    stand_in: bool, part: str, timeline: Timeline
) -> None:
    """A single decision of seat 0 wins an even game."""
    chosen = next(i for i in steps(timeline, DECISION) if timeline.steps[i].seat == 0)
    game, values = list(timeline.steps), list[StepValue]()
    game[chosen] = replace(game[chosen], stand_in=stand_in)
    for index, step in enumerate(game):
        win = 0.5 if index < chosen else 1.0
        value = ((win, 1 - win),) * BATCHES
        values.append(StepValue(() if step.cause == DECISION else value, value))
    first, second = accounts(replace(timeline, steps=tuple(game), winners=(0,)), values)
    assert {name: gain for name, gain in first.parts.items() if gain} == {part: 0.5}
    assert {name: gain for name, gain in second.parts.items() if gain} == {"others": -0.5}


def test_the_same_seed_gives_the_same(timeline: Timeline) -> None:
    index = next(steps(timeline, CARDS))
    value, same, other = (ChanceValues(timeline, 8, seed).of_step(index) for seed in (1, 1, 2))
    assert value == same
    assert value != other
    data, both = json.loads(json.dumps(value.to_data())), (True, True)
    assert StepValue.from_data(data, timeline.players, both) == value
    for players, has_values in ((3, both), (timeline.players, (False, True))):
        with pytest.raises(ValueError, match=str(players)):
            StepValue.from_data(data, players, has_values)


def policy_game(seed: int) -> dict[str, Any]:
    return parse_record(play_seeded(SeededGame("classic", ("policy", "policy"), seed, seed % 2)))


@pytest.mark.slow
def test_luck_is_nothing_on_average_and_tells_who_wins() -> None:
    """With MASONS_GAMES=full a thousand games; the floors are those of the correlation and of what
    is left of the variance, which sixty games know to 0.1 only.
    """
    luck, result = [], []
    full = os.environ.get("MASONS_GAMES") == "full"
    for seed in range(1000 if full else 60):
        timeline = timeline_of(policy_game(seed))
        luck.append(luck_of_game(timeline, 8, seed)[0])
        result.append(timeline.shares[0])
    gained, shares = np.array(luck), np.array(result)
    error = gained.std() / np.sqrt(len(gained))
    assert abs(gained.mean()) < 4 * error
    assert abs((shares - gained).mean() - shares.mean()) < 4 * error
    assert np.corrcoef(gained, shares)[0, 1] > (0.6 if full else 0.5)
    assert (shares - gained).var() < (0.6 if full else 0.7) * shares.var()


def test_luck_in_points_adds_up_to_nothing_between_two(timeline: Timeline) -> None:
    """And it is about as large as the margins of games."""
    (first, error), (second, same) = margin_luck(timeline, SAMPLES, 1)
    assert first == pytest.approx(-second)
    assert error == pytest.approx(same)
    assert 0 < error < 15
    assert abs(first) < 60
