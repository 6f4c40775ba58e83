"""Datasets: games between named players, stored as arrays in a folder of files, the shards.

`dataset.json` describes the games for programs, and `README.md` describes them for people. A shard
is a file that numpy can read (npz) or, with the extra `parquet`, a file that pyarrow can read.
Shards are written atomically, and each shard always contains the same games. An interrupted dataset
can therefore be completed by making the missing shards. A shard has n rows, one for each action. It
has these columns:

| column        | dtype and shape       | contents                                                |
| ------------- | --------------------- | ------------------------------------------------------- |
| `observation` | uint8[n, size]        | the observation of the seat that decides                |
| `mask`        | uint8[n, actions / 8] | a bit for each action, 1 if legal, lowest bit first     |
| `action`      | int16[n]              | the action that the seat made                           |
| `player`      | int8[n]               | the seat that decides                                   |
| `game`        | int32[n]              | the number of the game in the dataset                   |
| `decision`    | int16[n]              | the number of the decision in the game, from 0          |
| `value`       | float32[n]            | the seat's win probability in its search, NaN if none   |
| `visits`      | uint32[n, actions]    | the number of simulations of each action                |
| `wins`        | float32[n, actions]   | the win probability of each action, NaN if not searched |
| `result`      | float32[n, 4]         | each seat's reward at the end, with `reward="win"`      |
| `score`       | int16[n, 4]           | each seat's points at the end of the game               |
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.players.named_players import SearchPlayer, make_player
from masons.ai.search.results import MoveStats
from masons.ai.search.search_options import TOP_LEVEL
from masons.engine import checks
from masons.engine.board.geometry import board_of
from masons.engine.checks import shown
from masons.engine.errors import READ_ERRORS, MasonsError
from masons.engine.extras import install_command
from masons.engine.files import write_atomic
from masons.engine.game.game import Game
from masons.engine.kernels.rng import mix
from masons.engine.plain_text import count as counted
from masons.engine.plain_text import plain
from masons.engine.storage.held_file import HeldFile
from masons.engine.strict_json import strict_json
from masons.env import FORMS, MAX_GAMES, MAX_SHARD_GAMES
from masons.env.batch_env import BatchEnv, win_rewards
from masons.env.encoding import Encoding
from masons.version import __version__

CARD: Final = "dataset.json"
README: Final = "README.md"
_FORMAT: Final = 2  # increase this number when columns change
_ABOUT: Final = "about"
# The dtype and the number of axes of each column.
_COLUMNS: Final = {
    "observation": ("u1", 2), "mask": ("u1", 2), "action": ("i2", 1), "player": ("i1", 1),
    "game": ("i4", 1), "decision": ("i2", 1), "value": ("f4", 1), "visits": ("u4", 2),
    "wins": ("f4", 2), "result": ("f4", 2), "score": ("i2", 2),
}  # fmt: skip
_UNKNOWN: Final = float("nan")

Columns = dict[str, NDArray[Any]]


# --- descriptions


@dataclass(frozen=True)
class DatasetCard:
    """The description of a dataset, which determines the content of the dataset."""

    board: str  # the name of a built-in board, or the JSON of another board
    encoding: str  # fingerprint of the encoding
    seats: tuple[str, ...]  # the player of each seat
    seed: int
    games: int
    shard_games: int
    form: str  # one of FORMS
    version: str = __version__
    format: int = _FORMAT

    def shards(self) -> Iterator[Shard]:
        """Return the shards in order."""
        return (Shard(self, first) for first in range(0, self.games, self.shard_games))


@dataclass(frozen=True)
class Shard:
    """The part of a dataset that is stored in one file. Its first game has number `first`."""

    card: DatasetCard
    first: int

    @property
    def count(self) -> int:
        """The number of games in the shard."""
        return min(self.card.shard_games, self.card.games - self.first)

    @property
    def file(self) -> str:
        """The name of the shard's file."""
        return f"shard-{self.first // self.card.shard_games:06d}.{self.card.form}"

    @property
    def about(self) -> dict[str, Any]:
        """The description of the shard; the shard's file contains it, too."""
        return {"encoding": self.card.encoding, "first": self.first, "games": self.count}


def read_card(folder: Path) -> DatasetCard:
    """Return the card of the dataset in a folder. Raises MasonsError if there is no valid card."""
    path, form = folder / CARD, None
    try:
        fields = strict_json(path.read_text(encoding="utf-8"))
        form = fields.get("format") if isinstance(fields, dict) else None
        if type(form) is int and form == _FORMAT:
            return _checked_card(**fields)
    except OSError as error:
        raise MasonsError(f"{folder} is not a dataset: {path}: {error.strerror}") from None
    except MasonsError as error:
        raise MasonsError(f"{path}: {error}") from None
    except READ_ERRORS:
        pass
    if type(form) is int and form != _FORMAT:
        raise MasonsError(
            f"{path} has the format {shown(form)}, but this version's is {_FORMAT}: make the data "
            "anew"
        )
    raise MasonsError(f"{path} is not the card of a dataset of this version")


def _checked_card(seats: object, **fields: Any) -> DatasetCard:
    """Return a card made from the fields in a file.

    Raises MasonsError for an invalid value, and TypeError for missing or unknown fields.
    """
    players = checks.check_list("seats", seats, str, "a list of players")
    card = DatasetCard(seats=tuple(players), **fields)
    for name in ("board", "encoding", "form", "version"):
        checks.check_text(name, fields.get(name))
    checks.check_any_whole("seed", card.seed)
    checks.check_whole("games", card.games, 1, MAX_GAMES)
    checks.check_whole("shard_games", card.shard_games, 1, MAX_SHARD_GAMES)
    if card.form not in FORMS:
        checks.refuse("form", card.form, " or ".join(FORMS))
    return card


# --- the files of shards


def pack_shard(columns: Columns, about: Mapping[str, Any], form: str) -> bytes:
    """Return the content of a shard's file.

    Raises MasonsError if pyarrow is needed but not installed.
    """
    text = json.dumps(dict(about))
    buffer = io.BytesIO()
    if form == "npz":
        np.savez_compressed(buffer, **columns, about=np.array(text))  # type: ignore[arg-type]
        return buffer.getvalue()
    arrow, parquet = _pyarrow()
    arrays = {}
    for name, data in columns.items():
        arrays[name] = arrow.array(data.reshape(-1))
        if data.ndim > 1:
            arrays[name] = arrow.FixedSizeListArray.from_arrays(arrays[name], data.shape[1])
    table = arrow.table(arrays).replace_schema_metadata({_ABOUT: text})
    parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def read_shard(path: Path) -> tuple[Columns, dict[str, Any]]:
    """Return the columns of a shard and its description.

    Raises MasonsError if the file is not a shard.
    """
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                columns = {name: file[name] for name in file.files}
            text = str(columns.pop(_ABOUT))
        else:
            table = _pyarrow()[1].read_table(io.BytesIO(path.read_bytes()))
            columns = {name: _numpy_column(table.column(name)) for name in table.column_names}
            text = (table.schema.metadata or {})[_ABOUT.encode()].decode()
        about = strict_json(text)
        is_shard = _are_columns(columns) and isinstance(about, dict)
    except MasonsError:
        raise
    except Exception as error:  # numpy, zipfile and pyarrow raise various errors for damaged files
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise MasonsError(f"{path} is not a shard of a dataset: {plain(reason)}") from None
    if not is_shard:
        raise MasonsError(f"{path} is not a shard of a dataset: it has other columns")
    return columns, about


def _are_columns(columns: Columns) -> bool:
    """Return whether a shard has all columns, with the right types and equal lengths."""
    forms = {name: (data.dtype, data.ndim) for name, data in columns.items()}
    if forms != {name: (np.dtype(kind), axes) for name, (kind, axes) in _COLUMNS.items()}:
        return False
    actions = columns["visits"].shape[1]
    widths = {"visits": actions, "wins": actions, "mask": -(-actions // 8), "result": 4, "score": 4}
    steps = {len(data) for data in columns.values()}
    return len(steps) == 1 and all(columns[name].shape[1] == n for name, n in widths.items())


def need_form(form: str) -> None:
    """Raise MasonsError if shards of this form need a package that is not installed."""
    if form == "parquet":
        _pyarrow()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MasonsError(f"Parquet needs pyarrow: {install_command('parquet')}") from None
    return pyarrow, pyarrow.parquet


def _numpy_column(column: Any) -> NDArray[Any]:
    array = column.combine_chunks()
    if hasattr(array, "chunks"):
        array = array.chunk(0)
    size = getattr(array.type, "list_size", 0)
    flat: NDArray[Any] = (array.flatten() if size else array).to_numpy(zero_copy_only=False)
    return flat.reshape(-1, size) if size else flat


# --- games as columns


def _by_action(
    searched: list[tuple[list[int], MoveStats]], made: list[int], actions: int
) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """Return the visits and the win probability of each action in one step of a decision.

    `searched` lists the searched moves; each entry has the actions that make the move, and the
    move's statistics. `made` lists the actions already made in this decision. If several moves
    begin with these actions and have the same next action, that action gets the sum of their visits
    and the highest of their win probabilities.
    """
    visits = np.zeros(actions, dtype=np.uint32)
    wins = np.full(actions, _UNKNOWN, dtype=np.float32)
    for steps, stats in searched:
        if len(steps) > len(made) and steps[: len(made)] == made:
            action = steps[len(made)]
            visits[action] += stats.visits
            wins[action] = np.fmax(wins[action], stats.win or 0.0)
    return visits, wins


def _played_steps(card: DatasetCard, number: int, env: BatchEnv) -> list[tuple[Any, ...]]:
    """Play game `number` of a dataset. Return a row for each action, in the order of _COLUMNS.

    The seat that moves first is `number` modulo the number of seats.
    """
    seed, players = mix(card.seed, number), len(card.seats)
    game = Game(players, board=env.encoding.board, seed=seed, first=number % players)
    named = [make_player(spec, mix(seed, seat)) for seat, spec in enumerate(card.seats)]
    rows: list[tuple[Any, ...]] = []
    while not game.is_over:
        seat, moves = game.seat, game.legal_moves()
        player, view = named[seat], game.observe(seat)
        value, searched = _UNKNOWN, []
        is_search = isinstance(player, SearchPlayer) and player.options.level in (None, TOP_LEVEL)
        if is_search and len(moves) > 1:
            assert isinstance(player, SearchPlayer)
            analysis = player.analyze(game.table, view)
            move, value = analysis.best, analysis.wins[seat]
            encode = env.encoding.actions.actions_of
            searched = [
                (encode(game.table, game.state, stats.move), stats)
                for stats in analysis.moves
                if stats.visits
            ]
        else:
            move = player.choose(game.table, view, moves)
        step = env.set_game(0, game.state)
        made: list[int] = []
        for action in env.encode(move):
            mask = np.packbits(step.mask[0], bitorder="little")
            figures = value, *_by_action(searched, made, env.num_actions)
            observation = step.observation[0].copy()
            rows.append((observation, mask, action, seat, number, game.decisions, *figures))
            env.step([action])
            made.append(action)
        game.apply(move)
    result = game.result
    assert result is not None
    empty = [0] * (4 - players)
    rewards = [*win_rewards(players, result.winners), *empty]
    scores = [*result.scores, *empty]
    return [(*row, rewards, scores) for row in rows]


def make_shard(shard: Shard) -> bytes:
    """Play the games of a shard and return the content of its file.

    Raises MasonsError if a player or pyarrow is not available.
    """
    card = shard.card
    env = BatchEnv(1, len(card.seats), board_of(card.board), seed=0, auto_reset=False)
    env.reset()
    numbers = range(shard.first, shard.first + shard.count)
    rows = (row for number in numbers for row in _played_steps(card, number, env))
    columns = {
        name: np.array(values, dtype=_COLUMNS[name][0])
        for name, values in zip(_COLUMNS, zip(*rows, strict=True), strict=True)
    }
    return pack_shard(columns, shard.about, card.form)


# --- folders


class DatasetFolder:
    """A dataset that is being made in a folder."""

    def __init__(self, folder: Path, card: DatasetCard, *, resume: bool) -> None:
        """Begin a dataset, or continue an existing one if `resume` is true.

        The card stays locked until `close`, so that no other process writes to the folder. Raises
        MasonsError if another process does, or if the folder has other content or belongs to
        another dataset.
        """
        self.folder, self.card = folder, card
        if not (folder / CARD).exists() and folder.exists() and any(folder.iterdir()):
            raise MasonsError(f"{folder} holds other files: give an empty folder or a new one")
        folder.mkdir(parents=True, exist_ok=True)
        self._held = HeldFile(str(folder / CARD), "any")
        try:
            if not self._held.size:  # new, or its process was killed before it wrote the card
                self._held.replace(f"{json.dumps(asdict(card), indent=2)}\n".encode())
            else:
                self._check_card(resume=resume)
        except BaseException:
            self._held.close()
            raise

    def _check_card(self, *, resume: bool) -> None:
        """Raise MasonsError unless `resume` is true and the card in the folder is this one."""
        folder, card = self.folder, self.card
        if not resume:
            raise MasonsError(f"{folder} holds a dataset: give --resume to go on with it")
        before = asdict(read_card(folder))
        for name, value in asdict(card).items():
            if before[name] != value:
                old, new = shown(before[name]), shown(value)  # shortened, perhaps to the same text
                how = f"with {name} {old}, not {new}" if old != new else f"with another {name}"
                raise MasonsError(f"{folder} is another dataset: {how}")

    def missing(self) -> list[Shard]:
        """Return the shards whose files are missing or damaged."""
        return [shard for shard in self.card.shards() if not self._has(shard)]

    def _has(self, shard: Shard) -> bool:
        path = self.folder / shard.file
        try:
            return path.exists() and read_shard(path)[1] == shard.about
        except MasonsError:
            return False

    def write(self, shard: Shard, content: bytes) -> None:
        """Write the file of a shard atomically."""
        write_atomic(self.folder / shard.file, content, is_held=True)

    def finish(self) -> int:
        """Write the README, and return the number of steps in all games."""
        steps = sum(len(columns["action"]) for columns in read_dataset(self.folder))
        write_atomic(self.folder / README, _readme(self.card, steps), is_held=True)
        return steps

    def close(self) -> None:
        """Unlock the folder."""
        self._held.close()


def _readme(card: DatasetCard, steps: int) -> str:
    board = "a board of its own (see dataset.json)" if card.board.startswith("{") else card.board
    players = ", ".join(f"seat {seat}: `{spec}`" for seat, spec in enumerate(card.seats))
    return f"""# {counted(card.games, "game")} of Masons

{steps:,} steps of {counted(card.games, "game")}, played by Masons Engine {card.version}.

| | |
| --- | --- |
| board | {board} |
| players | {players}; seat g modulo {len(card.seats)} begins game g |
| seed | {card.seed} |
| encoding | {card.encoding} |
| files | {card.form}, {card.shard_games} games each |

Made by `masons-engine dataset`. The page "Environments" of the documentation describes the columns
and how to read them. Each row holds what the seat that decides could see, and nothing else;
`value`, `visits` and `wins` are what its search found, where its player is one that searches;
`result` and `score` are the outcome of the game.
"""


def read_dataset(
    folder: str | Path, encoding: Encoding | None = None, *, partial: bool = False
) -> Iterator[Columns]:
    """Yield the columns of each shard of a dataset, in order.

    If `encoding` is given, the data must have this encoding. If `partial` is true, missing shards
    are skipped. Raises MasonsError for data with another encoding, for a missing or damaged shard,
    and for a folder that is not a dataset.
    """
    if not isinstance(folder, str | Path):
        checks.refuse("folder", folder, "the name of a folder")
    place = Path(folder)
    card = read_card(place)
    if encoding is not None:
        checks.check_type("encoding", encoding, Encoding, "an Encoding, like env.encoding, or None")
        encoding.check(card.encoding, str(place))
    checks.check_flag("partial", partial)
    paths = {shard: place / shard.file for shard in card.shards()}
    missing = {path for path in paths.values() if not path.exists()}
    if missing and not partial:
        raise MasonsError(
            f"{min(missing)} is missing: make it by `masons-engine dataset` with --resume, or give "
            "partial=True to read what is there"
        )
    for shard, path in paths.items():
        if path not in missing:
            columns, about = read_shard(path)
            if about != shard.about:
                raise MasonsError(f"{path} belongs to another dataset")
            yield columns
