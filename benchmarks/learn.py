"""Learn the numbers of `ai/data/learned.json` from games of the engine against itself.

    python benchmarks/learn.py [--minutes 180] [--seed 1] [--out ai/data/learned.json]

Three steps, each with a third of the time:

1. The rules of thumb: an evolution strategy with a normal distribution for each parameter, in games
   against a pool of its own earlier selves and a player that closes whatever it can.
2. The leaf: searches by halving with the weights so far play each other, `greedy` and `busy`; ridge
   regression of the final scores, seats compared with each other, on what each seat had at the
   starts of turns; then again with the new weights.
3. The calibration: searches by halving play each other; the stretch and lowering of the shares by
   the likelihood of the winners, the scores by least squares.

The file that is shipped came of these steps, run by hand one after the other.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from masons.ai.calibration import CALIBRATION, calibrated
from masons.ai.halving import HalvingSearch
from masons.ai.leaf import FEATURES, LEAF_WEIGHTS, describe, game_left_of
from masons.ai.players import Player, make_player
from masons.ai.thumb import PARAMETERS, STAGES
from masons.ai.thumb_play import thumb_games
from masons.cli.files import write_atomic
from masons.engine.board import load_board
from masons.engine.game import Game
from masons.engine.notation import Move
from masons.engine.rng import mix, new_rng
from masons.engine.start import empty_state
from masons.engine.table import Table
from masons.engine.tally import TALLY_WORDS
from masons.engine.view import View
from measuring import ROOT, positive

Numbers = NDArray[np.float64]
Weights = dict[str, Numbers]

# Where the search for the rules of thumb begins, and how far it looks at first: in the order of
# the parameters (see `masons.ai.thumb`), the same for each third of the game.
FIRST = np.tile([0.9, 3.0, 0.0, 0.0, -2.0, 1.0, 1.3, 1.0, 0.0, 2.0, 1.0], STAGES)
REACH = np.tile([0.3, 2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 0.3, 1.0, 1.5, 1.5], STAGES)
CLOSER = np.tile([0.0, 0.0, 2.0, 1.0, 3.0, 3.0, 0.0, 0.0, 0.0, 0.0, 1.0], STAGES)
CANDIDATES, PARENTS, GAMES = 24, 6, 1000
SIMS = 800  # of a search in games that are learned from
CALIBRATION_SIMS = 1500
EXPLORED = 0.04  # of the decisions are made at random
# Who plays whom: S a search, G greedy, B busy.
TABLES = ("SS", "SG", "SS", "SB", "SSS", "SGG", "SSSS", "SGSG", "SS", "GS", "SSG")
RIDGE = 0.002
SPREADS = [(near, far) for near in (1, 2, 3, 4, 6, 8) for far in (2, 4, 6, 8, 10, 14, 18, 24, 32)]


# --- the rules of thumb


def thumb_share(ours: Numbers, theirs: Numbers, seed: int) -> float:
    """The share of games of two that parameters win, with a hundredth for each point of lead."""
    table = Table(load_board("classic"))
    start = empty_state(table.packed, 2)
    total = 0.0
    for seat in range(2):
        weights = np.concatenate([ours, theirs] if seat == 0 else [theirs, ours])
        results = np.zeros(GAMES * 6)
        thumb_games(
            start, table.packed, new_rng(seed), weights, GAMES, start.copy(), start.copy(),
            np.zeros(TALLY_WORDS, dtype=np.uint64), results,
        )  # fmt: skip
        points = results.reshape(GAMES, 6)[:, :2]
        lead = points[:, seat] - points[:, 1 - seat]
        total += float(np.mean(lead > 0) + 0.5 * np.mean(lead == 0) + 0.01 * lead.mean())
    return total / 2


def learn_thumb(seconds: float, seed: int) -> Numbers:
    """The mean of the distribution when the time is over."""
    luck = np.random.default_rng(seed)
    mean, reach, pool = FIRST.copy(), REACH * 0.6, [CLOSER, FIRST]
    until, number = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        number += 1
        tried = [mean + reach * luck.standard_normal(PARAMETERS) for _ in range(CANDIDATES)]
        rivals = [pool[i] for i in (0, -1, *luck.integers(0, len(pool), 2))]
        shares = [np.mean([thumb_share(t, r, mix(seed, number)) for r in rivals]) for t in tried]
        best = np.array([tried[i] for i in np.argsort(shares)[::-1][:PARENTS]])
        moved = np.sqrt(((best - mean) ** 2).mean(axis=0))
        reach = np.clip(0.9 * reach + 0.13 * moved, 0.03 * REACH, REACH)
        mean = best.mean(axis=0)
        if number % 10 == 0:
            pool = [*pool[:2], *pool[2:][-9:], mean.copy()]
            print(f"thumb {number}: {thumb_share(mean, CLOSER, 7):.3f} against the closer")
    return mean


# --- games of searches


class Searcher:
    """A search by halving with weights of its own."""

    def __init__(self, weights: Weights, seed: int, sims: int) -> None:
        self._weights, self._seed, self._sims = weights, seed, sims
        self._decisions = 0
        self.last: HalvingSearch | None = None

    def choose(self, table: Table, view: View, moves: Sequence[Move]) -> Move:
        """The best move."""
        self._decisions += 1
        seed = mix(self._seed, self._decisions)
        search = HalvingSearch(table, view, list(moves[:512]), seed=seed, weights=self._weights)
        search.run(self._sims)
        self.last = search
        return search.best


def seat_players(kinds: str, weights: Weights, seed: int, sims: int) -> list[Searcher | Player]:
    """Who sits in the seats."""
    names = {"G": "greedy", "B": "busy"}
    return [
        Searcher(weights, mix(seed, seat), sims)
        if kind == "S"
        else make_player(names[kind], mix(seed, seat))
        for seat, kind in enumerate(kinds)
    ]


def play(
    kinds: str,
    weights: Weights,
    seed: int,
    sims: int,
    watch: Callable[[Game, Searcher | Player | None], None],
    explored: float,
) -> Game:
    """A game; `watch` is called before each decision and, with who made it, after it."""
    game = Game(len(kinds), seed=seed, first=seed % len(kinds))
    players = seat_players(kinds, weights, seed, sims)
    luck = np.random.default_rng(seed)
    while not game.is_over:
        player, moves = players[game.seat], game.legal_moves()
        watch(game, None)
        if luck.random() < explored:
            move = moves[int(luck.integers(len(moves)))]
        else:
            move = player.choose(game.table, game.seen(game.seat), moves)
            watch(game, player)
        game.apply(move)
    return game


# --- the leaf

# At the start of a turn: each seat's features, the share of the game left, the scores at the end.
Sample = tuple[Numbers, float, Numbers]


def sample_turns(weights: Weights, seconds: float, seed: int) -> list[Sample]:
    """At the start of each turn of many games: each seat's features, what is left, the end."""
    found = []
    until, number = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        kinds = TABLES[number % len(TABLES)]
        number += 1
        here: list[Numbers] = []

        def watch(game: Game, player: object, here: list[Numbers] = here) -> None:
            if player is None and game.phase == "wall":
                row = np.zeros(4 * FEATURES + 1)
                describe(game.state, game.table.packed, row)
                here.append(row)

        game = play(kinds, weights, mix(seed, number) >> 2, SIMS, watch, EXPLORED)
        final = np.array(game.scores, dtype=np.float64)
        found += [
            (row[:-1].reshape(4, FEATURES)[: len(kinds)], float(row[-1]), final) for row in here
        ]
    print(f"leaf: {len(found)} turns of {number} games")
    return found


def fit_leaf(samples: Sequence[Sample]) -> Numbers:
    """LEAF_WEIGHTS by ridge regression, the spread by the likelihood of the winners."""
    inputs = [
        np.stack([seats, seats * left], axis=-1).reshape(len(seats), -1)
        for seats, left, _ in samples
    ]
    rows = np.concatenate([x - x.mean(axis=0) for x in inputs])
    ends = np.concatenate([final - final.mean() for _, _, final in samples])
    scale = rows.std(axis=0) + 1e-9
    scaled = rows / scale
    grip = RIDGE * len(ends) * np.eye(scaled.shape[1])
    weights = np.linalg.solve(scaled.T @ scaled + grip, scaled.T @ ends) / scale
    left_over = ends - rows @ weights
    print(f"leaf: R2 {1 - left_over.var() / ends.var():.3f}")

    def likelihood(spread: tuple[int, int]) -> float:
        total = 0.0
        for x, (_, left, final) in zip(inputs, samples, strict=True):
            logs = x @ weights / (spread[0] + spread[1] * left)
            logs -= logs.max()
            shares = np.exp(logs) / np.exp(logs).sum()
            won = final == final.max()
            total += float(np.log(shares[won] + 1e-9).mean())
        return total

    best = max(SPREADS, key=likelihood)
    fitted = np.concatenate([weights, np.array(best, dtype=np.float64)])
    assert len(fitted) == LEAF_WEIGHTS
    return fitted


# --- the calibration

# Of a decision: what is left, the seat, the best move's shares, scores and share of ended playouts;
# then the shares of the victory and the scores at the end.
Verdict = tuple[float, int, Numbers, Numbers, float, Numbers, Numbers]


def sample_verdicts(weights: Weights, seconds: float, seed: int) -> list[Verdict]:
    """What searches found before they decided, and how the games ended."""
    raw = {**weights, "calibration": PLAIN}
    found: list[Verdict] = []
    until, number = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        kinds = ("SS", "SS", "SSS", "SSSS")[number % 4]
        number += 1
        here: list[tuple[float, int, Numbers, Numbers, float]] = []

        def watch(game: Game, player: object, here: list[Any] = here) -> None:
            if isinstance(player, Searcher) and player.last is not None:
                best = player.last.analysis(0.0).moves[0]
                ended = player.last.ended_share(best.move)
                left = game_left_of(game.state)
                here.append((left, game.seat, np.array(best.wins), np.array(best.scores), ended))

        game = play(kinds, raw, mix(seed, number) >> 2, CALIBRATION_SIMS, watch, 0.0)
        result = game.result
        assert result is not None
        won = np.array([s in result.winners for s in range(len(kinds))]) / len(result.winners)
        found += [(*row, won, np.array(result.scores, dtype=np.float64)) for row in here]
    return found


# A calibration that changes nothing.
PLAIN = np.array([1, 0, 0, 0, 0, 0, 1, 0, 1, 0], dtype=np.float64)


def by_players(verdicts: Sequence[Verdict]) -> list[tuple[Any, ...]]:
    """The verdicts of games with as many players each, as arrays."""
    found = []
    for players in (2, 3, 4):
        some = [verdict for verdict in verdicts if len(verdict[2]) == players]
        if some:
            found.append(tuple(np.array(column) for column in zip(*some, strict=True)))
    return found


def fit_calibration(verdicts: Sequence[Verdict]) -> Numbers:
    """CALIBRATION by gradient descent on the likelihood, and least squares for the scores."""
    weights = PLAIN.copy()
    weights[:4] = [0.6, 0.0, 0.5, 0.0]
    groups = by_players(verdicts)

    def loss(numbers: Numbers) -> float:
        total = 0.0
        for *seen, won, _ in groups:
            shares, _ = calibrated(numbers, *seen)
            total -= float((won * np.log(shares + 1e-9)).sum())
        return total / len(verdicts)

    step = 1e-3
    for _ in range(500):
        slope = np.zeros(CALIBRATION)
        for i in range(4):
            ahead, behind = weights.copy(), weights.copy()
            ahead[i] += step
            behind[i] -= step
            slope[i] = (loss(ahead) - loss(behind)) / (2 * step)
        weights -= 0.5 * slope
    weights[4:] = _fit_scores(verdicts)
    print(f"calibration: expected error {expected_error(weights, verdicts):.3f}")
    return weights


def _fit_scores(verdicts: Sequence[Verdict]) -> Numbers:
    rows, ends = [], []
    for left, _, _, scores, ended, _, final in verdicts:
        if ended < 0.5:
            mean = scores.mean()
            for guess, end in zip(scores, final, strict=True):
                at = np.array([1.0, mean, guess - mean])
                rows.append(np.stack([at, at * left], axis=-1).ravel())
                ends.append(end)
    found: Numbers = np.linalg.lstsq(np.array(rows), np.array(ends), rcond=None)[0]
    return found


def expected_error(weights: Numbers, verdicts: Sequence[Verdict], bins: int = 10) -> float:
    """Expected calibration error of the deciding seat's share."""
    said, came = [], []
    for left, seats, wins, scores, ended, won, _ in by_players(verdicts):
        shares, _ = calibrated(weights, left, seats, wins, scores, ended)
        rows = np.arange(len(seats))
        said.append(shares[rows, seats])
        came.append(won[rows, seats])
    chances, outcomes = np.concatenate(said), np.concatenate(came)
    place = np.minimum((chances * bins).astype(int), bins - 1)
    return sum(
        float(np.mean(place == i) * abs(chances[place == i].mean() - outcomes[place == i].mean()))
        for i in range(bins)
        if (place == i).any()
    )


def main() -> None:
    """Learn, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=180.0)
    parser.add_argument("--seed", type=positive, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "ai" / "data" / "learned.json")
    options = parser.parse_args()
    part = 20.0 * options.minutes
    weights: Weights = {
        "thumb": learn_thumb(part, options.seed),
        "leaf": first_leaf(),
        "calibration": PLAIN,
    }
    for turn in range(3):
        weights["leaf"] = fit_leaf(sample_turns(weights, part / 3, mix(options.seed, turn)))
    weights["calibration"] = fit_calibration(sample_verdicts(weights, part, options.seed))
    numbers = {key: [round(float(x), 4) for x in found] for key, found in weights.items()}
    write_atomic(options.out, json.dumps(numbers) + "\n")


def first_leaf() -> Numbers:
    """Points now, the two best land cards, and a little for each card."""
    weights = np.zeros(LEAF_WEIGHTS)
    weights[0:8:2] = [1.0, 1.3, 1.0, 1.0]
    weights[-2:] = [4.0, 8.0]
    return weights


if __name__ == "__main__":
    main()
