"""Fair matches, which commit to the secrets of all games before the engines give nonces.

`masons.engine.fair.fair_game` explains secrets, commitments and nonces.

Before its first game, a run of a match adds notes to the match's file. A note is a line of JSON
that is not a game:

    {"format": "masons-fair", "version": 1, "commitments": {"0": "b678...", "1": "03ac..."}}
    {"format": "masons-fair", "version": 1, "nonces": {"default": "a word", "greedy": ""}}

Each game has its own secret. No file contains the secret until the record of the game reveals it.
If the process ends, the secrets of unfinished games are lost. The next run then makes new
commitments for the missing games, and the file shows which commitments were never opened.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from masons.engine.errors import MasonsError, RecordError
from masons.engine.fair.fair_game import (
    KEY,
    VERSION,
    Fair,
    commitment_of,
    is_hash,
    new_secret,
    nonce_given,
)
from masons.engine.formats.record_endings import NOTE
from masons.engine.formats.record_events import as_json
from masons.engine.strict_json import strict_json
from masons.match.running.schedule import MatchGame

_A_LINE: Final = 1000  # the most commitments in a line


def digest_of(commitments: Mapping[int, str]) -> str:
    """Return the SHA-256 of a run's commitments.

    The text that is hashed has a line `NUMBER COMMITMENT` for each game, in ascending order.
    """
    lines = "".join(f"{number} {commitments[number]}\n" for number in sorted(commitments))
    return sha256(lines.encode("ascii")).hexdigest()


class FairGames:
    """The secrets of all games in one run of a match."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._secrets = {number: new_secret() for number in numbers}
        self._nonces: Mapping[str, str] = {}

    @property
    def commitments(self) -> dict[int, str]:
        """The commitment of each game, by the number of the game."""
        return {number: commitment_of(secret) for number, secret in self._secrets.items()}

    def commitment_notes(self) -> Iterator[str]:
        """Yield the lines with the commitments. Write them before asking for a nonce."""
        ordered = sorted(self.commitments.items())
        for start in range(0, len(ordered), _A_LINE):
            some = {str(number): hashed for number, hashed in ordered[start : start + _A_LINE]}
            yield _note("commitments", some)

    def nonces_note(self, nonces: Mapping[str, str]) -> str:
        """Set the nonces, given by engine name. Return the line to write before the games."""
        self._nonces = {name: nonce_given(nonce) for name, nonce in nonces.items()}
        return _note("nonces", self._nonces)

    def dealt(self, game: MatchGame) -> Fair:
        """Return the source of a game's dice and cards."""
        names = [game.settings.entries[engine].name for engine in game.engines]
        nonces = tuple(self._nonces.get(name, "") for name in names)
        return Fair(self._secrets[game.number], nonces, draws_first=False)


def _note(key: str, value: Mapping[str, str]) -> str:
    return json.dumps({"format": NOTE, "version": VERSION, key: value}, ensure_ascii=False)


class Announced:
    """The commitments in a match's file.

    Pass each note to `read` and each record to `digest_for`, in the order of the file.
    """

    def __init__(self) -> None:
        self.digests: list[tuple[int, str]] = []  # (number of games, digest) of each run
        self._current: dict[int, str] = {}
        self._digest = ""
        self._nonces: dict[str, str] | None = None
        self._open: dict[str, int] = {}  # the game's number, for each commitment not yet opened

    def __bool__(self) -> bool:
        return bool(self._current)

    def read(self, line: str) -> None:
        """Read a note, which is one line of the file. Raises RecordError."""
        try:
            note = strict_json(line)
            if note["version"] != VERSION:
                raise RecordError(
                    f"a note of version {as_json(note['version'])}: only {VERSION} is known"
                )
            if "commitments" in note:
                self._commit({_number(key): value for key, value in note["commitments"].items()})
            else:
                self._nonces = {name: nonce_given(said) for name, said in note["nonces"].items()}
                self._digest = digest_of(self._current)
                self.digests.append((len(self._current), self._digest))
        except MasonsError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise RecordError(
                f"{as_json(line)} is not a note of a fair match: it must hold commitments or nonces"
            ) from None

    def _commit(self, more: Mapping[int, str]) -> None:
        if not more or not all(is_hash(value) for value in more.values()):
            raise ValueError
        # Numbers ascend within a run, so a lower number begins a new run. After nonces, any
        # commitments begin a new run, but a run that was killed early may have no nonces.
        if self._nonces is not None or (self._current and min(more) <= max(self._current)):
            self._current, self._nonces = {}, None
        self._current.update(more)
        self._open.update({value: number for number, value in more.items()})

    def digest_for(self, record: Mapping[str, Any]) -> str:
        """Mark a record's commitment as opened. Return the digest of all commitments of its run.

        Raises RecordError if the record's commitment or nonces differ from those of the run.
        """
        fair, notes = record[KEY], record.get("match")
        number = notes.get("number") if isinstance(notes, dict) else None
        known = type(number) is int and self._current.get(number) == fair["commitment"]
        if self._nonces is None or not known:
            raise RecordError("its commitment is not in the file before it")
        right = [self._nonces.get(name, "") for name in record["names"]]
        if fair["nonces"] != right:
            raise RecordError(f"its nonces are not those in the file before it: {as_json(right)}")
        self._open.pop(fair["commitment"], None)
        return self._digest

    @property
    def unopened(self) -> Sequence[int]:
        """The numbers of the games whose commitment no record has opened yet."""
        return sorted(self._open.values())


def _number(key: str) -> int:
    if not (key.isascii() and key.isdigit() and len(key) < 10):
        raise ValueError
    return int(key)
