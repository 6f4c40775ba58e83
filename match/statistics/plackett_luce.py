"""The likeliest worths of players under the model of Plackett and Luce, with ties.

A worth is what this model calls the strength of a player.

A ranking is a series of choices: the first place from all, the next from those that are left. A set
of k players is chosen with a probability proportional to d_k times the geometric mean of their
worths; d_1 = 1, the other d (how common ties are) are estimated too. For two players without ties
that is the model of Bradley and Terry; with ties, of Davidson. Several seats of one player in a
ranking are several competitors of one worth.

The weak prior: each player won half a game, and lost half, against one more player of worth 1. So
the worths stay finite where somebody won or lost everything, and defined where groups never met.

Sources: H. L. Turner, J. van Etten, D. Firth and I. Kosmidis, "Modelling rankings in R: the
PlackettLuce package" (2020), for the model and the prior; D. R. Hunter, "MM algorithms for
generalized Bradley-Terry models" (2004), for the likelihood. Its logarithm is concave in the
logarithms of worths and of d, so Newton's method, halving steps that lead down, finds the maximum
in some ten steps where Hunter's algorithm takes hundreds.

Why not a library: openskill updates ratings game by game, so that they depend on the order of the
games, and its intervals know nothing of blocks; choix has no ties and brings scipy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

Ranking = Sequence[Sequence[int]]
"""Players from best to worst; those that share a place together."""

PRIOR: Final = 0.5
"""Wins, and losses, of each player against the player of the prior."""

# How firmly the logs of d are held at 0: so weakly that only a d that would be 0 or infinite (every
# game a tie) is.
_TIE_PRIOR: Final = 1e-6
_STEPS: Final = 200
_HALVINGS: Final = 40
_PRECISION: Final = 1e-9


def choices(ranking: Ranking) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The choices of a ranking: who was chosen, from whom; sorted, without those from one alone."""
    found = []
    left = sorted(player for group in ranking for player in group)
    for group in ranking:
        if len(left) > 1:
            found.append((tuple(sorted(group)), tuple(left)))
        for player in group:
            left.remove(player)
    return found


@dataclass(frozen=True)
class ChoiceCounts:
    """What rankings say, for any number of samples of them: their sufficient statistics.

    R alternatives in all, E different sets that were chosen from, P parameters: the log worths of
    the players, then the logs of d for the orders of ties that occurred.
    """

    players: int
    features: Numbers  # [R, P]
    offsets: Numbers  # [R]: logs of how many choices of seats are the same to the model
    starts: NDArray[np.intp]  # [E]: the first alternative of each set
    chosen: Numbers  # [rankings, P]: the sum of the features of what was chosen
    offered: Numbers  # [rankings, E]: how often each set was chosen from
    prior_chosen: Numbers  # [P]
    prior_offered: Numbers  # [E]


def _features(group: Sequence[int], players: int, orders: Sequence[int]) -> Numbers:
    """The parameters' weights in the log worth of a group; player `players` is the prior's."""
    row = np.zeros(players + len(orders))
    for player in group:
        if player < players:
            row[player] += 1 / len(group)
    if len(group) > 1:
        row[players + orders.index(len(group))] = 1
    return row


def _numbered(sets: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    """Different sets, numbered as they come."""
    return {own: number for number, own in enumerate(dict.fromkeys(sets))}


def count_choices(rankings: Sequence[Ranking], players: int, prior: float = PRIOR) -> ChoiceCounts:
    """The statistics of rankings of players 0 to players - 1."""
    made = [choices(ranking) for ranking in rankings]
    orders = sorted({len(group) for own in made for group, _ in own} - {1})
    ghosts = [(player, players) for player in range(players)] if prior else []
    sets = _numbered([*ghosts, *(left for own in made for _, left in own)])
    rows: list[Numbers] = []
    offsets: list[float] = []
    starts: list[int] = []
    for left in sets:
        starts.append(len(rows))
        alike = Counter(
            group
            for order in (1, *orders)
            if order <= len(left)
            for group in combinations(left, order)
        )
        rows += [_features(group, players, orders) for group in alike]
        offsets += [float(np.log(number)) for number in alike.values()]
    width = players + len(orders)
    chosen, offered = np.zeros((len(made), width)), np.zeros((len(made), len(sets)))
    for i, own in enumerate(made):
        for group, left in own:
            chosen[i] += _features(group, players, orders)
            offered[i, sets[left]] += 1
    prior_chosen, prior_offered = np.zeros(width), np.zeros(len(sets))
    prior_chosen[:players] = prior
    prior_offered[: len(ghosts)] = 2 * prior
    return ChoiceCounts(
        players,
        np.array(rows).reshape(-1, width),
        np.array(offsets),
        np.array(starts, dtype=np.intp),
        chosen,
        offered,
        prior_chosen,
        prior_offered,
    )


class _Likelihood:
    """The penalised log-likelihood of B samples at once, each a weight for each ranking."""

    def __init__(self, data: ChoiceCounts, weights: Numbers) -> None:
        self._data = data
        self._chosen = weights @ data.chosen + data.prior_chosen
        self._offered = weights @ data.offered + data.prior_offered
        self._sizes = np.diff(np.append(data.starts, len(data.offsets)))
        self._ties = np.arange(data.features.shape[1]) >= data.players

    def _log_probabilities(self, at: Numbers) -> tuple[Numbers, Numbers]:
        """The log probability of each alternative [B, R], and the log of each set's sum [B, E]."""
        data = self._data
        log_odds = at @ data.features.T + data.offsets
        most = np.maximum.reduceat(log_odds, data.starts, axis=1)
        log_odds -= np.repeat(most, self._sizes, axis=1)
        sums = np.log(np.add.reduceat(np.exp(log_odds), data.starts, axis=1))
        return log_odds - np.repeat(sums, self._sizes, axis=1), sums + most

    def value(self, at: Numbers) -> Numbers:
        """float64[B], at parameters float64[B, P]."""
        penalty = _TIE_PRIOR / 2 * (at[:, self._ties] ** 2).sum(axis=1)
        _, sums = self._log_probabilities(at)
        likelihood = (self._chosen * at).sum(axis=1) - (self._offered * sums).sum(axis=1)
        return np.asarray(likelihood - penalty)

    def slopes(self, at: Numbers) -> tuple[Numbers, Numbers]:
        """The gradient [B, P], and the curvature [B, P, P]: minus the second derivatives."""
        data = self._data
        chances = np.exp(self._log_probabilities(at)[0])
        weights = chances * np.repeat(self._offered, self._sizes, axis=1)
        gradient = self._chosen - weights @ data.features - _TIE_PRIOR * at * self._ties
        curvature = np.empty((*at.shape, at.shape[1]))
        for i, (own, chance) in enumerate(zip(weights, chances, strict=True)):
            means = np.add.reduceat(chance[:, None] * data.features, data.starts, axis=0)
            curvature[i] = data.features.T @ (own[:, None] * data.features)
            curvature[i] -= means.T @ (self._offered[i][:, None] * means)
            curvature[i] += np.diag(_TIE_PRIOR * self._ties)
        return gradient, curvature


def _firm(curvature: Numbers, players: int) -> Numbers:
    """The curvature with the one direction that no ranking speaks of, all worths alike, held."""
    firm = curvature.copy()
    firm[..., :players, :players] += 1.0
    return firm


def fit(data: ChoiceCounts, weights: Numbers, start: Numbers | None = None) -> Numbers:
    """The likeliest parameters of samples of rankings; float64[B, P].

    `weights` float64[B, rankings] says how often each ranking counts in each sample. Without a
    prior the players must be connected by wins and by losses (else there is no maximum, and
    ArithmeticError is raised), and the log worths add up to 0.
    """
    likelihood = _Likelihood(data, weights)
    at = np.zeros((len(weights), data.features.shape[1])) if start is None else start.copy()
    has_prior = bool(data.prior_offered.any())
    value = likelihood.value(at)
    for _ in range(_STEPS):
        gradient, curvature = likelihood.slopes(at)
        firm = curvature if has_prior else _firm(curvature, data.players)
        try:
            step = np.linalg.solve(firm, gradient[..., None])[..., 0]
        except np.linalg.LinAlgError:
            break
        if np.abs(step).max() < _PRECISION:
            return at + step
        for _ in range(_HALVINGS):
            following = likelihood.value(at + step)
            worse = following < value - 1e-12 * np.abs(value)
            if not worse.any():
                break
            step[worse] /= 2
        at, value = at + step, following
    raise ArithmeticError("the worths have no finite maximum: some players only won or only lost")


def covariance(data: ChoiceCounts, at: Numbers) -> Numbers:
    """The large-sample covariance of the parameters `at`, float64[P, P]; needs a prior."""
    everything = np.ones((1, len(data.chosen)))
    _, curvature = _Likelihood(data, everything).slopes(at[None, :])
    inverse: Numbers = np.linalg.inv(curvature[0])
    return inverse
