"""The cells of a review's tables, for its page and for the terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from masons.ai.review import performance
from masons.ai.review.review_data import NO_RATING
from masons.ai.review.trends import MIN_GAMES
from masons.ai.rollout.evidence import NORMAL
from masons.engine.formats.record_endings import Stopped, stopped_words
from masons.engine.plain_text import count, percent, signed, spread, victory

MARKS: Final = ("best", "unsure", "good", "inaccuracy", "error", "blunder")
KINDS: Final = performance.KINDS[1]
PHASES: Final = performance.THIRDS
# The parts of an account, in the order in which they add up.
LUCK: Final = ("order", "deal", "dice", "cards")
PLAY: Final = ("own", "others")

Report = dict[str, Any]
"""A report of a review, as `masons.ai.review.review_data` makes it, or a part of a report."""

Signed = Callable[[float], str]
"""A function that writes a change of a share in percent, with its sign."""


def player_cells(report: Report) -> list[list[str]]:
    """Return a row for each seat.

    The row has the number of decisions, the mean loss in win probability and in points, how often
    the best move was played, the number of each mark, the Elo-like rating and the rank. A seat
    without rated decisions has dashes.
    """
    return [
        ["-"] * (6 + len(MARKS))
        if not player["decisions"]
        else [
            str(player["decisions"]),
            loss_words(player),
            points_words(player),
            f"{percent(player['agreement'], 0)} %",
            *(str(player["marks"][mark]) for mark in MARKS),
            elo_words(player["elo"]),
            player["rating"],
        ]
        for player in report["players"]
    ]


def loss_words(player: Report) -> str:
    """Return the mean loss per decision in win probability, with its 95 % interval."""
    if not player["decisions"]:
        return "-"
    reach = percent(NORMAL * player["error"], 2)
    return f"{signed(100 * player['mean_loss'], 2)} ± {reach}"


def points_words(player: Report) -> str:
    """Return the mean loss per decision in points, with its 95 % interval."""
    if not player["decisions"]:
        return "-"
    return f"{signed(player['points_lost'], 2)} ± {NORMAL * player['points_error']:.2f}"


def _needed_time(times: float | None) -> str:
    """Return the end of a sentence: how much longer a review would have to be, if known."""
    if not times:
        return "."
    return f"; a review about {max(math.ceil(times), 2)} times as long would be enough."


def rank_notes(report: Report) -> list[str]:
    """Return a sentence for each rated seat that has too few decisions for a rank.

    It says how much more time a review would need, if this is known.
    """
    return [
        f"{name}: not enough decisions for a rank" + _needed_time(player["times"])
        for name, player in zip(report["names"], report["players"], strict=True)
        if player["decisions"] and player["rating"] == NO_RATING
    ]


def elo_words(elo: Sequence[int] | None) -> str:
    """Return an Elo-like rating with its interval, or a dash if there is none."""
    if elo is None:
        return "-"
    mean, low, high = map(_rated, elo)
    return f"{mean} [{low}, {high}]"


def elo_notes(summaries: Report) -> list[str]:
    """Return a sentence for each player whose rating leaves out some of the games.

    `summaries` are the results of the players over several games.
    """
    return [
        f"{name}: the Elo-like rating is from {player['elo_games']} of "
        f"{count(player['games'], 'game')}, with {count(player['elo_players'], 'player')}."
        for name, player in summaries.items()
        if player["elo"] and player["elo_games"] < player["games"]
    ]


def trend_words(slope: dict[str, float] | None) -> str:
    """Return the change of the loss per game, with its interval and its meaning."""
    if slope is None:
        return f"- (from {MIN_GAMES} games on)"
    mean, reach = slope["mean"], NORMAL * slope["error"]
    word = "no clear change"
    if abs(mean) > reach:
        word = "less lost" if mean < 0 else "more lost"
    low, high = mean - reach, mean + reach
    return f"{signed(100 * mean, 3)} [{signed(100 * low, 3)}, {signed(100 * high, 3)}] {word}"


def trend_note() -> str:
    """Return a note that explains the columns of the tables for several games."""
    return (
        "Loss: win probability, and points, given away a decision, ± half a 95 % interval. "
        "Elo-like: the level of the engine that loses as many points. Trend: by how much the loss "
        "changes from game to game, in the order of the file, with its 95 % interval."
    )


def _rated(elo: int) -> str:
    """Return a rating, with a sign such as ≥ if it lies at an end of the scale."""
    sign = (
        "\u2265"
        if elo >= performance.MOST_ELO
        else "\u2264"
        if elo <= performance.LEAST_ELO
        else ""
    )
    return f"{sign}{elo:+}"


def part_cells(report: Report) -> list[list[str]]:
    """Return for each seat the mean losses by kind of decision and then by part of the game."""
    return [
        [
            _part(player[key][name])
            for key, names in (("kinds", KINDS), ("phases", PHASES))
            for name in names
        ]
        for player in report["players"]
    ]


def _part(part: dict[str, float]) -> str:
    return percent(part["lost"] / part["decisions"], 2) if part["decisions"] else "-"


def verdict_on_result(report: Report, signed: Signed) -> list[str]:
    """Return a sentence for each seat that divides its result into luck and play."""
    even = 1 / len(report["names"])
    return [
        f"{name}: {signed(account['share'] - even)} % on an even share = "
        f"luck {signed(account['luck'])} {spread(NORMAL * account['error'])}, "
        f"play {signed(account['own'] + account['others'])}"
        for name, account in zip(report["names"], report["accounts"], strict=True)
    ]


def account_cells(report: Report, signed: Signed) -> list[list[str]]:
    """Return a row for each seat.

    The row divides the seat's share of the victory. It has the even share, the parts of luck, their
    sum, the parts of play, and the result.
    """
    even = percent(1 / len(report["names"]))
    return [
        [
            even,
            *(signed(account[part]) for part in (*LUCK, "luck", *PLAY)),
            percent(account["share"]),
        ]
        for account in report["accounts"]
    ]


def known_words(decision: Report) -> str:
    """Return what the seat knew before a decision, as a sentence that begins with a capital."""
    known: str = decision["known"]
    return known[:1].upper() + known[1:]


def outcome(report: Report, names: Sequence[str]) -> str:
    """Return a phrase that names the winners, or says why the game did not end.

    `names` has the names of the seats in the form in which they are to be written.
    """
    if report["ended"]:
        plain = [report["names"][seat] for seat in report["winners"]]
        won = [names[seat] for seat in report["winners"]]
        return victory(plain, won) if won else "Nobody wins: every seat has forfeited"
    stopped = None if report["stopped"] is None else Stopped(**report["stopped"])
    return stopped_words(stopped, names).removesuffix(".")


def forfeit_notes(report: Report, names: Sequence[str]) -> list[str]:
    """Return a sentence for each forfeit; `names` is as in `outcome`."""
    return [
        f"{names[forfeit['seat']]} forfeited ({forfeit['why']}) and is ranked last; what a "
        "stand-in decided from there on is not rated."
        for forfeit in report["forfeits"]
    ]


def players_note(report: Report) -> str:
    """Return a note that explains the figures of the players."""
    limits = ", ".join(f"{name} from {100 * loss:.0f} %" for name, loss in report["limits"].items())
    return (
        "Loss: win probability and points of margin given away a decision against the best move, "
        f"by what the seat could know ({effort(report)} each), ± half a 95 % interval. "
        f"{limits.capitalize()}, where the whole interval of a loss says so. Agrees: the best move "
        "was played. Elo-like: the level of the engine that loses as many points; its 95 % "
        "interval is for the player, whose other decisions might cost more or less. The rank is "
        "for the play in this game alone."
    )


def effort(report: Report) -> str:
    """Return the effort per decision, in seconds or games."""
    settings = report["settings"]
    if settings["seconds"]:
        return f"{settings['seconds']:g} s"
    return count(settings["rollouts"], "game")
