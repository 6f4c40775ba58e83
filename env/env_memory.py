"""The memory of environments: the arrays that kernels work on, and what can be read out of them."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.model_data import learned
from masons.engine.board.components import MAX_PLAYERS, MIN_PLAYERS
from masons.engine.board.geometry import Board
from masons.engine.game.action_history import HISTORY_SIZE
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of
from masons.engine.state import layout as at
from masons.engine.state.initial_state import empty_state
from masons.env.encoding import Encoding
from masons.env.env_arguments import number_given
from masons.env.stepping import env_row
from masons.env.stepping.batch_kernels import PART, Batch
from masons.env.stepping.env_row import ROW_WORDS
from masons.env.stepping.hand_odds import WORK_WORDS

_WORD: Final = 8

# Of JAX on the processor.
_ALIGNMENT: Final = 64

Words = NDArray[np.uint64]
Scalar = TypeVar("Scalar", bound=np.generic)


class BatchStep(NamedTuple):
    """What there is to know after a step: the same arrays each time, written anew.

    All are views of the environments' memory; a copy stays as it is.
    """

    observation: NDArray[np.uint8]  # [n, observation size]: what the seat to move sees
    mask: NDArray[np.bool_]  # [n, actions]: which actions are legal
    player: NDArray[np.int64]  # [n]: the seat to move; -1 where a game is over
    reward: NDArray[np.float32]  # [n, 4]: of each seat, by the last action
    done: NDArray[np.bool_]  # [n]: whether the last action ended a game


def aligned(count: int, dtype: type[Scalar]) -> NDArray[Scalar]:
    """So many zeros at an address that other libraries take without a copy."""
    size = np.dtype(dtype).itemsize * count
    memory = np.zeros(size + _ALIGNMENT, dtype=np.uint8)
    begin = -memory.ctypes.data % _ALIGNMENT
    return memory[begin : begin + size].view(dtype)


class EnvMemory:
    """So many environments on a board, not begun yet: `players` of each."""

    def __init__(
        self,
        board: Board,
        players: list[int],
        reward_rule: int,
        *,
        auto_reset: bool,
        early_roll: bool,
        beliefs: bool,
    ) -> None:
        self.num_envs = len(players)
        self.encoding = Encoding(board, beliefs=beliefs)
        self.table = Table(board)
        self.auto_reset = auto_reset
        self._make_arrays(reward_rule, early_roll)
        self._rows[:, int(env_row.ENCODING)] = self.encoding.number
        self._rows.view(np.uint8)[:, int(env_row.SEATS)] = players

    def _make_arrays(self, reward_rule: int, early_roll: bool) -> None:
        count, actions = self.num_envs, self.encoding.actions.count
        observation_words, mask_words = self.encoding.layout.words, -(-actions // _WORD)
        self._rows: Words = aligned(count * ROW_WORDS, np.uint64).reshape(count, -1)
        observation = aligned(count * observation_words, np.uint64)
        mask = aligned(count * mask_words, np.uint64)
        player = aligned(count, np.uint64)
        reward = aligned(count * MAX_PLAYERS, np.float32)
        done = aligned(-(-count // _WORD), np.uint64)
        kept = count if self.encoding.layout.beliefs_word else 0
        self._history = np.zeros((kept, HISTORY_SIZE))
        starts = [
            empty_state(self.table.packed, seats, early_roll=early_roll)
            for seats in range(MIN_PLAYERS, MAX_PLAYERS + 1)
        ]
        self._batch = Batch(
            rows=field_of(self._rows.reshape(-1)),
            board=field_of(self.table.packed),
            starts=field_of(np.concatenate(starts)),
            observation=field_of(observation),
            mask=field_of(mask),
            player=field_of(player),
            reward=field_of(reward),
            done=field_of(done),
            observation_words=U(observation_words),
            mask_words=U(mask_words),
            reward_rule=U(reward_rule),
            auto_reset=U(self.auto_reset),
            history=field_of(self._history.reshape(-1)),
            work=field_of(np.zeros(-(-kept // PART) * WORK_WORDS, dtype=np.uint64)),
            hands=field_of(learned()["hands"] if kept else np.zeros(0)),
            beliefs_word=U(self.encoding.layout.beliefs_word),
        )
        masks = mask.view(np.uint8).reshape(count, mask_words * _WORD)[:, :actions]
        self._step = BatchStep(
            observation.view(np.uint8).reshape(count, -1),
            masks.view(np.bool_),
            player.view(np.int64),
            reward.reshape(count, MAX_PLAYERS),
            done.view(np.uint8)[:count].view(np.bool_),
        )

    @property
    def _width(self) -> int:
        """The words of a state: its row, and the action history where one is kept."""
        return ROW_WORDS + (HISTORY_SIZE if len(self._history) else 0)

    def _copied(self, chosen: NDArray[np.int64]) -> Words:
        """States, uint64[k, width], their checksums not written."""
        rows: Words = self._rows[chosen]
        if len(self._history):
            rows = np.hstack([rows, self._history[chosen].view(np.uint64)])
        return rows

    def _put(self, chosen: NDArray[np.int64], states: Words) -> None:
        """Put states into their places; nothing is shown yet."""
        self._rows[chosen] = states[:, :ROW_WORDS]
        if len(self._history):
            self._history[chosen] = states[:, ROW_WORDS:].view(np.float64)

    @property
    def num_actions(self) -> int:
        """The number of actions, legal or not."""
        return self.encoding.actions.count

    @property
    def observation_size(self) -> int:
        """The bytes of an observation."""
        return self.encoding.layout.size

    @property
    def players(self) -> NDArray[np.int64]:
        """int64[num_envs]: how many play in each environment."""
        return self._rows.view(np.uint8)[:, int(env_row.SEATS)].astype(np.int64)

    @property
    def scores(self) -> NDArray[np.int64]:
        """int64[num_envs, 4]: the points of each seat now."""
        return self._four(at.SCORES)

    @property
    def final_scores(self) -> NDArray[np.int64]:
        """int64[num_envs, 4]: the points at the end of the last game that ended in each."""
        return self._four(env_row.FINAL_SCORES)

    @property
    def games(self) -> NDArray[np.int64]:
        """int64[num_envs]: the games that ended in each environment."""
        return self._rows[:, int(env_row.GAMES)].astype(np.int64)

    @property
    def steps(self) -> NDArray[np.int64]:
        """int64[num_envs]: the actions made in each game so far."""
        return self._rows[:, int(env_row.STEPS)].astype(np.int64)

    @property
    def is_mid_decision(self) -> NDArray[np.bool_]:
        """bool[num_envs]: whether some steps of the decision that is due were made already."""
        begun: NDArray[np.bool_] = self._rows.view(np.uint8)[:, int(env_row.BEGUN)] != 0
        return begun

    def _four(self, word: int) -> NDArray[np.int64]:
        four = np.ascontiguousarray(self._rows[:, int(word)]).view(np.uint16)
        return four.reshape(self.num_envs, MAX_PLAYERS).astype(np.int64)

    def legal_mask(self, number: int) -> NDArray[np.bool_]:
        """bool[num_actions]: the legal actions of an environment, a copy."""
        legal: NDArray[np.bool_] = self._legal(self._rows[[number_given(number, self.num_envs)]])[0]
        return legal

    def _legal(self, rows: Words) -> NDArray[np.bool_]:
        """bool[k, num_actions]: the legal actions of rows."""
        begin = int(env_row.LEGAL)
        sets = np.ascontiguousarray(rows[:, begin : begin + env_row.LEGAL_WORDS]).view(np.uint8)
        bits = np.unpackbits(sets, axis=1, bitorder="little")
        legal: NDArray[np.bool_] = bits[:, : self.num_actions].view(np.bool_)
        return legal
