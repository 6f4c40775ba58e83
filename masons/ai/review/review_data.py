"""A finished review as data, for `review --json`, `review --csv`, tables and pages.

| key         | value                                                                          |
| ----------- | ------------------------------------------------------------------------------ |
| `format`    | `masons-review`                                                                |
| `version`   | 2                                                                              |
| `board`, `names`, `scores`, `shares` | the game; shares of the victory                       |
| `winners`, `ended`, `stopped`, `forfeits` | as in a record; `ended` is true if the game ended |
| `settings`  | `sims`, and `rollouts` or `seconds`, for each decision; `playouts` for each    |
|             | outcome of chance; `seed`                                                      |
| `moments`   | the moment before the deal and those after each step: `cause`, `number` (of    |
|             | the decision, from 1), `turn`, `seat`, `words`, `wins` of each seat            |
| `decisions` | the decisions among several moves: see `_decision`                             |
| `critical`  | the numbers of the decisions that cost most, the costliest first               |
| `players`   | for each seat: `decisions`; `lost` (total); `mean_loss` and `points_lost` (per |
|             | decision) with the standard errors `error` and `points_error`; `marks`;        |
|             | `rating` (the rank, or `-` if `times` as much time would be needed);           |
|             | `agreement` (share of best moves); `elo` (estimate, low, high; or null);       |
|             | `kinds` and `phases`: `decisions`, `lost`, `points` of each                    |
| `accounts`  | for each seat `share` = 1 / seats + `order` + `deal` + `dice` + `cards` +      |
|             | `own` + `others`; `luck`, `without_luck`, `error`                              |
| `strokes`   | the luckiest and unluckiest rolls and draws: `moment`, `turn`, `seat`,         |
|             | `words`, `position` (all hands open), `gains` (of win probability) and         |
|             | `errors` of each seat                                                          |
| `limits`    | the smallest losses of an inaccuracy, an error and a blunder                   |

Shares, win probabilities and losses are fractions of 1, rounded to six decimals. A loss may be
negative.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from masons.ai.review.decision_loss import BEST, FIGURES, MARKS, LossVerdict
from masons.ai.review.luck import accounts, extremes, moments, shares, strokes
from masons.ai.review.performance import (
    KINDS,
    PHASES,
    Summary,
    by_part,
    critical,
    elo_of_loss,
    rank_of,
    summary_of,
)
from masons.ai.review.review_work import Work
from masons.ai.review.timeline import CARDS, DEAL, DICE, Step, Timeline
from masons.ai.review.worth import worth_of
from masons.engine.board.components import CARD_NAMES
from masons.engine.formats.move_text import Move
from masons.engine.formats.position_text import format_position
from masons.engine.game.observation import Observation
from masons.engine.plain_text import all_rounded, count, does, listed, multiset, rounded
from masons.engine.state.position import unpack_state
from masons.words.moves import card_name

FORMAT: Final = "masons-review"
VERSION: Final = 2
NO_RATING: Final = "-"
# The columns of the CSV file after the game and the player.
_FIELDS: Final = (
    "number", "turn", "seat", "phase", "choices", "played", "best", "win_played", "win_best",
    "win_error", "difference", "error", "points", "points_error", "deviation", "loss", "mark",
)  # fmt: skip
_FORMULA: Final = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # also the full-width = + - @
MoveWords = Callable[[Observation, Move], str]


def report_of(work: Work, words: MoveWords) -> dict[str, Any]:
    """Return the review that finished `work` contains (see the table of the module).

    `words` is a function that describes a move in a view.
    """
    timeline = work.timeline
    changes = strokes(timeline, work.values)
    return {
        "format": FORMAT,
        "version": VERSION,
        "board": timeline.table.board.name,
        "names": list(timeline.names),
        "scores": list(timeline.scores),
        "shares": all_rounded(shares(timeline, work.values)),
        "winners": list(timeline.winners),
        "ended": timeline.has_end,
        "stopped": None if timeline.stopped is None else asdict(timeline.stopped),
        "forfeits": [asdict(forfeit) for forfeit in timeline.forfeits],
        "settings": asdict(work.settings),
        "moments": list(_moments(work, words)),
        "decisions": [
            _decision(work, index, verdict, words) for index, verdict in work.verdicts.items()
        ],
        "critical": critical(
            work.verdicts.values(), [timeline.steps[i].number for i in work.verdicts]
        ),
        "players": [_player(work, seat) for seat in range(timeline.players)],
        "accounts": [
            {
                "seat": account.seat,
                "share": rounded(account.share),
                **{name: rounded(value) for name, value in account.parts.items()},
                "luck": rounded(account.luck),
                "without_luck": rounded(account.without_luck),
                "error": rounded(account.error),
            }
            for account in accounts(timeline, work.values)
        ],
        "strokes": [
            {
                "moment": stroke.index + 1,
                "turn": stroke.step.turn,
                "seat": stroke.step.seat,
                "words": step_words(timeline, stroke.step),
                "position": format_position(unpack_state(stroke.step.state), timeline.table.board),
                "gains": all_rounded(stroke.differences),
                "errors": all_rounded(stroke.errors),
            }
            for stroke in extremes(changes, timeline.players)
        ],
        "limits": {name: least for least, name in MARKS},
    }


def _moments(work: Work, words: MoveWords) -> Iterator[dict[str, Any]]:
    """Yield the moment before the deal and the moments after each step."""
    timeline = work.timeline
    wins = [all_rounded(batches.mean(axis=0).tolist()) for batches in moments(work.values)]
    yield {
        "cause": "start",
        "number": 0,
        "turn": 1,
        "seat": timeline.steps[0].seat,
        "words": "before the deal",
        "wins": wins[0],
    }
    for index, step in enumerate(timeline.steps):
        if step.move is None:
            text = step_words(timeline, step)
        else:
            who = timeline.names[step.seat] + (" (stand-in)" if step.stand_in else "")
            text = f"{who}: {words(timeline.observe(index), step.move)}"
        yield {
            "cause": step.cause,
            "number": step.number,
            "turn": step.turn,
            "seat": step.seat,
            "words": text,
            "wins": wins[index + 1],
        }


def step_words(timeline: Timeline, step: Step) -> str:
    """Return a description of a step that is a chance event."""
    name = timeline.names[step.seat]
    if step.cause == DEAL:
        return "the deal"
    if step.cause == CARDS:
        drawn = multiset(Counter(CARD_NAMES[card] for card in step.fell))
        return f"turn {step.turn}: {does(name, 'draws')} {drawn}"
    assert step.cause == DICE
    tower, *houses = step.fell
    rolled = houses if tower == "-" else [f"{tower} tower", *houses]
    return f"turn {step.turn}: {does(name, 'rolls')} {listed(rolled)}"


def _decision(work: Work, index: int, verdict: LossVerdict, words: MoveWords) -> dict[str, Any]:
    """Return a decision as a dict that can be written as JSON; `position` is the seat's view."""
    timeline, step = work.timeline, work.timeline.steps[index]
    view = timeline.observe(index)
    played, best = verdict.moves
    return {
        "moment": index + 1,
        "number": step.number,
        "turn": step.turn,
        "seat": step.seat,
        "phase": step.phase,
        "choices": step.choices,
        "position": format_position(view.position, timeline.table.board),
        "played": verdict.played,
        "played_words": words(view, played),
        "best": verdict.best,
        "best_words": words(view, best),
        **{name: rounded(getattr(verdict, name)) for name in FIGURES},
        "loss": rounded(verdict.difference),
        "mark": verdict.mark,
        "known": known_then(timeline, view),
        "reasons": list(verdict.why),
        "worth": worth.words(verdict.points) if (worth := worth_of(verdict)) else "",
    }


def known_then(timeline: Timeline, view: Observation) -> str:
    """Return a description of what the seat knew: its hand, and the sizes of the hidden hands."""
    position = view.position
    held: Counter[str] = Counter()
    hidden = []
    for seat, hand in enumerate(position.hands):
        if isinstance(hand, int):
            hidden.append(f"{timeline.names[seat]} {count(hand, 'card')}")
        elif seat == view.seat:
            held = Counter(card_name(kind) for kind in hand)
    words = f"held {multiset(held)}" if held else "held no card"
    return f"{words}; unseen: {', '.join(hidden)}" if hidden else words


def _player(work: Work, seat: int) -> dict[str, Any]:
    players = work.timeline.players
    verdicts = {i: v for i, v in work.verdicts.items() if work.timeline.steps[i].seat == seat}
    summary = summary_of(verdicts.values())
    rank, times = rank_of(players, summary)
    return {
        "seat": seat,
        "decisions": summary.decisions,
        "lost": rounded(summary.lost),
        "mean_loss": rounded(summary.mean(summary.lost)),
        "error": rounded(summary.mean(summary.error)),
        "points_lost": rounded(summary.mean(summary.points)),
        "points_error": rounded(summary.mean(summary.points_error)),
        "marks": summary.marks,
        "rating": rank or NO_RATING,
        "times": times and rounded(times),
        "agreement": rounded(summary.mean(summary.marks[BEST])),
        "elo": elo_of_loss(players, [verdict.points for verdict in verdicts.values()]),
        "kinds": _parts(by_part(verdicts, work.timeline, KINDS)),
        "phases": _parts(by_part(verdicts, work.timeline, PHASES)),
    }


def _parts(parts: dict[str, Summary]) -> dict[str, dict[str, float]]:
    return {
        name: {
            "decisions": part.decisions,
            "lost": rounded(part.lost),
            "points": rounded(part.points),
        }
        for name, part in parts.items()
    }


def decisions_csv(reports: Sequence[tuple[int, Mapping[str, Any]]]) -> str:
    """Return a CSV table: a line of column names, followed by a line for each decision.

    `reports` contains pairs of a game's number and the game's review.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(("game", "player", *_FIELDS))
    for number, report in reports:
        for decision in report["decisions"]:
            name = report["names"][decision["seat"]]
            cells = (number, name, *(decision[field] for field in _FIELDS))
            writer.writerow(map(_cell, cells))
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Return a value in a form that no spreadsheet takes for a formula; leave numbers unchanged."""
    is_formula = isinstance(value, str) and value.startswith(_FORMULA)
    return f"'{value}" if is_formula else value
