"""Hints for games, and searches and reviews for studies, which report while they run.

A search knows only the view of its seat. As it does not run in the game's thread, it also has its
own `Table`.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from masons.ai.beliefs.hand_estimates import belief, estimate_hands
from masons.ai.explain.explanation import explained
from masons.ai.review.decision_loss import GOOD
from masons.ai.review.luck import CurvePoint, curve
from masons.ai.review.review_data import report_of
from masons.ai.review.review_work import ReviewSettings, Work
from masons.ai.review.timeline import timeline_of
from masons.ai.review.worth import worth_of
from masons.ai.rollout.evidence import NORMAL
from masons.ai.search.limits import HINT_DEFAULT, Limits
from masons.ai.session import Session
from masons.engine.board.components import CARDS
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import format_position
from masons.engine.game.table import Table
from masons.gui.explanation_messages import explained_data, why_of, why_of_verdict
from masons.gui.margin_results import luck_of, margin_result, margins
from masons.gui.pictures.review_page import review_page
from masons.gui.position_messages import ranked_moves
from masons.gui.practice_session import learners, own_mistakes
from masons.version import __version__
from masons.words.scored_view import ScoredView

if TYPE_CHECKING:
    from masons.ai.review.decision_loss import LossVerdict
    from masons.ai.rollout.rollout import Rollout
    from masons.ai.search.results import Analysis
    from masons.ai.search.threads import Stop
    from masons.engine.board.geometry import Board
    from masons.engine.game.observation import Observation

_GRAPH_STEPS: Final = 30  # steps of a game between two messages with points of its graph
_COMPARE: Final = Limits(sims=1000, rollouts=8000)
_BELIEF_CARDS: Final = 12
_LEAST_POINTS: Final = 4.0  # a decision that certainly loses as many cost points
_ENGLISH: Final = ("played_words", "best_words", "known", "reasons")  # of a decision in a report
_MOST: Final = 4096  # the number of coaches' verdicts that are kept, until the program ends
# This review is quicker than the command's: a game of two players takes about 15 s.
REVIEW: Final = ReviewSettings(sims=1000, seconds=None, playouts=32, seed=0, rollouts=1000)

Tell = Callable[[dict[str, Any]], None]
Report = dict[str, Any]


def hint_search(board: Board, view: Observation, sims: int | None, stop: Stop) -> dict[str, Any]:
    """Return the hint for the seat of a view.

    As in the terminal, the search has full strength and the seed 0. `sims` limits its simulations.
    """
    session = Session(Table(board))
    limits = Limits(sims=sims) if sims else HINT_DEFAULT
    analysis = session.analyze(view, limits=limits, stop=stop)
    return hint_of(analysis, session.rollout, ScoredView(session.table, view.position))


def hint_of(analysis: Analysis, rollout: Rollout | None, scored: ScoredView) -> dict[str, Any]:
    """Return the hint that an analysis and its rollout give."""
    return {
        "type": "bestmove",
        "move": str(analysis.best),
        "scores": [round(score, 1) for score in analysis.moves[0].scores or ()],
        **explained_data(explained(analysis, rollout)),
        **ranked_moves(analysis, scored),
    }


def compare(table: Table, view: Observation, moves: tuple[str, str], stop: Stop) -> dict[str, Any]:
    """Return the reasons why one of two moves is better. Raises MasonsError."""
    first, second = parse_move(moves[0]), parse_move(moves[1])
    if first == second:
        raise MasonsError("compare needs two different moves")
    session = Session(table)
    analysis = session.analyze(view, limits=_COMPARE, also=[first, second], stop=stop, top=0)
    explanation = explained(analysis, session.rollout, pair=(first, second))
    difference = explanation.differences[0] if explanation and explanation.differences else None
    if difference is not None:
        first, second = difference.move, difference.other
    scored = ScoredView(table, view.position)
    return {
        "type": "compared",
        "first": str(first),
        "first_facts": scored.facts(first),
        "second": str(second),
        "second_facts": scored.facts(second),
        "why": difference and why_of(difference),
        "win": difference and difference.win,
        "win_interval": difference and difference.win_interval,
    }


def believed(table: Table, view: Observation) -> dict[str, Any]:
    """Return the cards that the other seats probably hold.

    The estimate uses their earlier choices if these are known, and otherwise only the unseen cards.
    """
    estimated = None if view.history is None else estimate_hands(table, view)
    seats = []
    for seat in range(view.players):
        if seat == view.seat:
            continue
        chances = (
            {card.kind: card.probability for card in belief(view, seat)}
            if estimated is None
            else estimated[seat]
        )
        likely = sorted(chances.items(), key=lambda item: (-item[1], item[0]))[:_BELIEF_CARDS]
        cards = [[CARDS[kind], round(chance, 3)] for kind, chance in likely]
        seats.append({"seat": seat, "cards": cards})
    return {"type": "belief", "guessed": estimated is not None, "seats": seats}


# --- reviews


class CoachedVerdicts:
    """The coaches' latest verdicts on moves that were made. Later reviews adopt these verdicts.

    A review plays fewer games than the coach did, so by chance it could name another best move. The
    verdicts are found by the move played and the position as the deciding seat saw it.
    """

    def __init__(self) -> None:
        self._verdicts: dict[tuple[str, str], LossVerdict] = {}

    def add(self, board: Board, view: Observation, verdict: LossVerdict) -> None:
        """Keep the verdict on a move that was made."""
        key = format_position(view.position, board), verdict.played
        self._verdicts.pop(key, None)
        self._verdicts[key] = verdict
        while len(self._verdicts) > _MOST:
            del self._verdicts[next(iter(self._verdicts))]

    def find(self, board: Board, view: Observation, move: str) -> LossVerdict | None:
        """Return the coach's verdict on a move, or None if no coach rated it."""
        return self._verdicts.get((format_position(view.position, board), move))


def review_work(record: dict[str, Any], board: Board) -> Work:
    """Return the work of a review of all seats.

    Raises MasonsError if the record cannot be reviewed.
    """
    return Work(timeline_of(record, board), REVIEW, REVIEW.key(record, __version__))


def draw_graph(work: Work, lock: Lock, stop: Stop, tell: Tell) -> None:
    """Report the points of a game's graph from its beginning to its end (see `luck.curve`).

    They are the first part of the work of a review, which then need not do it. `lock` is that of
    `review_game`.
    """
    steps, told = len(work.timeline.steps), 0
    with lock:
        for end in (*range(_GRAPH_STEPS, steps, _GRAPH_STEPS), steps):
            while len(work.values) < end and not stop.is_set:
                work.go_on()
            if stop.is_set:
                return
            points = curve(work.timeline, work.values[:end])[told:]
            told += len(points)
            tell({"type": "graph", "points": [_graph_point(point) for point in points]})


def _graph_point(point: CurvePoint) -> dict[str, Any]:
    return {
        "step": point.number,
        "wins": [round(win, 4) for win in point.wins],
        "luck": [round(change, 4) for change in point.luck],
    }


def report(
    work: Work, coached: CoachedVerdicts, stop: Stop, tell: Tell, progress: dict[str, Any]
) -> Report | None:
    """Finish the work of a review and return its report, or None if it was stopped.

    A decision that a coach rated gets the coach's verdict, from `coached`. So that pages need no
    English text, decisions have the data of a `RatedMove` in place of words, and each stroke (a
    roll or draw that mattered) has its cause and its dice or cards. A decision also has
    `is_coached`, which is true if a coach rated it. `tell` is called with the message `progress`,
    to which `done` and `total` are added.
    """
    if not _finished(work, coached, stop, tell, progress):
        return None
    made = report_of(work, lambda _view, _move: "")
    for decision, (index, verdict) in zip(made["decisions"], work.verdicts.items(), strict=True):
        scored = ScoredView(work.timeline.table, work.timeline.observe(index).position)
        for name in _ENGLISH:
            del decision[name]
        decision |= rated_move(verdict, scored)
        decision["is_coached"] = verdict is _coached(work, index, coached)
    for stroke in made["strokes"]:
        step = work.timeline.steps[stroke["moment"] - 1]
        stroke |= {"cause": step.cause, "fell": step.fell}
    return made


def _finished(
    work: Work, coached: CoachedVerdicts, stop: Stop, tell: Tell, progress: dict[str, Any]
) -> bool:
    """Finish the work of a review, and return True unless it was stopped."""
    while work.done < work.total and not stop.is_set:
        work.go_on(lambda index: _coached(work, index, coached))
        tell({**progress, "done": work.done, "total": work.total})
    return work.done == work.total


def review_html(
    work: Work, coached: CoachedVerdicts, lock: Lock, stop: Stop, tell: Tell
) -> bytes | None:
    """Return the page of a reviewed game, or None if the review was stopped.

    The arguments are those of `review_game`.
    """
    with lock:
        if not _finished(work, coached, stop, tell, {"type": "info"}):
            return None
    table = work.timeline.table
    made = report_of(work, lambda view, move: ScoredView(table, view.position).words(move))
    return review_page(table.board, made).encode()


def _coached(work: Work, index: int, coached: CoachedVerdicts) -> LossVerdict | None:
    """Return the coach's verdict on the decision of a step, or None if no coach rated it."""
    timeline = work.timeline
    view, move = timeline.observe(index), timeline.steps[index].move
    return coached.find(timeline.table.board, view, str(move))


def rated_move(verdict: LossVerdict, scored: ScoredView) -> dict[str, Any]:
    """Return a verdict as the data of a `RatedMove`, whose view is `scored`.

    Intervals are half widths of 95 % confidence intervals. `win` is the win probability after the
    best move. `equal` has the moves that can't be told apart from it, and `games` is how many were
    played for the verdict.
    """
    played_facts, best_facts = map(scored.facts, verdict.moves)
    return {
        "mark": verdict.mark,
        "played": verdict.played,
        "played_facts": played_facts,
        "best": verdict.best,
        "best_facts": best_facts,
        "why": why_of_verdict(verdict),
        "win": round(verdict.win_best, 4),
        "win_interval": round(NORMAL * verdict.win_error, 4),
        "loss": round(verdict.difference, 4),
        "interval": round(NORMAL * verdict.error, 4),
        "points": round(verdict.points, 2),
        "points_interval": round(NORMAL * verdict.points_error, 2),
        "worth": worth_of(verdict),
        "equal": verdict.equal,
        "games": verdict.games,
    }


def costs_points(decision: dict[str, Any]) -> bool:
    """Return whether a decision certainly loses many points, given the data of a `Decision`."""
    return bool(decision["points"] - decision["points_interval"] >= _LEAST_POINTS)


def review_game(
    work: Work, coached: CoachedVerdicts, lock: Lock, stop: Stop, tell: Tell
) -> dict[str, Any] | None:
    """Return the `review` message for a page, or None if the review was stopped.

    `mistakes` has the numbers of `own_mistakes`, `dear` those of people's other decisions that cost
    many points, and `results` the margins of a game that was played to its end. `coached` has the
    verdicts of coaches. `tell` reports progress. `lock` makes this wait for an earlier thread that
    was stopped but is still running.
    """
    with lock:
        made = report(work, coached, stop, tell, {"type": "info"})
    if made is None:
        return None
    scores, seats = made["scores"], learners(work.timeline.names)
    dear = [
        each for each in made["decisions"]
        if each["seat"] in seats and each["mark"] == GOOD and costs_points(each)
    ]  # fmt: skip
    divided = zip(margins(scores), luck_of(work), strict=True) if made["ended"] else ()
    results = [
        margin_result(seat, margin, *luck, len(scores))
        for seat, (margin, luck) in enumerate(divided)
    ]
    return {
        "type": "review",
        "decisions": made["decisions"],
        "players": made["players"],
        "mistakes": [work.timeline.steps[index].number for index in own_mistakes(work)],
        "dear": [each["number"] for each in sorted(dear, key=lambda each: -each["points"])],
        "results": results,
    }
