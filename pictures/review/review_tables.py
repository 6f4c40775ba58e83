"""The tables of a review cell by cell, for its page and for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from masons.engine.formats.record_endings import Stopped, stopped_words
from masons.engine.plain_words import percent, spread, victory

MARKS: Final = ("best", "unsure", "good", "inaccuracy", "error", "blunder")
# The parts of an account, in the order in which they add up.
LUCK: Final = ("order", "deal", "dice", "cards")
PLAY: Final = ("own", "others")

Report = dict[str, Any]
"""A review as `masons.ai.review.review_data` makes it."""

Signed = Callable[[float], str]
"""How a change of a share is written, in per cent with its sign."""


def player_cells(report: Report, signed: Signed) -> list[list[str]]:
    """For each seat: decisions, losses, numbers of the marks, luck with its error, the rating."""
    return [
        [
            str(player["decisions"]),
            percent(player["lost"]),
            percent(player["mean_loss"], 2),
            *(str(player["marks"][mark]) for mark in MARKS),
            f"{signed(account['luck'])} {spread(account['error'])}",
            player["rating"],
        ]
        for player, account in zip(report["players"], report["accounts"], strict=True)
    ]


def account_cells(report: Report, signed: Signed) -> list[list[str]]:
    """For each seat: an even share, the parts of its luck, their sum, those of play, the result."""
    even = percent(1 / len(report["names"]))
    return [
        [
            even,
            *(signed(account[part]) for part in (*LUCK, "luck", *PLAY)),
            percent(account["share"]),
        ]
        for account in report["accounts"]
    ]


def stroke_cells(report: Report, signed: Signed) -> list[tuple[str, list[str]]]:
    """The greatest strokes of luck in words, each with what it gave every seat."""
    return [
        (stroke["words"], [signed(gain) for gain in stroke["gains"]])
        for stroke in report["strokes"]
    ]


def outcome(report: Report, names: Sequence[str]) -> str:
    """Who won, or that the game did not end and why; `names` as they are to be written."""
    if report["ended"]:
        plain = [report["names"][seat] for seat in report["winners"]]
        won = [names[seat] for seat in report["winners"]]
        return victory(plain, won) if won else "Nobody wins: every seat has forfeited"
    stopped = None if report["stopped"] is None else Stopped(**report["stopped"])
    return stopped_words(stopped, names).removesuffix(".")


def forfeit_notes(report: Report, names: Sequence[str]) -> list[str]:
    """Who forfeited; `names` as they are to be written."""
    return [
        f"{names[own['seat']]} forfeited ({own['why']}) and is ranked last; what a stand-in "
        "decided from there on is not rated."
        for own in report["forfeits"]
    ]


def effort(report: Report) -> str:
    """How long each decision was searched."""
    settings = report["settings"]
    return f"{settings['sims']:,} iterations" if settings["sims"] else f"{settings['seconds']:g} s"
