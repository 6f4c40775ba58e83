"""Games of named players, noted step by step: what a shard of a dataset holds.

A job is plain data and its work a function of a module, so that it can be done anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.players.named_players import make_player
from masons.ai.players.player import Player
from masons.ai.players.search_player import SearchPlayer
from masons.ai.search.levels import TOP_LEVEL
from masons.ai.search.results import MoveStats
from masons.engine.board.board_text import board_of
from masons.engine.formats.move_text import Move
from masons.engine.game.game import Game
from masons.engine.kernels.rng import mix
from masons.env.batch_env import BatchEnv
from masons.env.datasets.shard_files import pack_shard

_UNKNOWN: Final = float("nan")


@dataclass(frozen=True)
class ShardJob:
    """The games `first` to `first + count - 1` of a dataset.

    `board`: a board's name, or the whole of its JSON; `seats`: the player of each seat.
    """

    board: str
    seats: tuple[str, ...]
    seed: int
    first: int
    count: int
    form: str  # of `shard_forms.FORMS`


class _Target(NamedTuple):
    """What a search found of a move: the actions that make it, visits, the win probability."""

    actions: tuple[int, ...]
    visits: int
    win: float


class _Choice(NamedTuple):
    """A player's move; the win probability that its search found, NaN where there is none."""

    move: Move
    value: float
    searched: tuple[MoveStats, ...] = ()


def _decide(player: Player, game: Game) -> _Choice:
    view = game.observe(game.seat)
    searches = isinstance(player, SearchPlayer) and player.level in (None, TOP_LEVEL)
    if searches and len(game.legal_moves()) > 1:
        assert isinstance(player, SearchPlayer)
        found = player.analyse(game.table, view)
        return _Choice(found.best, found.wins[game.seat], found.moves)
    return _Choice(player.choose(game.table, view, game.legal_moves()), _UNKNOWN)


def _targets(env: BatchEnv, game: Game, searched: tuple[MoveStats, ...]) -> list[_Target]:
    encode = env.encoding.actions.actions_of
    return [
        _Target(tuple(encode(game.table, game.state, one.move)), one.visits, one.win or 0.0)
        for one in searched
        if one.visits
    ]


def _by_action(
    targets: list[_Target], made: tuple[int, ...], actions: int
) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """Visits and win probabilities of the actions that may follow those made in a decision.

    Several moves can begin with an action: their visits are added up, and the best one's win
    probability counts.
    """
    visits = np.zeros(actions, dtype=np.uint32)
    wins = np.full(actions, _UNKNOWN, dtype=np.float32)
    for target in targets:
        if len(target.actions) > len(made) and target.actions[: len(made)] == made:
            action = target.actions[len(made)]
            visits[action] += target.visits
            wins[action] = np.fmax(wins[action], target.win)
    return visits, wins


class _Notes:
    """The steps of a shard's games, column by column."""

    def __init__(self) -> None:
        self.steps: list[tuple[Any, ...]] = []
        self.results: list[tuple[Any, ...]] = []

    def columns(self, first: int) -> dict[str, NDArray[Any]]:
        """The arrays of a shard (see `shard_files`)."""
        (
            observation, mask, action, player, number, decision, value, visits, wins,
        ) = zip(*self.steps, strict=True)  # fmt: skip
        games = np.array(number, dtype=np.int32)
        rewards, scores = (np.array(column) for column in zip(*self.results, strict=True))
        return {
            "observation": np.array(observation, dtype=np.uint8),
            "mask": np.array(mask, dtype=np.uint8),
            "action": np.array(action, dtype=np.int16),
            "player": np.array(player, dtype=np.int8),
            "game": games,
            "decision": np.array(decision, dtype=np.int16),
            "value": np.array(value, dtype=np.float32),
            "visits": np.array(visits),
            "wins": np.array(wins),
            "result": rewards[games - first].astype(np.float32),
            "score": scores[games - first].astype(np.int16),
        }


def _play(job: ShardJob, number: int, env: BatchEnv, notes: _Notes) -> None:
    """Play a game, seat `number` modulo the players beginning, and note its steps."""
    seed = mix(job.seed, number)
    players = len(job.seats)
    game = Game(players, board=board_of(job.board), seed=seed, first=number % players)
    named = [make_player(spec, mix(seed, seat)) for seat, spec in enumerate(job.seats)]
    while not game.is_over:
        seat = game.seat
        chosen = _decide(named[seat], game)
        step = env.set_game(0, game.state)
        targets = _targets(env, game, chosen.searched)
        made: tuple[int, ...] = ()
        for action in env.encode(chosen.move):
            mask = np.packbits(step.mask[0], bitorder="little")
            row = (step.observation[0].copy(), mask, action, seat, number)
            found = _by_action(targets, made, env.num_actions)
            notes.steps.append((*row, game.decisions, chosen.value, *found))
            env.step([action])
            made += (action,)
        game.apply(chosen.move)
    result = game.result
    assert result is not None
    won = [players * (seat in result.winners) / len(result.winners) for seat in range(players)]
    rewards = [(share - 1) / (players - 1) for share in won]
    empty = [0] * (4 - players)
    notes.results.append(([*rewards, *empty], [*result.scores, *empty]))


def make_shard(job: ShardJob) -> bytes:
    """The file of a shard: its games are played here. Raises MasonsError."""
    env = BatchEnv(1, len(job.seats), board_of(job.board), seed=0, auto_reset=False)
    env.reset()
    notes = _Notes()
    for number in range(job.first, job.first + job.count):
        _play(job, number, env, notes)
    about = {"encoding": env.encoding.fingerprint, "first": job.first, "games": job.count}
    return pack_shard(notes.columns(job.first), about, job.form)
