"""Step many games at once, for learning; actions and results are arrays.

>>> env = BatchEnv(num_envs=1024, players=2, seed=1)
>>> step = env.reset()
>>> for _ in range(100):
...     step = env.step(env.pick_actions())
>>> step.observation.shape, step.mask.shape
((1024, 3208), (1024, 344))
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.components import MAX_PLAYERS, MIN_PLAYERS
from masons.engine.board.geometry import Board, sound_board
from masons.engine.checks import check_any_whole, check_flag, check_whole, shown
from masons.engine.errors import MasonsError, MoveError
from masons.engine.formats.move_text import Move, move_given
from masons.engine.game.game import seed_given
from masons.engine.game.observation import Observation, view_of
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import WordArray, aligned_zeros
from masons.engine.kernels.rng import mix, new_rng
from masons.engine.plain_text import count as counted
from masons.engine.state import layout
from masons.engine.state.derive import empty_state
from masons.engine.state.position import Position, unpack_state
from masons.env import env_arguments as arguments
from masons.env.encoding import Encoding
from masons.env.stepping import batch_kernels as kernels
from masons.env.stepping import env_layout
from masons.env.stepping.shared_work import PICK_JOB, STEP_JOB, Workers

_WORD: Final = 8
_STATE: Final = layout.STATE_WORDS
_NAMED: Final = 6  # greatest number of legal actions that a message names
_PICKS: Final = -1  # random stream of `pick_actions`; environments have the streams 0, 1, 2, ...


class BatchStep(NamedTuple):
    """The result of a step. The next step overwrites the arrays, so copy those that you keep."""

    observation: NDArray[np.uint8]  # [n, observation size]: the view of the seat to move
    mask: NDArray[np.bool_]  # [n, actions]: the legal actions
    player: NDArray[np.int64]  # [n]: the seat to move; -1 if the game is over
    reward: NDArray[np.float32]  # [n, 4]: the reward of each seat for the last action
    done: NDArray[np.bool_]  # [n]: True if the last action ended a game


def win_rewards(players: int, winners: Sequence[int]) -> list[float]:
    """Return each seat's reward at the end of a game for `reward="win"`. The rewards sum to 0.

    Each loser gets -1 / (players - 1), and the winners share what the losers lose.
    """
    won = [players * (seat in winners) / len(winners) for seat in range(players)]
    return [(share - 1) / (players - 1) for share in won]


class BatchEnv:
    """A batch of `num_envs` games that are stepped together.

    `players` is 2, 3, 4 or "mixed"; with "mixed", environment i has 2 + i % 3 players. `reward` is
    "win" or "points". With "win", each loser gets -1 / (players - 1) at the end of a game, and the
    winners share what the losers lose: a single winner gets 1. With "points", each seat gets the
    points that it scores through the action. If `auto_reset` is true, a new game begins in the same
    step in which a game ends; otherwise the environment stops until `reset`. With `early_roll`, a
    seat may roll the dice before it places its wall. Equal seeds and actions give equal games for
    any number of `threads`. Raises MasonsError for invalid arguments.

    The attributes `num_envs`, `threads`, `seed` and `auto_reset` are the arguments; there are never
    more `threads` than can be of use, and `seed` is a random number if it was None. `encoding` has
    the names and numbers of actions and features, and `table` is the board prepared for players and
    searches.
    """

    def __init__(
        self,
        num_envs: int,
        players: int | str = 2,
        board: str | Path | Board = "classic",
        threads: int = 1,
        seed: int | None = 0,
        auto_reset: bool = True,
        *,
        reward: str = "win",
        early_roll: bool = False,
    ) -> None:
        self.num_envs = count = check_whole("num_envs", num_envs, 1, arguments.MOST_ENVS)
        self.auto_reset = check_flag("auto_reset", auto_reset)
        self.encoding = Encoding(sound_board(board))
        seats = arguments.players_given(players, count)
        self.table = Table(self.encoding.board)
        self._make_arrays(arguments.reward_given(reward), check_flag("early_roll", early_roll))
        self._rows[:, int(env_layout.ENCODING)] = self.encoding.number
        self._bytes[:, int(env_layout.SEATS)] = seats
        parts = -(-count // kernels.PART)  # each thread needs at least one part
        self.threads = min(check_whole("threads", threads, 1, arguments.MOST_THREADS), parts)
        self.seed = seed_given(seed, None)
        self._arguments: dict[str, Any] = {
            "num_envs": count, "players": players, "board": self.encoding.board,
            "threads": threads, "seed": self.seed, "auto_reset": auto_reset, "reward": reward,
            "early_roll": early_roll,
        }  # fmt: skip
        self._actions: WordArray = np.zeros(count, dtype=np.uint64)
        self._picked: WordArray = np.zeros(count, dtype=np.uint64)
        self._picks = new_rng(self.seed or 0, _PICKS)
        shared = self._actions, self._picked, self._picks
        self._workers = Workers(self.threads, self._batch, *shared)
        self._is_begun = self._is_closed = False

    def _make_arrays(self, reward_rule: int, early_roll: bool) -> None:
        count, actions = self.num_envs, self.encoding.actions.count
        observation_words, mask_words = self.encoding.layout.words, -(-actions // _WORD)
        # JAX can use aligned arrays on the CPU without copying them.
        rows = aligned_zeros(count * env_layout.ROW_WORDS, np.uint64)
        self._rows: WordArray = rows.reshape(count, -1)
        self._bytes = self._rows.view(np.uint8)
        observation = aligned_zeros(count * observation_words, np.uint64)
        mask = aligned_zeros(count * mask_words, np.uint64)
        player = aligned_zeros(count, np.uint64)
        reward = aligned_zeros(count * MAX_PLAYERS, np.float32)
        done = aligned_zeros(-(-count // _WORD), np.uint64)
        starts = [
            empty_state(self.table.packed, seats, early_roll=early_roll)
            for seats in range(MIN_PLAYERS, MAX_PLAYERS + 1)
        ]
        self._batch = kernels.Batch(
            rows=rows,
            board=self.table.packed,
            starts=np.concatenate(starts),
            observation=observation,
            mask=mask,
            player=player,
            reward=reward,
            done=done,
            observation_words=U(observation_words),
            mask_words=U(mask_words),
            reward_rule=U(reward_rule),
            auto_reset=U(self.auto_reset),
        )
        masks = mask.view(np.uint8).reshape(count, mask_words * _WORD)[:, :actions]
        self._step = BatchStep(
            observation.view(np.uint8).reshape(count, -1),
            masks.view(np.bool_),
            player.view(np.int64),
            reward.reshape(count, MAX_PLAYERS),
            done.view(np.uint8)[:count].view(np.bool_),
        )

    # --- playing

    def reset(self, seed: int | Sequence[int | None] | None = None, where: Any = None) -> BatchStep:
        """Begin new games in all environments, or in those that `where` lists or marks.

        `where` is a list of environments' numbers, or bool[num_envs]. If `seed` is given, it seeds
        the random generators of these environments; the first reset also seeds all generators with
        the seed of the BatchEnv. The dice and cards of environment i then depend on the seed and on
        i. `seed` can also be a list with one seed for each of these environments. An environment
        whose seed is None keeps its random generator. Raises MasonsError for invalid arguments.
        """
        self._need_open()
        chosen = arguments.where_given(where, self.num_envs)
        if not self._is_begun:
            self._sow([self.seed or 0] * self.num_envs, np.arange(self.num_envs))
            self._is_begun = True
        if seed is not None:
            self._sow(arguments.seeds_given(seed, len(chosen)), chosen)
        marks = np.zeros(self.num_envs, dtype=np.uint64)
        marks[chosen] = 1
        kernels.reset_envs(self._batch, marks, marks.size)
        return self._step

    def step(self, actions: Any) -> BatchStep:
        """Make an action in each environment.

        `actions` is an array of shape [num_envs] with any integer dtype. The action -1 leaves an
        environment unchanged, and is the only legal action if its game has stopped. Raises
        MoveError for an illegal action, and MasonsError for anything but such an array. After
        either error, all games are unchanged.
        """
        if not self._is_begun or self._is_closed:
            self._need_begun()
        chosen = arguments.actions_given(actions, self.num_envs)
        if self.threads == 1:
            wrong = int(kernels.step_envs(self._batch, chosen, chosen.size))
        else:
            self._actions[:] = chosen
            wrong = self._workers.run(STEP_JOB)
        if wrong < self.num_envs:
            raise MoveError(self.refusal(wrong, list(actions)[wrong]))
        return self._step

    def pick_actions(self) -> NDArray[np.int64]:
        """Return a random legal action for each environment, or -1 if its game has stopped.

        All legal actions are equally likely. The result is int64[num_envs]. Every call overwrites
        and returns the same array.
        """
        self._need_begun()
        if self.threads == 1:
            kernels.pick_actions(self._batch, self._picks, self._picked, self._picked.size)
        else:
            self._workers.run(PICK_JOB)
        return self._picked.view(np.int64)

    def close(self) -> None:
        """End the threads. The environments cannot be used afterwards."""
        self._is_closed = True
        self._workers.close()

    def _sow(self, seeds: Sequence[int | None], chosen: NDArray[np.int64]) -> None:
        for number, seed in zip(chosen.tolist(), seeds, strict=True):
            if seed is not None:
                self._rows[number, int(env_layout.RNG)] = mix(seed, number)

    def _need_open(self) -> None:
        if self._is_closed:
            raise MasonsError("these environments were closed: make new ones")

    def _need_begun(self) -> None:
        self._need_open()
        if not self._is_begun:
            raise MasonsError("no games have begun: call reset() first")

    def _row(self, number: int) -> WordArray:
        """Return the row of an environment as a view. Raises MasonsError before `reset`."""
        self._need_begun()
        row: WordArray = self._rows[arguments.number_given(number, self.num_envs)]
        return row

    def refusal(self, number: int, action: int) -> str:
        """Return a message that says whether an action is legal, and if not, which actions are.

        Raises MasonsError if an argument is not a whole number or the environment does not exist.
        """
        self._need_begun()
        number = arguments.number_given(number, self.num_envs)
        action = check_any_whole("action", action)
        legal = np.flatnonzero(self.legal_mask(number)).tolist()
        names = self.encoding.actions.names
        is_action = 0 <= action < len(names)
        what = f"action {shown(action)}" + (f" ({names[action]})" if is_action else "")
        if action in legal:
            return f"environment {number}: {what} is legal"
        if not legal:
            return f"environment {number}: {what}, but its game is over: give -1, or reset it"
        some = ", ".join(f"{other} ({names[other]})" for other in legal[:_NAMED])
        more = f" and {len(legal) - _NAMED} more" if len(legal) > _NAMED else ""
        return f"environment {number}: {what} is not legal: legal are {some}{more}"

    # --- reading

    @property
    def num_actions(self) -> int:
        """The number of actions in the encoding."""
        return self.encoding.actions.count

    @property
    def observation_size(self) -> int:
        """The number of bytes in an observation."""
        return self.encoding.layout.size

    @property
    def players(self) -> NDArray[np.int64]:
        """The number of players in each environment, as int64[num_envs]."""
        return self._bytes[:, int(env_layout.SEATS)].astype(np.int64)

    @property
    def scores(self) -> NDArray[np.int64]:
        """The current points of each seat, as int64[num_envs, 4]."""
        return self._four(layout.SCORES)

    @property
    def final_scores(self) -> NDArray[np.int64]:
        """The final points of the last finished game in each environment, as int64[num_envs, 4]."""
        return self._four(env_layout.FINAL_SCORES)

    @property
    def games(self) -> NDArray[np.int64]:
        """The number of finished games in each environment, as int64[num_envs]."""
        return self._rows[:, int(env_layout.GAMES)].astype(np.int64)

    @property
    def steps(self) -> NDArray[np.int64]:
        """The number of actions made in each current game, as int64[num_envs]."""
        return self._rows[:, int(env_layout.STEPS)].astype(np.int64)

    @property
    def is_mid_decision(self) -> NDArray[np.bool_]:
        """True where some steps of the current decision have been made, as bool[num_envs]."""
        return self._bytes[:, int(env_layout.BEGUN)].astype(np.bool_)

    def _four(self, word: int) -> NDArray[np.int64]:
        four = np.ascontiguousarray(self._rows[:, int(word)]).view(np.uint16)
        return four.reshape(self.num_envs, MAX_PLAYERS).astype(np.int64)

    def legal_mask(self, number: int) -> NDArray[np.bool_]:
        """Return a new array, bool[num_actions], with the legal actions of an environment."""
        legal: NDArray[np.bool_] = self._legal(
            self._rows[[arguments.number_given(number, self.num_envs)]]
        )[0]
        return legal

    def _legal(self, rows: WordArray) -> NDArray[np.bool_]:
        """Return the legal actions of k rows as bool[k, num_actions]."""
        begin = int(env_layout.LEGAL)
        sets = np.ascontiguousarray(rows[:, begin : begin + env_layout.LEGAL_WORDS]).view(np.uint8)
        bits = np.unpackbits(sets, axis=1, bitorder="little")
        legal: NDArray[np.bool_] = bits[:, : self.num_actions].view(np.bool_)
        return legal

    @property
    def last(self) -> BatchStep:
        """The result of the last `reset`, `step` or `set_state`."""
        self._need_begun()
        return self._step

    def are_legal(self, actions: Any) -> NDArray[np.bool_]:
        """Return whether the action for each environment is legal, as bool[num_envs].

        An action may be any whole number, even one that names no action.
        """
        self._need_begun()
        chosen = arguments.actions_given(actions, self.num_envs).view(np.int64)
        known = (chosen >= 0) & (chosen < self.num_actions)
        legal = self._legal(self._rows)
        result: NDArray[np.bool_] = legal[np.arange(self.num_envs), np.where(known, chosen, 0)]
        result &= known
        return result

    def seen_by(self, number: int, seat: int) -> NDArray[np.uint8]:
        """Return the observation of a seat, to move or not, as uint8[observation_size]."""
        row = self._row(number)
        players = int(row.view(np.uint8)[int(layout.PLAYERS)])
        sees = check_whole("seat", seat, 0, players - 1)
        out = np.zeros(self.encoding.layout.words, dtype=np.uint64)
        kernels.observe_row(row, self.table.packed, sees, out)
        return out.view(np.uint8)

    def beliefs(self) -> NDArray[np.float32]:
        """Return the expected number of cards of each kind in each hand.

        The result is float32[num_envs, 4, 30]. The estimate uses only what the seat to move sees:
        its own hand and the discard pile. All deals of the other cards count as equally likely.
        Seats are ordered as in an observation: first the seat to move, whose hand is exact, then
        clockwise.
        """
        self._need_begun()
        seen = self.encoding.layout.features(self._step.observation)
        unseen = seen.kinds[:, :, 2].astype(np.float32)
        unseen /= np.maximum(unseen.sum(axis=1, keepdims=True), 1)
        expected: NDArray[np.float32] = seen.seats[:, :, 2, None] * unseen[:, None]
        expected[:, 0] = seen.kinds[:, :, 0]
        return expected

    def observe(self, number: int) -> Observation:
        """Return the view of the seat to move, in the form that searches and named players take.

        In the middle of a decision, the view is the one before the first step of the decision.
        """
        game = self._row(number)[:_STATE].copy()
        seat = int(game.view(np.uint8)[int(layout.SEAT)])
        return view_of(game, seat, None, self.table.board)

    def position(self, number: int) -> Position:
        """Return the complete position of an environment's game, including hidden cards."""
        return unpack_state(self._row(number)[:_STATE].copy())

    # --- moves as actions

    def encode(self, move: Move | str, number: int = 0) -> list[int]:
        """Return the actions that a move consists of, leaving out forced steps.

        Raises MoveError if the move is not legal in the environment, or if the environment is in
        the middle of a decision.
        """
        row = self._row(number)
        if row.view(np.uint8)[int(env_layout.BEGUN)]:
            raise MoveError(f"environment {number} is in the middle of a decision")
        game = row[:_STATE].copy()
        chosen = move_given(move, self.table.board)
        if not self.table.is_legal(game, chosen):
            raise MoveError(f"environment {number}: {self.table.refusal(game, chosen)}")
        return self.encoding.actions.actions_of(self.table, game, chosen)

    def decode(self, action: int) -> str:
        """Return the name of an action, such as `wall:57`. Raises MoveError if it is unknown.

        The name of an action is not the text of a move, which can take several actions. The
        dictionary `{tuple(env.encode(move)): move for move in env.observe(0).legal_moves()}` finds
        the move that a list of actions makes in environment 0.
        """
        return self.encoding.actions.name(action)

    # --- states

    def state(self, where: Any = None) -> WordArray:
        """Return copies of all environments, or of those in `where`, as uint64[k, ROW_WORDS].

        The copies contain the hidden cards and the state of the random generators. Pass them to
        `set_state` of this BatchEnv, or of another BatchEnv with the same board and rules.
        Raises MasonsError if `where` is invalid.
        """
        self._need_begun()
        chosen = arguments.where_given(where, self.num_envs)
        rows: WordArray = self._rows[chosen]
        kernels.seal_rows(rows.reshape(-1), len(rows))
        return rows

    def set_state(self, states: WordArray, where: Any = None) -> BatchStep:
        """Restore copies made by `state` in all environments, or in those that `where` lists.

        All rewards of the result are 0. With `players="mixed"`, an environment takes over the
        number of players of its state. Raises MasonsError for any other array, and for states with
        another number of players or another early-roll rule, and then changes nothing.
        """
        self._need_open()
        chosen = arguments.where_given(where, self.num_envs)
        rows = arguments.rows_given(states, len(chosen))
        self._need_sound(rows)
        self._need_same_rules(rows)
        if not self._is_begun:
            self.reset()
        self._rows[chosen] = rows
        for number in chosen.tolist():
            kernels.show_envs(self._batch, number, number + 1)
        return self._step

    def set_game(self, number: int, state: layout.State) -> BatchStep:
        """Put the state of a game, as returned by `Game.state`, into an environment.

        The game must have the same board and number of players as the environment. From then on,
        the environment supplies the dice and cards. Raises MasonsError for any other state, and
        then changes nothing.
        """
        row = self._row(number)
        self.table.legal_moves(state)  # raises an error for an invalid state
        small = row.view(np.uint8)
        players = int(state.view(np.uint8)[int(layout.PLAYERS)])
        seats = small[int(env_layout.SEATS)]
        if players != seats:
            raise MasonsError(f"the game has {players} players, environment {number} {seats}")
        row[:_STATE] = state
        row[int(env_layout.CHOSEN)] = 0
        small[[int(env_layout.STAGE), int(env_layout.BEGUN)]] = 0
        small[[int(env_layout.FIRST), int(env_layout.SECOND)]] = int(layout.NO_CARD)
        row[int(env_layout.REPORTED)] = row[int(layout.SCORES)]
        kernels.show_envs(self._batch, number, number + 1)
        return self._step

    def redeal(self, states: WordArray, seed: int, seat: int | None = None) -> WordArray:
        """Return copies of states that look the same to one seat, but have new hidden cards.

        The other hands and the deck are dealt again, with all deals equally likely, and the random
        generators get new states. `seat` is the seat whose view stays the same; None stands for the
        seat to move in each state. If another seat is in the middle of a decision, this decision
        begins again. Equal seeds give equal deals. Raises MasonsError for an array that does not
        consist of states.
        """
        rows = arguments.rows_given(states, None).copy()
        self._need_sound(rows)
        least = int(rows.view(np.uint8)[:, int(layout.PLAYERS)].min(initial=MAX_PLAYERS))
        sees = int(layout.NONE) if seat is None else check_whole("seat", seat, 0, least - 1)
        rng = new_rng(check_any_whole("seed", seed))
        kernels.redeal_rows(rows.reshape(-1), len(rows), sees, rng)
        kernels.seal_rows(rows.reshape(-1), len(rows))
        return rows

    def _need_sound(self, rows: WordArray) -> None:
        wrong = int(kernels.first_unsound(rows.reshape(-1), len(rows), self.encoding.number))
        if wrong < len(rows):
            raise MasonsError(
                f"state {wrong} was not made by state() for the board "
                f"{self.encoding.board.name} in this version, or was changed"
            )

    def _need_same_rules(self, rows: WordArray) -> None:
        """Raise MasonsError if a state has other players or rules than these environments."""
        small = rows.view(np.uint8)
        players, early_roll = self._arguments["players"], self._arguments["early_roll"]
        seats = small[:, int(env_layout.SEATS)]
        if players != "mixed" and (others := np.flatnonzero(seats != players)).size:
            raise MasonsError(
                f"state {others[0]} has {seats[others[0]]} players, these games have {players}"
            )
        options = small[:, int(layout.OPTIONS)] & int(layout.EARLY_ROLL_OPTION)
        others = np.flatnonzero(options.astype(np.bool_) != bool(early_roll))
        if others.size:
            has = "forbids early rolls" if early_roll else "allows early rolls"
            raise MasonsError(f"state {others[0]} {has}, unlike these games")

    # --- as an object

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        """Give copies and pickles the same state, but their own arrays and threads."""
        arrays = (self._rows, self._picks, self._step.reward, self._step.done)
        kept = [array.copy() for array in arrays]
        # Keep the table object too, because a player that searches continues its session only if
        # the table is the same object.
        state = self._is_begun, self._is_closed, self.table, kept
        return partial(BatchEnv, **self._arguments), (), state

    def __setstate__(self, state: tuple[bool, bool, Table, list[Any]]) -> None:
        self._is_begun, self._is_closed, self.table, kept = state
        self._rows[:], self._picks[:], reward, done = kept
        if self._is_begun:
            kernels.show_envs(self._batch, 0, self.num_envs)
        self._step.reward[:], self._step.done[:] = reward, done

    def __repr__(self) -> str:
        return (
            f"BatchEnv(num_envs={self.num_envs}, board={self.encoding.board.name!r}, "
            f"threads={self.threads}, seed={self.seed}) with "
            f"{counted(self.num_actions, 'action')}"
        )
