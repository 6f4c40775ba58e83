"""The file of a match, which holds one game record per line.

In each record, the referee's notes are the value of the key `match`:

| key        | value                                                                              |
| ---------- | ---------------------------------------------------------------------------------- |
| `block`    | the number of the block, from 0                                                    |
| `number`   | the number of the game in the match, from 0                                        |
| `engines`  | the index of the engine in each seat; `names` in the record gives the names        |
| `settings` | a hash of all settings that the game depends on                                    |
| `limits`   | the limits of time and simulations, as in `schedule.TimeControl`                   |
| `seed`     | the seed of the match                                                              |
| `faults`   | the faults of seats, each with `seat`, `kind` (crash, stall, illegal, time,        |
|            | protocol), `decision` (from 1, as in `FILE#K@N`) and `text`                        |
| `forfeits` | the seats that forfeited                                                           |
| `decisions`| the number of each seat's decisions                                                |
| `replaced` | the number of each seat's decisions that a stand-in made; only if there was one    |
| `seconds`  | the time that each seat took for all its decisions                                 |
| `slowest`  | the time of each seat's longest decision                                           |
| `late`     | the number of each seat's decisions beyond their limit; only if there was one      |
| `latest`   | the longest time by which a decision of the seat exceeded its limit, with `late`   |
| `luck`     | the share of the victory that each seat gained by chance; only with `--luck`       |

All figures of a match are computed from these lines, both for games just played and for games of
earlier runs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import count, islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.review.luck import luck_of_game
from masons.ai.review.timeline import timeline_of
from masons.engine import checks
from masons.engine.board.components import CARDS, WILD
from masons.engine.board.geometry import Board, board_of
from masons.engine.errors import READ_ERRORS, MasonsError, RecordError
from masons.engine.formats.move_text import CARD_NUMBER
from masons.engine.game.record import parse_record, read_lines
from masons.engine.kernels.rng import mix
from masons.engine.plain_text import all_rounded, plain_name
from masons.match.running.schedule import FAULTS, Fault, MatchSettings
from masons.match.statistics.engine_scores import GameResult

Plays = NDArray[np.signedinteger[Any]]
"""Shape [2, CARDS]. For each kind of card, row 0 counts its plays and row 1 adds its points."""

KEY: Final = "match"
# The options of `match` that set the limits, where they have another name.
_OPTIONS: Final = {
    "movetime": "--time", "clock": "--time", "inc": "--time", "margin": "--time-margin",
}  # fmt: skip
_SAMPLES: Final = 16  # number of continuations that measure luck; takes about 0.1 s a game
_MOST: Final = 10**18  # the largest number that a note can have


class NotAMatchError(RecordError):
    """An error for a file whose records are not from a match. Such a file is not repaired."""


class SeatChance(NamedTuple):
    """The cards and dice that a seat got in one game."""

    cards: bytes  # the number of cards of each kind dealt or drawn, [CARDS]
    rolls: int  # the number of rolls; there is one in each turn
    jokers: int  # the number of house dice that showed a joker


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOutcome(GameResult):
    """A finished game of a match, with tuples in seat order.

    An outcome has only the data that the tables need, because the outcomes of all games of a match
    are held in memory.
    """

    names: tuple[str, ...]
    settings: str
    seed: int
    faults: tuple[Fault, ...]
    seconds: tuple[float, ...]
    slowest: tuple[float, ...]
    replaced: tuple[int, ...]
    decisions: tuple[int, ...]
    late: tuple[int, ...]
    latest: tuple[float, ...]
    chance: tuple[SeatChance, ...]
    plays: Plays
    record: int = 0  # the number of the record in its file, from 1


def outcome_of(record: dict[str, Any]) -> GameOutcome:
    """Return the outcome of a recorded game.

    Raises RecordError if the record is not from a match.
    """
    if KEY not in record:
        raise NotAMatchError("a game record, but not from a match: give a file that match wrote")
    try:
        return _outcome(record)
    except RecordError:
        raise
    except MasonsError as error:
        raise RecordError(f"not a record from a match: {error}") from None
    except READ_ERRORS as error:
        raise RecordError(f"not a record from a match ({checks.shown(error)})") from None


def _outcome(record: dict[str, Any]) -> GameOutcome:
    notes = record[KEY]
    final = record["result"]
    if final is None:
        raise RecordError("this game did not end, so it has no result to count")
    engines = _numbers(notes, "engines")
    seats = len(engines)
    names = checks.check_list("names", record["names"], str, "a list of names")
    return GameOutcome(
        block=checks.check_whole("block", notes["block"], 0, _MOST),
        number=checks.check_whole("number", notes["number"], 0, _MOST),
        engines=engines,
        scores=_numbers(final, "scores"),
        hand_sizes=_numbers(final, "hand_sizes"),
        forfeits=frozenset(_numbers(notes, "forfeits")),
        luck=None if notes.get("luck") is None else _figures(notes, "luck", seats),
        names=tuple(map(sys.intern, names)),
        settings=sys.intern(checks.check_text("settings", notes["settings"])),
        seed=checks.check_any_whole("seed", notes["seed"]),
        faults=tuple(_fault(seats, **fault) for fault in notes["faults"]),
        seconds=_figures(notes, "seconds", seats),
        slowest=_figures(notes, "slowest", seats),
        replaced=_counts(notes, "replaced", seats),
        decisions=_counts(notes, "decisions", seats),
        late=_counts(notes, "late", seats),
        latest=_figures(notes, "latest", seats) if "late" in notes else (0.0,) * seats,
        chance=_seat_chances(record, seats),
        plays=_plays(record),
    )


def _numbers(data: Mapping[str, Any], key: str) -> tuple[int, ...]:
    return checks.check_wholes(key, data[key], _MOST, "a list of whole numbers")


def _figures(notes: Mapping[str, Any], key: str, seats: int) -> tuple[float, ...]:
    """Return the value of `key`, one number per seat. Raises MasonsError if it is wrong."""
    numbers = [
        checks.real(value)
        for value in checks.check_list(key, notes[key], object, "a list of numbers")
    ]
    figures = tuple(number for number in numbers if number is not None and abs(number) <= _MOST)
    if not len(figures) == len(numbers) == seats:
        checks.refuse(key, notes[key], "a number for each seat")
    return figures


def _counts(notes: Mapping[str, Any], key: str, seats: int) -> tuple[int, ...]:
    """Return the value of `key`, a count for each seat, or zeros if there is no such key."""
    if key not in notes:
        return (0,) * seats
    counts = _numbers(notes, key)
    if len(counts) != seats:
        checks.refuse(key, notes[key], "a number for each seat")
    return counts


def _fault(seats: int, seat: object, kind: str, decision: object, text: object) -> Fault:
    if kind not in FAULTS:
        checks.refuse("kind of a fault", kind, f"of {', '.join(FAULTS)}")
    return Fault(
        seat=checks.check_whole("seat of a fault", seat, 0, seats - 1),
        kind=kind,
        decision=checks.check_whole("decision of a fault", decision, 0, _MOST),
        text=checks.check_text("text of a fault", text),
    )


def weighed_luck(
    record: Mapping[str, Any], board: Board | None, seed: int, number: int
) -> list[float]:
    """Return the share of the victory that each seat gained by the deal, dice and cards.

    `seed` is the seed of the match, and `number` is the number of the game.
    """
    luck = luck_of_game(timeline_of(record, board), _SAMPLES, mix(seed, number))
    return all_rounded(luck)


def _seat_chances(record: dict[str, Any], seats: int) -> tuple[SeatChance, ...]:
    cards = [[CARD_NUMBER[name] for name in hand] for hand in record["hands"]]
    rolls, jokers = [0] * len(cards), [0] * len(cards)
    active = 0
    for event in record["events"]:
        if event["e"] == "wall":
            active = event["p"]
        elif event["e"] == "roll":
            rolls[active] += 1
            jokers[active] += event["houses"].count(WILD)
        drawn = event.get("drew") or event.get("in") or ()
        cards[event.get("p", active)] += [CARD_NUMBER[name] for name in drawn]
    return tuple(
        SeatChance(bytes(map(cards[seat].count, range(len(CARDS)))), rolls[seat], jokers[seat])
        for seat in range(seats)
    )


def _plays(record: dict[str, Any]) -> Plays:
    plays = np.zeros((2, len(CARDS)), dtype=np.int32)
    for event in record["events"]:
        if event["e"] in ("play", "final"):
            for card, points in zip(event["cards"], event["points"], strict=True):
                plays[:, CARD_NUMBER[card]] += 1, int(points)
    return plays


def read_outcomes(path: str | Path, luck_on: Board | None = None) -> Iterator[GameOutcome]:
    """Yield the outcomes of the games in a file.

    If `luck_on`, the board of the games, is given, the luck of each game is measured unless the
    file contains this luck. Raises RecordError or OSError.
    """
    with Path(path).open("rb") as stream:
        lines = read_lines(stream)
        for number in count(1):
            try:
                line = next(lines, None)
                if line is None:
                    return
                record = parse_record(line)
                outcome = outcome_of(record)
                if outcome.luck is None and luck_on is not None:
                    luck = weighed_luck(record, luck_on, outcome.seed, outcome.number)
                    outcome = replace(outcome, luck=tuple(luck))
            except RecordError as error:
                is_none = number == 1 and isinstance(error, NotAMatchError)
                kind = NotAMatchError if is_none else RecordError
                raise kind(f"{path}, record {number}: {error}") from None
            yield replace(outcome, record=number)


def seed_in(path: str | Path) -> int | None:
    """Return the seed of the match in a file, or None if the file has no finished game."""
    return next((outcome.seed for outcome in read_outcomes(path)), None)


def played_before(
    path: str | Path, match: MatchSettings, *, weighs_luck: bool = False
) -> list[GameOutcome]:
    """Return the games of a match that a file holds, without duplicates.

    Raises MasonsError if the file holds games with other settings.
    """
    games: dict[int, GameOutcome] = {}
    fingerprint = match.fingerprint()
    outcomes = read_outcomes(path, board_of(match.board) if weighs_luck else None)
    for outcome in outcomes:
        if outcome.settings != fingerprint:
            raise MasonsError(
                f"{path} belongs to a match with other settings"
                f"{_difference(path, outcome.record, match)}: "
                "repeat its engines and options, or give another file"
            )
        game = match.game(outcome.number)
        names = tuple(match.entries[engine].name for engine in game.engines)
        noted = (outcome.block, outcome.engines, outcome.names, outcome.seed)
        if noted != (game.block, game.engines, names, match.seed):
            raise MasonsError(
                f"{path}, record {outcome.record}: block, engines, names and seed are not those of "
                f"game {outcome.number + 1} of the match: delete the line"
            )
        games.setdefault(outcome.number, outcome)
    return list(games.values())


def _difference(path: str | Path, number: int, match: MatchSettings) -> str:
    """Describe how the settings of a file's record differ from those of `match`.

    Returns "" if the record does not show the difference.
    """
    with Path(path).open("rb") as stream:
        record = parse_record(next(islice(read_lines(stream), number - 1, None)))
    notes, names, board = record[KEY], record["names"], board_of(match.board).name
    if notes["seed"] != match.seed:
        return f" (seed {notes['seed']}, not {match.seed})"
    if len(names) != match.players:
        return f" ({len(names)} players, not {match.players})"
    strangers = sorted(set(names).difference(match.names))
    if strangers:
        return f" (with {plain_name(strangers[0])})"
    if record["board"] != board:
        return f" (board {plain_name(record['board'])}, not {board})"
    if bool(record["options"]) != match.early_roll:
        return f" ({'without' if match.early_roll else 'with'} --early-roll)"
    limits = notes.get("limits")
    if not isinstance(limits, dict):
        return ""
    for key, now in asdict(match.time_control).items():
        if limits.get(key) != now:
            shown = checks.shown(limits.get(key))
            return f" ({key} {shown}, not {now}: {_OPTIONS.get(key, f'--{key}')})"
    return " (other players, commands or board behind the same names)"
