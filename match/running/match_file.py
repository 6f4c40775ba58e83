"""A match on disk: a game record a line, with what the referee noted under the key `match`.

| key        | value                                                                              |
| ---------- | ---------------------------------------------------------------------------------- |
| `block`    | the block, from 0                                                                  |
| `number`   | the game's number in the match, from 0                                             |
| `engines`  | the index of the engine in each seat; the record's `names` are theirs              |
| `settings` | a hash of all settings that the game depends on                                    |
| `seed`     | the match's seed                                                                   |
| `faults`   | what went wrong: `seat`, `kind` (crash, stall, illegal, time, protocol), the        |
|            | `decision` (from 0) and a `text`                                                   |
| `forfeits` | the seats that forfeited                                                           |
| `seconds`  | the time that each seat took for its decisions; `slowest` for one                  |
| `luck`     | with `--luck`: what deal, dice and cards gave each seat, in shares of the victory   |

All figures of a match are read from such lines, whether the games were played now or before.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
from msgspec import Meta, Struct, ValidationError, convert

from masons.ai.review.luck import luck_of_game
from masons.ai.review.timeline import timeline_of
from masons.engine.board.components import CARDS, WILD
from masons.engine.board.geometry import Board, board_of
from masons.engine.errors import MasonsError, RecordError
from masons.engine.formats.move_text import CARD_NUMBER
from masons.engine.game.record import parse_record, read_lines
from masons.engine.kernels.rng import mix
from masons.engine.plain_text import plain, rounded
from masons.match.running.schedule import FAULTS, Fault, MatchSettings, Schedule
from masons.match.statistics.engine_scores import GameResult
from masons.match.statistics.luck_adjusted import Plays, SeatLuck

KEY: Final = "match"
_SAMPLES: Final = 16  # continuations by which luck is weighed: a tenth of a second a game
_MOST: Final = 10**18  # no number of a match is larger

Whole = Annotated[int, Meta(ge=0, le=_MOST)]
Figure = Annotated[float, Meta(ge=-_MOST, le=_MOST)]


class FinalNotes(Struct):
    """What a match needs of a record's `result`."""

    scores: tuple[Whole, ...]
    hand_sizes: tuple[Whole, ...]


class MatchNotes(Struct):
    """What stands under `match`."""

    block: Whole
    number: Whole
    engines: tuple[Whole, ...]
    settings: str
    seed: int
    faults: tuple[Fault, ...]
    forfeits: frozenset[Whole]
    seconds: tuple[Figure, ...]
    slowest: tuple[Figure, ...]
    luck: tuple[Figure, ...] | None = None


class NotAMatchError(RecordError):
    """The games of a file are not of a match: there is nothing to repair."""


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """A finished game, by its record; tuples are in seat order.

    A match keeps all of its games, so this holds as little as its tables need.
    """

    result: GameResult
    names: tuple[str, ...]
    settings: str
    seed: int
    faults: tuple[Fault, ...]
    seconds: tuple[float, ...]
    slowest: tuple[float, ...]
    cards_and_dice: tuple[SeatLuck, ...]
    plays: Plays


def outcome_of(record: dict[str, Any]) -> GameOutcome:
    """Return the outcome in a record. Raises RecordError for one that is not of a match."""
    if KEY not in record:
        raise NotAMatchError("a game record, but not of a match: give a file that match wrote")
    if record["result"] is None:
        raise RecordError("this game did not end, so it has no result to count")
    try:
        return _outcome(record)
    except ValidationError as error:
        what, _, path = str(error).replace("`", "").partition(" - at $.")
        fault = plain(f"{path or KEY}: {what[:1].lower()}{what[1:]}")
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        fault = repr(error)
    raise RecordError(f"not the record of a game of a match: {fault}")


def _outcome(record: dict[str, Any]) -> GameOutcome:
    final, notes = convert(record["result"], FinalNotes), convert(record[KEY], MatchNotes)
    seats = len(notes.engines)
    for name in ("seconds", "slowest", "luck"):
        figures = getattr(notes, name)
        if figures is not None and len(figures) != seats:
            raise ValidationError(f"must be a number for each seat - at $.{name}")
    if not all(0 <= fault.seat < seats and fault.kind in FAULTS for fault in notes.faults):
        raise ValidationError(f"must be of a seat and of {', '.join(FAULTS)} - at $.faults")
    result = GameResult(
        notes.block, notes.number, notes.engines, final.scores, final.hand_sizes,
        notes.forfeits, notes.luck,
    )  # fmt: skip
    return GameOutcome(
        result=result,
        names=tuple(map(sys.intern, record["names"])),
        settings=sys.intern(notes.settings),
        seed=notes.seed,
        faults=notes.faults,
        seconds=notes.seconds,
        slowest=notes.slowest,
        cards_and_dice=_cards_and_dice(record, result),
        plays=_plays(record),
    )


def weighed_luck(
    record: Mapping[str, Any], board: Board | None, seed: int, number: int
) -> list[float]:
    """Return what deal, dice and cards gave each seat of game `number` of a match's seed."""
    luck = luck_of_game(timeline_of(record, board), _SAMPLES, mix(seed, number))
    return [rounded(share) for share in luck]


def _cards_and_dice(record: dict[str, Any], result: GameResult) -> tuple[SeatLuck, ...]:
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
        SeatLuck(
            result.block, engine, bytes(map(cards[seat].count, range(len(CARDS)))),
            rolls[seat], jokers[seat],
        )
        for seat, engine in enumerate(result.engines)
    )  # fmt: skip


def _plays(record: dict[str, Any]) -> Plays:
    plays = np.zeros((2, len(CARDS)), dtype=np.int32)
    for event in record["events"]:
        if event["e"] in ("play", "final"):
            for card, points in zip(event["cards"], event["points"], strict=True):
                plays[:, CARD_NUMBER[card]] += 1, int(points)
    return plays


def read_outcomes(path: str | Path, luck_on: Board | None = None) -> Iterator[GameOutcome]:
    """Yield the games of a file; weigh their luck where they are known to be on board `luck_on`.

    Raises RecordError, or OSError.
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
                if outcome.result.luck is None and luck_on is not None:
                    luck = weighed_luck(record, luck_on, outcome.seed, outcome.result.number)
                    outcome = replace(outcome, result=replace(outcome.result, luck=tuple(luck)))
            except RecordError as error:
                is_none = number == 1 and isinstance(error, NotAMatchError)
                kind = NotAMatchError if is_none else RecordError
                raise kind(f"{path}, record {number}: {error}") from None
            yield outcome


def seed_in(path: str | Path) -> int | None:
    """Return the seed of the match in a file; None where no game was finished."""
    return next((outcome.seed for outcome in read_outcomes(path)), None)


def played_before(
    path: str | Path, matches: Sequence[MatchSettings], *, weighs_luck: bool = False
) -> list[list[GameOutcome]]:
    """Return the games of each of some matches that are in a file, each game once.

    Raises MasonsError where the file holds games under other settings.
    """
    games: dict[str, dict[int, GameOutcome]] = {match.fingerprint(): {} for match in matches}
    schedules = {match.fingerprint(): Schedule(match) for match in matches}
    outcomes = read_outcomes(path, board_of(matches[0].board) if weighs_luck else None)
    for record, outcome in enumerate(outcomes, 1):
        schedule, result = schedules.get(outcome.settings), outcome.result
        if schedule is None:
            raise MasonsError(
                f"{path} is of a match under other settings{_difference(outcome, matches)}: "
                "nothing is added to it"
            )
        game = schedule.game(result.number)
        names = tuple(schedule.settings.entries[engine].name for engine in game.engines)
        noted = (result.block, result.engines, outcome.names, outcome.seed)
        if noted != (game.block, game.engines, names, schedule.settings.seed):
            raise MasonsError(
                f"{path}, record {record}: block, engines, names and seed are not those of game "
                f"{result.number} of the match: take the line out"
            )
        games[outcome.settings].setdefault(result.number, outcome)
    return [list(of_match.values()) for of_match in games.values()]


def _difference(outcome: GameOutcome, matches: Sequence[MatchSettings]) -> str:
    """Return the difference between settings, where a record shows it."""
    seed, sizes = matches[0].seed, sorted({match.players for match in matches})
    if outcome.seed != seed:
        return f" (seed {outcome.seed}, not {seed})"
    if len(outcome.names) not in sizes:
        return f" ({len(outcome.names)} players, not {' or '.join(map(str, sizes))})"
    strangers = sorted(set(outcome.names).difference(*(match.names for match in matches)))
    return f" (with {strangers[0]})" if strangers else ""
