"""The coach of a page, which rates the decisions that a person makes.

While the person thinks about a decision, the coach plays games after the likely moves. It sees only
the view of the deciding seat, so its messages reveal no hidden card. Its marks have the same limits
as those of a review (see `masons.ai.review.decision_loss`). A likely move is rated by the games
played so far. Any other move is rated by new games, which compare it with the best likely moves.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from masons.ai.review.decision_loss import MARKED, LossVerdict, verdict_of
from masons.ai.review.loss_rollout import LossRollout
from masons.ai.rollout.figures import with_evidence
from masons.ai.rollout.finalists import Screening
from masons.ai.rollout.plan import Contenders, contenders_of
from masons.ai.search.limits import MAX_ROLLOUTS
from masons.ai.search.threads import Stop
from masons.ai.session import Session
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import format_position
from masons.engine.game.table import Table
from masons.gui.background import Tasks, error_message, in_thread
from masons.gui.live_searches import CoachedVerdicts, hint_of, rated_move
from masons.words.scored_view import ScoredView

if TYPE_CHECKING:
    from masons.ai.search.results import Analysis
    from masons.engine.board.geometry import Board
    from masons.engine.formats.move_text import Move
    from masons.engine.game.observation import Observation
    from masons.match.playing.played_game import PlayedGame


@dataclass(frozen=True)
class CoachLimits:
    """The limits of the coach's work on one decision."""

    sims: int = 1000  # the simulations of the search that finds the likely moves
    games: int = 16_000  # the most games played after likely moves while the person thinks
    first: int = 2000  # the games of the first step
    step: int = 500  # the games of each later step
    answer_ms: float | None = 900.0  # the time for any other move; if None, `answer_games` is used
    answer_games: int = 2000  # the games for any other move


LIMITS: Final = CoachLimits()
EASY: Final = 4
"""The highest level of opponents against which the coach is on by default."""
_LIKELY: Final = 5  # the number of likely moves, after which games are played
_AGAINST: Final = 2  # the number of best moves with which any other move is compared
_LEAST_GAMES: Final = 200  # the fewest games in each half of the rollout that rate a likely move
_HINT_GAMES: Final = 6000  # the games on which a hint is based
_HINT_SECONDS: Final = 3.0  # the longest time that a hint waits for them
_LEVEL: Final = re.compile(r"default:(?:.*,)?level=([0-9]+)")


class CoachedDecision:
    """A decision as its seat sees it, with the games that the coach has played for it."""

    def __init__(self, board: Board, view: Observation, names: Sequence[str]) -> None:
        self.view = view
        self._names = names
        self._table = Table(board)
        self._stop = Stop()
        self._lock = Lock()  # held by the thread that plays games
        self._searched: Analysis | None = None
        self._rollout: LossRollout | None = None
        self._rated: dict[Move, dict[str, Any]] = {}
        self.verdicts: dict[Move, LossVerdict] = {}  # on the moves that were rated

    def stop(self) -> None:
        """Stop `think`, which then ends in its thread within hundredths of a second."""
        self._stop.set()

    def think(self) -> None:
        """Play games after the likely moves until `stop` is called or LIMITS are reached."""
        with self._lock:
            if self._stop.is_set:
                return
            likely = replace(self._contenders(), finalists=_LIKELY)
            rollout = self._new_rollout(likely, likely.moves[0])
            self._rollout, games = rollout, LIMITS.first
            with self._stop.ending([rollout]):
                while not self._stop.is_set and rollout.games < LIMITS.games:
                    rollout.run(games)
                    games = rollout.games + LIMITS.step

    def hint(self, stop: Stop) -> dict[str, Any] | None:
        """Return a hint from the games played so far, so that it agrees with the marks.

        Wait for enough games, but at most `_HINT_SECONDS`. Return None if no game was measured.
        """
        end = time.monotonic() + _HINT_SECONDS
        while time.monotonic() < end and not stop.is_set and not self._stop.is_set:
            if self._rollout and self._rollout.games >= min(_HINT_GAMES, LIMITS.games):
                break
            time.sleep(0.02)
        rollout = self._rollout
        if rollout is None or not rollout.sums.games.any():
            return None
        scored = ScoredView(Table(self._table.board), self.view.position)
        return hint_of(with_evidence(rollout), rollout, scored)

    def rate(self, move: Move) -> dict[str, Any]:
        """Return the mark of a legal move, with figures and reasons, as data for a page."""
        self.stop()
        with self._lock:
            if move not in self._rated:
                rollout = self._rollout
                if rollout is None or not _has_measured(rollout, move):
                    rollout = self._answer(move)
                verdict = verdict_of(rollout, rollout.moves.index(move), self._names)
                verdict = self._with_equals(verdict)
                self.verdicts[move] = verdict
                self._rated[move] = self._mark(verdict, rollout)
            return self._rated[move]

    def _with_equals(self, verdict: LossVerdict) -> LossVerdict:
        """Return a verdict whose `equal` also has the likely moves that tie with the best move.

        These are the moves that the games played so far can't tell apart from the best move.
        """
        rollout, best = self._rollout, verdict.moves[1]
        if rollout is None or rollout.screening is None or best not in rollout.moves:
            return verdict
        number = rollout.moves.index(best)
        if not rollout.sums.games[number]:
            return verdict
        others = [str(rollout.moves[i]) for i in rollout.equal_to(number)]
        equal = dict.fromkeys([*verdict.equal, *others])
        return replace(verdict, equal=tuple(each for each in equal if each != verdict.played))

    def _contenders(self, also: Sequence[Move] = ()) -> Contenders:
        if self._searched is None:
            session = Session(self._table)
            session.search(self.view, sims=LIMITS.sims)
            self._searched = session.searched()
        return contenders_of(self._searched, also, LIMITS.games, self.view.phase)

    def _new_rollout(
        self,
        contenders: Contenders,
        played: Move,
        *,
        seed: int = 0,
        screening: Screening | None = None,
    ) -> LossRollout:
        return LossRollout(
            self._table, self.view, contenders, played,
            searched=self._searched, seed=seed, screening=screening,
        )  # fmt: skip

    def _answer(self, move: Move) -> LossRollout:
        """Return a new rollout that compares a move with the best other moves."""
        began, likely, before = time.monotonic_ns(), self._contenders([move]), self._rollout
        best = list(likely.moves)
        if before is not None and all(half.games.any() for half in before.halves):
            best.insert(0, before.moves[before.best_by(before.sums)])
        others = [each for each in dict.fromkeys(best) if each != move][:_AGAINST]
        moves, values = (*others, move), dict(zip(likely.moves, likely.values, strict=True))
        count = len(moves)
        contenders = Contenders(
            moves, tuple(values.get(each, 0.0) for each in moves), count, 0, count, count
        )
        everyone = Screening(tuple(range(count)), count, count)
        rollout = self._new_rollout(contenders, move, seed=1, screening=everyone)
        if LIMITS.answer_ms is None:
            rollout.run(LIMITS.answer_games)
        else:
            rollout.run(MAX_ROLLOUTS, began + int(1e6 * LIMITS.answer_ms))
        return rollout

    def _mark(self, verdict: LossVerdict, rollout: LossRollout) -> dict[str, Any]:
        best = verdict.moves[1]
        row = next((row for row in with_evidence(rollout).moves if row.move == best), None)
        line = zip(row.line, row.line_shares, strict=True) if row is not None else ()
        return {
            **rated_move(verdict, ScoredView(self._table, self.view.position)),
            "line": [[text, round(share, 2)] for text, share in line],
            "text": format_position(self.view.position, self._table.board),
        }


def _has_measured(rollout: LossRollout, move: Move) -> bool:
    """Return whether enough games were played after a move to rate it."""
    if move not in rollout.moves:
        return False
    number = rollout.moves.index(move)
    return all(half.games[number] >= _LEAST_GAMES for half in rollout.halves)


class Coach:
    """The coach of one page. Its verdicts on moves that were made are added to `verdicts`."""

    def __init__(
        self, send: Callable[[dict[str, Any]], None], board: Board, verdicts: CoachedVerdicts
    ) -> None:
        self._send = send
        self._board = board
        self._verdicts = verdicts
        self._decision: CoachedDecision | None = None
        self._at = 0
        self._rating: asyncio.Task[None] | None = None
        self._tasks = Tasks()

    def begin(self, view: Observation, names: Sequence[str], at: int) -> None:
        """Begin to think about the decision at the position with the number `at`.

        If the previous decision is still being rated, this waits until it is rated.
        """
        if self._decision is not None and at == self._at:
            return
        self.stop()
        self._decision, self._at = CoachedDecision(self._board, view, names), at
        self._tasks.begin(self._think(self._decision, self._rating))

    def stop(self) -> None:
        """Stop thinking about the current decision."""
        if self._decision is not None:
            self._decision.stop()
        self._decision = None

    def hint(self, at: int, stop: Stop) -> dict[str, Any] | None:
        """Return the hint for the decision of position `at`, or None if the coach has none."""
        decision = self._decision
        return decision.hint(stop) if decision is not None and at == self._at else None

    def made(self, move: str) -> None:
        """Rate the move that was made, and send its mark to the page."""
        if (decision := self._decision) is not None:
            at, chosen = self._at, parse_move(move)

            def done(mark: dict[str, Any]) -> None:
                if verdict := decision.verdicts.get(chosen):
                    self._verdicts.add(self._board, decision.view, verdict)
                self._send({"type": "coach", "at": at, "asks": False, **mark})

            self._rating = self._tasks.run(lambda: decision.rate(chosen), done, self._fail)
            self.stop()

    async def asks_before(self, move: str) -> bool:
        """Return whether a legal move is certainly a mistake; if so, ask the page about it."""
        if (decision := self._decision) is None:
            return False
        at, chosen = self._at, parse_move(move)
        mark = await in_thread(lambda: decision.rate(chosen))
        if mark["mark"] not in MARKED:
            return False
        self._send({"type": "coach", "at": at, "asks": True, **mark})
        return True

    async def _think(self, decision: CoachedDecision, rating: asyncio.Task[None] | None) -> None:
        try:
            if rating is not None:
                await asyncio.wait([rating])
            await in_thread(decision.think)
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self._send(error_message(error))


def coach_default(played: PlayedGame) -> bool:
    """Return whether the coach is on by default.

    It is on if one person plays against engines of the levels 1 to EASY.
    """
    levels = []
    for seat in set(range(played.setup.players)) - played.people:
        level = _LEVEL.match(played.engine_name(seat))
        levels.append(int(level[1]) if level else EASY + 1)
    return len(played.people) == 1 and max(levels) <= EASY
