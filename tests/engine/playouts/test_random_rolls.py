"""The dice of random play: fair dice, and each outcome that they allow as likely (rules, 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import product

import numpy as np
import pytest

from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import WordArray, kernel, ptr
from masons.engine.kernels.rng import new_rng, next_word
from masons.engine.playouts.random_moves import random_houses, random_towers
from masons.engine.rules.roll_outcomes import (
    HOUSE_STEPS_BY_CHOICE,
    TOWER_STEPS_BY_CHOICE,
    packed_towers,
)
from tests.engine.playouts.test_random_play import assert_fair
from tests.engine.rules.test_roll_outcomes import Colors, by_the_rules

SAMPLES = 60_000


@kernel
def sample_draws(houses: int, supply: int, places: int, rng: WordArray, out: WordArray) -> None:
    """A step for each place of `out`."""
    random, steps = ptr(rng), ptr(out)
    for i in range(U(len(out))):
        if houses:
            steps[i], _ = random_houses(U(supply), U(places), next_word(random))
        else:
            steps[i] = random_towers(packed_towers(U(supply)), U(places), next_word(random))


def drawn(houses: bool, supply: Sequence[int], places: int, seed: int) -> Counter[Hashable]:
    """How often each outcome came up, with and without a choice."""
    packed = sum(left << (8 * color) for color, left in enumerate(supply))
    out = np.zeros(SAMPLES, dtype=np.uint64)
    sample_draws(int(houses), packed, places, new_rng(seed), out)
    steps = HOUSE_STEPS_BY_CHOICE if houses else TOWER_STEPS_BY_CHOICE
    # Codes that put nothing at a place have the same step; the right one is the last.
    known = {int(step): divmod(at, 64) for at, step in enumerate(steps.ravel())}
    drawn = Counter(out.tolist())
    return Counter(
        {
            ((color(code >> 3), color(code & 7)), bool(choice)): count
            for (choice, code), count in ((known[step], count) for step, count in drawn.items())
        }
    )


def color(bits: int) -> int | None:
    return None if bits == 7 else bits


def shared(rolls: Sequence[set[Colors]]) -> Counter[Hashable]:
    """Each roll as likely, and each of its outcomes."""
    right: Counter[Hashable] = Counter()
    for outcomes in rolls:
        for outcome in outcomes:
            key = outcome, len(outcomes) > 1
            right[key] += 1 / len(rolls) / len(outcomes)  # type: ignore[assignment]
    return right


@pytest.mark.slow
@pytest.mark.parametrize("empty", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "supply", [(10, 10, 10), (2, 2, 2), (5, 1, 7), (3, 0, 1), (0, 0, 4), (0, 1, 0)]
)
def test_towers(supply: tuple[int, ...], empty: int) -> None:
    places = [place for place in range(2) if empty >> place & 1]
    rolls = [
        by_the_rules(supply, (die, 5), places, either_die=False) if places else {(None, None)}
        for die in range(3)
    ]
    assert_fair(drawn(False, supply, empty, seed=empty + 1), shared(rolls))


@pytest.mark.parametrize("spaces", [1, 2])
@pytest.mark.parametrize(
    "supply",
    [(12,) * 5, (2,) * 5, (1, 3, 0, 2, 12), (0, 0, 0, 1, 1), (0, 0, 0, 5, 0), (0, 0, 1, 0, 0)],
)
def test_houses(supply: tuple[int, ...], spaces: int) -> None:
    rolls = [
        by_the_rules(supply, dice, [0, 1][:spaces], either_die=True)
        for dice in product(range(6), repeat=2)
    ]
    assert_fair(drawn(True, supply, spaces - 1, seed=spaces), shared(rolls))
