"""Datasets: games of named players as arrays, in a folder of shards.

`dataset.json` says what the games are, `README.md` says it in words. A shard is written whole or
not at all and holds the same games whenever it is made, so a dataset that was cut short is
completed by making the missing shards. A shard is a file for numpy (npz) or, with the extra
`parquet`, for pyarrow:

| column        | dtype and shape       | contents                                                |
| ------------- | --------------------- | ------------------------------------------------------- |
| `observation` | uint8[n, size]        | what the seat that decides sees                         |
| `mask`        | uint8[n, actions / 8] | the legal actions, a bit each, the lowest first         |
| `action`      | int16[n]              | what it did                                             |
| `player`      | int8[n]               | the seat                                                |
| `game`        | int32[n]              | the number of the game in the dataset                   |
| `decision`    | int16[n]              | the number of the decision in its game (of some steps)  |
| `value`       | float32[n]            | the win probability that its search found; NaN: none    |
| `visits`      | uint32[n, actions]    | the simulations of that search by action; 0: none       |
| `wins`        | float32[n, actions]   | the win probability by action; NaN: not searched        |
| `result`      | float32[n, 4]         | each seat's reward at the end of the game, by "win"     |
| `score`       | int16[n, 4]           | each seat's points at the end of the game               |
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons import __version__
from masons.ai.players.named_players import make_player
from masons.ai.players.player import Player
from masons.ai.players.search_player import SearchPlayer
from masons.ai.search.levels import TOP_LEVEL
from masons.ai.search.results import MoveStats
from masons.engine.board.geometry import board_of
from masons.engine.checks import (
    check_any_whole,
    check_flag,
    check_list,
    check_text,
    check_whole,
    shown,
)
from masons.engine.errors import MasonsError
from masons.engine.files import write_atomic
from masons.engine.formats.move_text import Move
from masons.engine.game.game import Game
from masons.engine.kernels.rng import mix
from masons.engine.plain_text import count as counted
from masons.engine.strict_json import strict_json
from masons.env import FORMS, MAX_GAMES, MAX_SHARD_GAMES
from masons.env.batch_env import BatchEnv
from masons.env.encoding import Encoding

_ABOUT: Final = "about"
# Of each column its dtype and its axes.
_COLUMNS: Final = {
    "observation": ("u1", 2), "mask": ("u1", 2), "action": ("i2", 1), "player": ("i1", 1),
    "game": ("i4", 1), "decision": ("i2", 1), "value": ("f4", 1), "visits": ("u4", 2),
    "wins": ("f4", 2), "result": ("f4", 2), "score": ("i2", 2),
}  # fmt: skip

Columns = dict[str, NDArray[Any]]


def pack_shard(columns: Columns, about: Mapping[str, Any], form: str) -> bytes:
    """A shard's file. Raises MasonsError where pyarrow is wanted and missing."""
    text = json.dumps(dict(about))
    buffer = io.BytesIO()
    if form == "npz":
        np.savez_compressed(buffer, **columns, about=np.array(text))  # type: ignore[arg-type]
        return buffer.getvalue()
    arrow, parquet = _pyarrow()
    table = arrow.table({name: _arrow_column(arrow, data) for name, data in columns.items()})
    table = table.replace_schema_metadata({_ABOUT: text})
    parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def read_shard(path: str | Path) -> tuple[Columns, dict[str, Any]]:
    """The columns of a shard, and what is said about it. Raises MasonsError for any other file."""
    path = Path(path)
    try:
        columns, text = _read_npz(path) if path.suffix == ".npz" else _read_parquet(path)
        about = strict_json(text)
    except MasonsError:
        raise
    except Exception as error:  # of numpy, zipfile or pyarrow, which can be any for a damaged file
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise MasonsError(f"{path} is no shard of a dataset: {reason}") from None
    if not _are_columns(columns) or not isinstance(about, dict):
        raise MasonsError(f"{path} is no shard of a dataset: its columns are others")
    return columns, about


def _are_columns(columns: Columns) -> bool:
    """Return whether columns are those of a shard, all of the same length."""
    forms = {name: (data.dtype, data.ndim) for name, data in columns.items()}
    if forms != {name: (np.dtype(kind), axes) for name, (kind, axes) in _COLUMNS.items()}:
        return False
    actions = columns["visits"].shape[1]
    widths = {"visits": actions, "wins": actions, "mask": -(-actions // 8), "result": 4, "score": 4}
    steps = {len(data) for data in columns.values()}
    return len(steps) == 1 and all(columns[name].shape[1] == n for name, n in widths.items())


def _read_npz(path: Path) -> tuple[Columns, str]:
    with np.load(path, allow_pickle=False) as file:
        columns = {name: file[name] for name in file.files}
    return columns, str(columns.pop(_ABOUT))


def _read_parquet(path: Path) -> tuple[Columns, str]:
    _, parquet = _pyarrow()
    table = parquet.read_table(io.BytesIO(path.read_bytes()))
    columns = {name: _numpy_column(table.column(name)) for name in table.column_names}
    return columns, (table.schema.metadata or {})[_ABOUT.encode()].decode()


def need_form(form: str) -> None:
    """Raise MasonsError where a form of shards needs what is not installed."""
    if form == "parquet":
        _pyarrow()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MasonsError("Parquet needs pyarrow: pip install 'masons-engine[parquet]'") from None
    return pyarrow, pyarrow.parquet


def _arrow_column(arrow: Any, data: NDArray[Any]) -> Any:
    flat = arrow.array(data.reshape(-1))
    if data.ndim == 1:
        return flat
    return arrow.FixedSizeListArray.from_arrays(flat, data.shape[1])


def _numpy_column(column: Any) -> NDArray[Any]:
    array = column.combine_chunks()
    if hasattr(array, "chunks"):
        array = array.chunk(0)
    size = getattr(array.type, "list_size", 0)
    flat: NDArray[Any] = (array.flatten() if size else array).to_numpy(zero_copy_only=False)
    return flat.reshape(-1, size) if size else flat


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
    """A move's figures in a search: the actions that make it, visits, win probability."""

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
        analysis = player.analyze(game.table, view)
        return _Choice(analysis.best, analysis.wins[game.seat], analysis.moves)
    return _Choice(player.choose(game.table, view, game.legal_moves()), _UNKNOWN)


def _targets(env: BatchEnv, game: Game, searched: tuple[MoveStats, ...]) -> list[_Target]:
    encode = env.encoding.actions.actions_of
    return [
        _Target(tuple(encode(game.table, game.state, stats.move)), stats.visits, stats.win or 0.0)
        for stats in searched
        if stats.visits
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
            searched = _by_action(targets, made, env.num_actions)
            notes.steps.append((*row, game.decisions, chosen.value, *searched))
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


CARD: Final = "dataset.json"
README: Final = "README.md"
_FORMAT: Final = 2  # raised when columns change


@dataclass(frozen=True)
class DatasetCard:
    """The description of a dataset; another card means another dataset."""

    board: str  # a board's name, or the whole of its JSON
    encoding: str  # the fingerprint
    seats: tuple[str, ...]  # the player of each seat
    seed: int
    games: int
    shard_games: int
    form: str  # of `shard_forms.FORMS`
    version: str = __version__
    format: int = _FORMAT

    def jobs(self) -> Iterator[ShardJob]:
        """The shards, in order."""
        for first in range(0, self.games, self.shard_games):
            number = min(self.shard_games, self.games - first)
            yield ShardJob(self.board, self.seats, self.seed, first, number, self.form)

    def file(self, job: ShardJob) -> str:
        """The name of a shard's file."""
        return f"shard-{job.first // self.shard_games:06d}.{self.form}"

    def about(self, job: ShardJob) -> dict[str, Any]:
        """Return the description that a shard carries."""
        return {"encoding": self.encoding, "first": job.first, "games": job.count}

    def text(self) -> str:
        """The card as JSON."""
        return json.dumps(asdict(self), indent=2) + "\n"


def read_card(folder: Path) -> DatasetCard:
    """The card of a dataset. Raises MasonsError where there is none that is sound."""
    path, form = folder / CARD, None
    try:
        said = strict_json(path.read_text(encoding="utf-8"))
        form = said.get("format") if isinstance(said, dict) else None
        if type(form) is int and form == _FORMAT:
            return _card(**said)
    except OSError as error:
        raise MasonsError(f"{folder} is no dataset: {path}: {error.strerror}") from None
    except MasonsError as error:
        raise MasonsError(f"{path}: {error}") from None
    except (ValueError, TypeError, RecursionError):
        pass
    if type(form) is int and form != _FORMAT:
        raise MasonsError(
            f"{path} has the format {shown(form)}, but this version's is {_FORMAT}: make the data "
            "anew"
        )
    raise MasonsError(f"{path} is not the card of a dataset of this version")


def _card(seats: object, **fields: Any) -> DatasetCard:
    """A card as a file has it. Raises MasonsError, or TypeError where it has other fields."""
    card = DatasetCard(seats=tuple(check_list("seats", seats, str, "a list of players")), **fields)
    for name in ("board", "encoding", "form", "version"):
        check_text(name, fields.get(name))
    check_any_whole("seed", card.seed)
    check_whole("games", card.games, 1, MAX_GAMES)
    check_whole("shard_games", card.shard_games, 1, MAX_SHARD_GAMES)
    if card.form not in FORMS:
        raise MasonsError(f"form is {shown(card.form)}: it must be {' or '.join(FORMS)}")
    return card


class DatasetFolder:
    """A dataset on disk that is being made."""

    def __init__(self, folder: Path, card: DatasetCard, *, resume: bool) -> None:
        """Begin a dataset, or go on with one. Raises MasonsError where that cannot be."""
        self.folder, self.card = folder, card
        if (folder / CARD).exists():
            if not resume:
                raise MasonsError(f"{folder} holds a dataset: give --resume to go on with it")
            self._check_card()
        else:
            if folder.exists() and any(folder.iterdir()):
                raise MasonsError(f"{folder} holds other files: give an empty folder or a new one")
            folder.mkdir(parents=True, exist_ok=True)
            write_atomic(folder / CARD, card.text())

    def _check_card(self) -> None:
        before = asdict(read_card(self.folder))
        for name, value in asdict(self.card).items():
            if before[name] != value:
                raise MasonsError(
                    f"{self.folder} is another dataset: with {name} {shown(before[name])}, "
                    f"not {shown(value)}"
                )

    def missing(self) -> list[ShardJob]:
        """The shards that are not there, or damaged."""
        return [job for job in self.card.jobs() if not self._has(job)]

    def _has(self, job: ShardJob) -> bool:
        path = self.folder / self.card.file(job)
        if not path.exists():
            return False
        try:
            _, about = read_shard(path)
        except MasonsError:
            return False
        return about == self.card.about(job)

    def write(self, job: ShardJob, content: bytes) -> None:
        """Put a shard into its place."""
        write_atomic(self.folder / self.card.file(job), content)

    def finish(self) -> int:
        """Write the README; the number of steps in all."""
        steps = sum(len(columns["action"]) for columns in read_dataset(self.folder))
        write_atomic(self.folder / README, _readme(self.card, steps))
        return steps


def _readme(card: DatasetCard, steps: int) -> str:
    board = "a board of its own (see dataset.json)" if card.board.startswith("{") else card.board
    players = ", ".join(f"seat {seat}: `{spec}`" for seat, spec in enumerate(card.seats))
    return f"""# {counted(card.games, "game")} of Masons

{steps:,} steps of {counted(card.games, "game")}, played by Masons Engine {card.version}.

| | |
| --- | --- |
| board | {board} |
| players | {players}; game g is begun by seat g modulo {len(card.seats)} |
| seed | {card.seed} |
| encoding | {card.encoding} |
| files | {card.form}, {card.shard_games} games each |

Made by `masons-engine dataset`. What the columns are, and how to read them, the page "Environments"
of the documentation says. Each row holds what the seat that decides could see, and nothing else;
`value`, `visits` and `wins` are what its search found, where its player is one that searches;
`result` and `score` what came of it.
"""


def read_dataset(
    folder: str | Path, encoding: Encoding | None = None, *, partial: bool = False
) -> Iterator[Columns]:
    """The shards of a dataset, in order, each as its columns.

    `encoding`: that of the environments the data are meant for; `partial`: read what is there of a
    dataset that is not complete. Raises MasonsError where the data have another encoding or a shard
    is missing, for a folder that is none and for a shard that is damaged.
    """
    place = Path(folder)
    card = read_card(place)
    if encoding is not None:
        encoding.check(card.encoding, str(place))
    check_flag("partial", partial)
    paths = {job: place / card.file(job) for job in card.jobs()}
    missing = {path for path in paths.values() if not path.exists()}
    if missing and not partial:
        raise MasonsError(
            f"{min(missing)} is missing: make it by `masons-engine dataset` with --resume, or give "
            "partial=True to read what is there"
        )
    for job, path in paths.items():
        if path not in missing:
            columns, about = read_shard(path)
            if about != card.about(job):
                raise MasonsError(f"{path} belongs to another dataset")
            yield columns
