"""The questions that the tests ask of a game record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.reference.board import Board
from tests.support.reference.fields import RecordFault, check_header
from tests.support.reference.replay import Decision, Replay

RARE = (
    "end-walls",
    "end-towers",
    "end-houses",
    "end-palaces",
    "end-no-line",
    "two-supplies-out",
    "returned-after-end",  # pieces went back to a supply that had run out, in the same turn
    "city-with-hole",
    "merges",
    "merge-declined",
    "merge-with-hole",
    "reshuffle-mid-draw",  # with cards of the same draw still due
    "reshuffle-after-draw",
    "reshuffle-put-off",  # the discard pile was empty when the last card was drawn
    "draw-short",  # deck and discard pile both empty at the second card of an abstain
    "tower-color-out",  # the colour rolled is not in supply
    "house-color-out",
    "house-color-short",  # a colour rolled twice, with one house of it left for two spaces
    "one-tower-left",  # one piece left where two are due
    "one-house-left",
    "swap-tie",  # more than one player in last place
    "early-roll",
    "early-roll-at-0",
    "final-no-city",
    "win-by-cards",  # cards in hand broke a tie of points
    "win-shared",
)
"""What is counted besides games and cities: events that tests should have met."""


def check_record(
    record: dict[str, Any],
    board: dict[str, Any],
    counters: dict[str, int] | None = None,
    sha256: str | None = None,
) -> list[str]:
    """Play a record through by the rules; what is wrong with it, or an empty list.

    A game is checked up to its first fault. `board` is the board's description; `sha256`, where
    given, is the hash of it that the record must carry. `counters` is added to: `games`, `cities`,
    the names in `RARE`, and `final-city-not-lowest` for final scorings that name another city
    than their move does (the lowest of those with the same total; rules, section 8).
    """
    try:
        for _ in decisions(record, board, counters, sha256):
            pass
    except RecordFault as fault:
        return [str(fault)]
    return []


def decision_counts(record: dict[str, Any], board: dict[str, Any]) -> list[int]:
    """The number of legal moves before each decision of a right record, in the order of events.

    An early roll is a move of the wall decision that it interrupts; where it is taken, another
    wall decision follows. Raises `RecordFault` where the record is wrong.
    """
    return [decision.count() for decision in decisions(record, board)]


def decisions(
    record: dict[str, Any],
    board: dict[str, Any],
    counters: dict[str, int] | None = None,
    sha256: str | None = None,
) -> Iterator[Decision]:
    """Each decision of a record before it is taken. Raises `RecordFault` at the first fault."""
    check_header(record, board["name"], sha256)
    counters = {} if counters is None else counters
    counters["games"] = counters.get("games", 0) + 1
    yield from Replay(record, Board(board), counters).run()
