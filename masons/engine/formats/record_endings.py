"""The entries of a game record that say why a game was stopped, or which seat forfeited."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from masons.engine.board.components import MAX_PLAYERS
from masons.engine.checks import check_list, shown
from masons.engine.errors import RecordError
from masons.engine.formats.record_events import as_json, is_count

STOPPED: Final = ("resigned", "adjourned", "forfeit", "cut")
FORFEITS: Final = ("crash", "stall", "time", "illegal", "protocol")
MOST_EVENTS: Final = 1 << 24
_STOPPED_WORDS: Final = {
    "resigned": ("resigns", "by a resignation"),
    "adjourned": ("adjourns the game", "adjourned"),
    "forfeit": ("forfeits the game", "by a forfeit"),
    "cut": ("cut the game short", "cut short"),
}
_FORFEIT_WORDS: Final = {
    "crash": "its engine crashed",
    "stall": "its engine stalled",
    "time": "it ran out of time",
    "illegal": "it made an illegal move",
    "protocol": "its engine broke the protocol",
}


@dataclass(frozen=True)
class Stopped:
    """The reason why a game was stopped before its end, and the seat that stopped it (or None)."""

    why: str  # resigned, adjourned, forfeit or cut
    seat: int | None = None

    def __post_init__(self) -> None:
        if self.why not in STOPPED or not (self.seat is None or _is_seat(self.seat)):
            raise RecordError(
                f"why is {shown(self.why)} and seat {shown(self.seat)}: a game was stopped with "
                f"why one of {', '.join(STOPPED)}, seat None or from 0 to {MAX_PLAYERS - 1}"
            )

    def words(self, names: Sequence[str]) -> str:
        """Return a human-readable sentence. `names` are the names of the seats."""
        by_seat, plain = _STOPPED_WORDS[self.why]
        if self.seat is None:
            return f"The game did not end: {plain}."
        return f"The game did not end: seat {self.seat} ({_name(names, self.seat)}) {by_seat}."


@dataclass(frozen=True)
class Forfeit:
    """A seat's forfeit: from event `event` on (counted from 0), a stand-in chose for the seat."""

    seat: int
    event: int
    why: str  # crash, stall, time, illegal or protocol

    def __post_init__(self) -> None:
        if (
            self.why not in FORFEITS
            or not _is_seat(self.seat)
            or not is_count(self.event, MOST_EVENTS)
        ):
            raise RecordError(
                f"why is {shown(self.why)}, seat {shown(self.seat)} and event {shown(self.event)}: "
                f"a forfeit has why one of {', '.join(FORFEITS)}, seat from 0 to "
                f"{MAX_PLAYERS - 1}, event 0 or more"
            )

    def words(self, names: Sequence[str], stopped: Stopped | None = None) -> str:
        """Return sentences for people. `names` are the names of the seats.

        `stopped` is the reason why the game was stopped. If it is this forfeit, no stand-in chose.
        """
        said = f"Seat {self.seat} ({_name(names, self.seat)}) forfeits: {_FORFEIT_WORDS[self.why]}."
        return said if self.ends(stopped) else f"{said} From here on a stand-in chooses for it."

    def ends(self, stopped: Stopped | None) -> bool:
        """Return whether a game that was stopped for a reason ended with this forfeit."""
        return stopped == Stopped("forfeit", self.seat)


def _is_seat(value: object) -> bool:
    return is_count(value, MAX_PLAYERS - 1)


def _name(names: object, seat: int) -> str:
    named = check_list("names", names, str, "the names of the seats")
    if seat >= len(named):
        raise RecordError(f"names are {len(named)}: there is none for seat {seat}")
    return named[seat]


def stopped_words(stopped: Stopped | None, names: Sequence[str]) -> str:
    """Return a sentence about an unfinished game, with the reason if its record gives a reason."""
    return "The game did not end." if stopped is None else stopped.words(names)


def stopped_of(record: Mapping[str, Any], players: int) -> Stopped | None:
    """Return the reason why a game was stopped, or None if its record gives no reason.

    Raises RecordError if the record's entry is malformed.
    """
    if "result" not in record:
        raise RecordError("result is missing: it must be null if the game did not end")
    if "stopped" not in record:
        return None
    stated = record["stopped"]
    if record["result"] is not None:
        raise RecordError("stopped needs result null, but this record has a result")
    if (
        not isinstance(stated, dict)
        or set(stated) != {"why", "seat"}
        or stated["why"] not in STOPPED
        or not (stated["seat"] is None or is_count(stated["seat"], players - 1))
    ):
        raise RecordError(
            f'stopped is {as_json(stated)}: it must be like {{"why": "resigned", "seat": 0}}, why '
            f"one of {', '.join(STOPPED)}, seat null or a seat from 0 to {players - 1}"
        )
    return Stopped(stated["why"], stated["seat"])


def forfeits_of(record: Mapping[str, Any], players: int, events: int) -> tuple[Forfeit, ...]:
    """Return the forfeits of a record, at most one for each seat.

    `players` and `events` are the numbers of seats and of events. Raises RecordError if the
    record's list of forfeits is malformed.
    """
    stated = record.get("forfeits", [])
    if not isinstance(stated, list):
        raise RecordError(f"forfeits is {as_json(stated)}: it must be a list")
    entries = []
    for item in stated:
        if (
            not isinstance(item, dict)
            or set(item) != {"seat", "event", "why"}
            or not is_count(item["seat"], players - 1)
            or not is_count(item["event"], events)
            or item["why"] not in FORFEITS
        ):
            raise RecordError(
                f"forfeits: {as_json(item)} must be like "
                f'{{"seat": 0, "event": 17, "why": "time"}}, '
                f"seat from 0 to {players - 1}, event from 0 to {events}, "
                f"why one of {', '.join(FORFEITS)}"
            )
        entries.append(Forfeit(item["seat"], item["event"], item["why"]))
    if len({forfeit.seat for forfeit in entries}) != len(entries):
        raise RecordError("forfeits: a seat is listed twice")
    _check_match_notes(record, set(range(players)) - {forfeit.seat for forfeit in entries})
    return tuple(entries)


def _check_match_notes(record: Mapping[str, Any], others: Collection[int]) -> None:
    """Raise RecordError for an old match record that lists a forfeit only under `match`.

    Without an entry in `forfeits`, the record would show the wrong winner. `others` are the seats
    that have no such entry.
    """
    match = record.get("match")
    noted = match.get("forfeits") if isinstance(match, Mapping) else None
    missing = [seat for seat in others if isinstance(noted, list) and seat in noted]
    if missing:
        raise RecordError(
            f"forfeits is missing, but match says that seat {missing[0]} forfeited: add "
            f'"forfeits": [{{"seat": {missing[0]}, "event": 17, "why": "time"}}] with the event '
            f"from which a stand-in chose, and why as one of {', '.join(FORFEITS)}"
        )


def ending_notes(record: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each unusual fact about the end of a record's game."""
    names = record["names"]
    players = len(names)
    notes = []
    stopped = stopped_of(record, players)
    if record["result"] is None:
        notes.append(stopped_words(stopped, names))
    for entry in forfeits_of(record, players, len(record["events"])):
        note = f"Seat {entry.seat} ({names[entry.seat]}) forfeited: {_FORFEIT_WORDS[entry.why]}."
        if not entry.ends(stopped):
            note += f" From event {entry.event} on a stand-in chose for it."
        notes.append(note)
    return notes


def chosen_by_another(forfeits: Sequence[Forfeit], seat: int, event: int) -> bool:
    """Return whether a stand-in chose for `seat` at event number `event`."""
    return any(entry.seat == seat and event >= entry.event for entry in forfeits)
