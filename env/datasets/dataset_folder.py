"""A dataset: a folder of shards, with `dataset.json`, which says what they are, and a README.

Every shard is written whole or not at all, and holds the same games whenever it is made. So a
dataset that was cut short is gone on with by making the shards that are missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from masons import __version__
from masons.engine.errors import MasonsError
from masons.engine.files import write_atomic
from masons.engine.given import (
    any_whole_given,
    flag_given,
    list_given,
    shown,
    text_given,
    whole_given,
)
from masons.engine.plain_words import count as counted
from masons.engine.strict_json import strict_json
from masons.env.datasets.shard_files import Columns, read_shard
from masons.env.datasets.shard_forms import FORMS, MAX_GAMES, MAX_SHARD_GAMES
from masons.env.datasets.shard_games import ShardJob
from masons.env.encoding import Encoding

CARD: Final = "dataset.json"
README: Final = "README.md"
_FORMAT: Final = 2  # raised when columns change


@dataclass(frozen=True)
class DatasetCard:
    """What the games of a dataset are; another card, another dataset."""

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
        """What a shard says of itself."""
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
    card = DatasetCard(seats=tuple(list_given("seats", seats, str, "a list of players")), **fields)
    for name in ("board", "encoding", "form", "version"):
        text_given(name, fields.get(name))
    any_whole_given("seed", card.seed)
    whole_given("games", card.games, 1, MAX_GAMES)
    whole_given("shard_games", card.shard_games, 1, MAX_SHARD_GAMES)
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
        there = asdict(read_card(self.folder))
        for name, value in asdict(self.card).items():
            if there[name] != value:
                raise MasonsError(
                    f"{self.folder} is another dataset: with {name} {shown(there[name])}, "
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
    flag_given("partial", partial)
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
