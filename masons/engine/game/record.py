"""Game records: each game is a line of JSON, which `replay.py` checks and plays again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Final

from masons.engine.board.geometry import builtin_boards
from masons.engine.checks import check_list, check_type, file_shown, is_utf8, shown, whole
from masons.engine.errors import MasonsError, RecordError
from masons.engine.formats.record_endings import (
    Forfeit,
    Stopped,
    forfeits_of,
    stopped_of,
)
from masons.engine.formats.record_events import (
    as_json,
    card_ids,
)
from masons.engine.game.game import Game, Result
from masons.engine.plain_text import quoted
from masons.engine.strict_json import RepeatedKeyError, strict_json

FORMAT: Final = "masons-record"
VERSION: Final = 1
MAX_LINE: Final = 1 << 24
UNFINISHED: Final = (
    "this game is unfinished: masons-engine play --resume FILE --export RECORD makes a record of it"
)
PLAYED_HEAD: Final = b'{"format": "masons-play"'  # beginning of the file of an unfinished game


def game_record(
    game: Game,
    names: Sequence[str] = (),
    *,
    stopped: Stopped | None = None,
    forfeits: Sequence[Forfeit] = (),
) -> dict[str, Any]:
    """Return the record of a finished game, or of a game that was `stopped`.

    `names` are the seats' names. `forfeits` lists the seats for which a stand-in chose the moves
    from some event on, at most once each. Raises RecordError for an unfinished game without
    `stopped`, for a finished game with `stopped`, for a game that began from a position, and for a
    reason or a seat that does not exist.
    """
    result = check_type("game", game, Game, "a Game").result
    if stopped is not None:
        check_type("stopped", stopped, Stopped, "a masons.Stopped or None")
    forfeits = check_list("forfeits", forfeits, Forfeit, "a list of masons.Forfeit")
    if not game.hands_dealt:
        raise RecordError("a game that began from a position has no record")
    if result is None and stopped is None:
        raise RecordError(
            "a record needs a finished game, or why it was stopped, like "
            'stopped=masons.Stopped("resigned", 0)'
        )
    if result is not None and stopped is not None:
        raise RecordError("a finished game was not stopped")
    named = check_list("names", names, str, f"a text for each of the {game.players} seats")
    if named and len(named) != game.players:
        raise RecordError(f"names are {len(named)}: give one for each of the {game.players} seats")
    if not all(map(is_utf8, named)):
        raise RecordError(f"names are {shown(named)}: UTF-8 cannot encode half a surrogate pair")
    record: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "board": game.board.name,
        "players": game.players,
        "options": ["early_roll"] if game.early_roll else [],
        "names": named or [f"seat {seat}" for seat in range(game.players)],
        "seed": game.seed,
        "first": game.first,
        "hands": [card_ids(hand) for hand in game.hands_dealt],
        "deck": card_ids(game.log.decks[0].in_order()),
        "events": game.events,
        "result": None if result is None else result_data(result),
    }
    if stopped is not None:
        record["stopped"] = asdict(stopped)
    if forfeits:
        record["forfeits"] = [asdict(forfeit) for forfeit in forfeits]
    if game.board.name not in builtin_boards():
        record["board_sha256"] = game.board.sha256
    stopped_of(record, game.players)  # raises RecordError for what is not in the format
    forfeits_of(record, game.players, len(record["events"]))
    return record


def result_data(result: Result) -> dict[str, Any]:
    """Return the result of a game as a record has it."""
    return {
        "scores": list(result.scores),
        "hand_sizes": list(result.hand_sizes),
        "winners": list(result.winners),
        "end": result.end,
    }


def format_record(record: dict[str, Any]) -> str:
    """Return a record as a line of JSON, without the newline.

    Raises RecordError for a dict that is not a record, or that cannot be written as JSON.
    """
    _check_format(check_type("record", record, dict, "a dict, like game_record gives"))
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"the record cannot be written as JSON: {error}") from None


def parse_record(line: str) -> dict[str, Any]:
    """Return the record in a line of text.

    Raises RecordError if the line is not a record. Only the format and its version are checked
    here; `Replay` checks the rest.
    """
    if not isinstance(line, str):
        raise RecordError(f"line is {shown(line)}: it must be a text")
    try:
        record = strict_json(line)
    except RepeatedKeyError as error:
        raise RecordError(f"the key {as_json(error.key)} occurs twice in one object") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError):
            if line.strip()[:1] not in ("", "{", "\ufeff"):
                begins = quoted(line.strip(), 30)
                raise RecordError(f"not JSON, as a game record is: it begins {begins}") from None
            raise RecordError(f"not JSON at column {error.colno}: {error.msg}") from None
        raise RecordError("not JSON: NaN, a number too long, or nested too deeply") from None
    _check_format(record)
    assert isinstance(record, dict)
    return record


def _check_format(record: object) -> None:
    """Raise RecordError if a value from JSON is not a record in a known version of the format."""
    if isinstance(record, dict) and record.get("format") == "masons-play":
        raise RecordError(UNFINISHED)
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise RecordError(f'not a game record: it must be an object with "format": "{FORMAT}"')
    version = record.get("version")
    if type(version) is not int or version != VERSION:
        raise RecordError(f"version {as_json(version)}: only version {VERSION} is known")


def read_lines(stream: IO[bytes], *, name: str = "") -> Iterator[str]:
    """Yield the lines of a file of records, without blank lines and without a byte order mark.

    `name` is the file's name for messages. Raises RecordError if the file is not text or not a file
    of records.
    """
    number, blank, place = 0, 0, f"{file_shown(name)}, " if name else ""
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if number == 1 and line.startswith(PLAYED_HEAD):
            raise RecordError(f"{f'{file_shown(name)}: ' if name else ''}{UNFINISHED}")
        if len(line) > MAX_LINE:
            raise RecordError(f"{place}line {number} is longer than {MAX_LINE} bytes")
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise RecordError(f"{place}line {number} is not UTF-8 text") from None
        blank = 0 if text.strip() else blank + len(line)
        if blank > MAX_LINE:
            raise RecordError(f"{place}line {number} ends over {MAX_LINE} bytes of blank lines")
        if not blank:
            yield text


def read_record(path: str | Path, number: int = 1) -> dict[str, Any]:
    """Return record `number` (from 1) of a file.

    Raises RecordError if the file cannot be read or has no such record.
    """
    if not isinstance(path, str | Path) or not str(path):
        raise RecordError(f"path is {shown(path)}: it must be the name of a file")
    if (whole(number) or 0) < 1:
        raise RecordError(f"number is {shown(number)}: records count from 1")
    count = 0
    try:
        with Path(path).open("rb") as stream:
            for line in read_lines(stream, name=str(path)):
                count += 1
                if count == number:
                    return _parse_in(path, number, line)
    except OSError as error:
        raise RecordError(f"cannot read {file_shown(path)}: {error.strerror}") from None
    except ValueError as error:
        if isinstance(error, MasonsError):
            raise
        raise RecordError(f"cannot read {file_shown(path)}: {error}") from None
    has = "1 record" if count == 1 else f"{count} records"
    raise RecordError(f"{file_shown(path)} has {has}, no record {shown(number)}")


def _parse_in(path: str | Path, number: int, line: str) -> dict[str, Any]:
    try:
        return parse_record(line)
    except RecordError as error:
        raise RecordError(f"{file_shown(path)}, record {number}: {error}") from None
