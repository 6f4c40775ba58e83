"""Analysis of one decision (`analyze`) or of a game's decisions in turn (`Session`).

>>> from masons.engine.game.game import Game
>>> game = Game(players=2, seed=3)
>>> analysis = analyze(game, sims=200, seed=1)
>>> analysis.iterations, sum(stats.visits for stats in analysis.moves)
(200, 200)

The options choose the search: `halving`, which is the default, or `ismcts`. If simulations are the
only limit, the result depends only on the arguments. The number of threads is one of these
arguments: the simulations are divided among the threads in advance, and the threads' sums are added
in a fixed order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, cast

from masons.ai.halving.halving_search import HalvingSearch
from masons.ai.ismcts.tree_search import TreeSearch
from masons.ai.rollout.figures import with_evidence, with_screening
from masons.ai.rollout.plan import RolloutPlan, contenders_of, plan_of, search_value
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.decision import decision_view, moves_to_search
from masons.ai.search.executors import Workers
from masons.ai.search.limits import ANALYSIS_DEFAULT, MAX_SIMS, Limits
from masons.ai.search.results import Analysis, MoveStats, is_decided
from masons.ai.search.search_options import TOP_LEVEL, SearchOptions
from masons.ai.search.threads import Runnable, Stop, run_all, shares
from masons.engine.board.geometry import Board
from masons.engine.checks import (
    check_any_whole,
    check_function,
    check_list,
    check_type,
    check_whole,
    real,
    shown,
)
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move, move_given
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.rng import mix
from masons.engine.state.position import Position

_MOST_SECONDS: Final = 1e6
# During this time before the deadline, no progress is reported: a report would delay the result.
_QUIET_NS: Final = 50_000_000
# Shortest duration of a rollout, in seconds, that shows how many games a second are played.
_LEAST_TIMED: Final = 0.1
# Longest time for a decision with only one move.
_FORCED_MS: Final = 300.0

View = Position | Observation | Game


class _Request:
    """The checked arguments of an analysis (see `Session.analyze`).

    Raises MasonsError for an invalid argument.
    """

    def __init__(
        self,
        *,
        board: Board,
        limits: Limits | None,
        sims: int | None,
        seconds: float | None,
        rollouts: int | None,
        only: Sequence[Move | str] | None,
        also: Sequence[Move | str],
        stop: Stop | None,
        progress: Callable[[Analysis], None] | None,
        interval: float,
        top: int | None,
        rollout: Rollout | None,
    ) -> None:
        if limits is None:
            limits = Limits.of(sims, seconds, rollouts)
        elif any(end is not None for end in (sims, seconds, rollouts)):
            raise MasonsError("give limits, or sims, seconds and rollouts, not both")
        limits = check_type("limits", limits, Limits, "Limits or None")
        self.limits = limits if limits.has_any else ANALYSIS_DEFAULT
        self.only: Sequence[Move] | None = None
        if only is not None:
            what = "a list of moves, or None for all"
            self.only = [move_given(move, board) for move in check_list("only", only, object, what)]
        listed: list[object] = check_list("also", also, object, "a list of moves")
        seconds_between = real(interval)
        if seconds_between is None or not 0 <= seconds_between <= _MOST_SECONDS:
            raise MasonsError(f"interval is {shown(interval)}: it must be seconds, 0 or more")
        self.interval = seconds_between
        check_function("progress", progress)
        self.progress = progress
        _check_top(top)
        self.top = top
        if rollout is not None:
            check_type("rollout", rollout, Rollout, "a Rollout or None")
        self.rollout = rollout
        self.also = list(dict.fromkeys(move_given(move, board) for move in listed))
        self.stop = check_type("stop", Stop() if stop is None else stop, Stop, "a Stop or None")


class Session:
    """A series of analyses, one for each decision of a game, with the method in `options`.

    A session sees only views, so it knows no more than the seat that decides.

    If a time or a number of rollouts is the limit, the default search at its highest level only
    names the contenders, and a rollout decides among them (see `rollout`). The games of the rollout
    are played by `executor` (None: by as many threads as `options` says). If simulations are the
    only limit, the search decides, and the results depend only on the arguments and on the
    decisions analyzed before.

    The attributes `table` and `options` are the arguments. After an analysis, `seconds` is its
    duration, `rollout` is the rollout of the decision (None if there was none), which a later
    analysis can continue, and `has_rollout` says whether the limits asked for a rollout.

    >>> from masons.engine.game.game import Game
    >>> game = Game(players=2, seed=3)
    >>> session = Session(game.table, seed=1)
    >>> game.apply(session.analyze(game, sims=400).best)
    >>> session.analyze(game, sims=400).iterations
    400
    """

    def __init__(
        self,
        table: Table,
        *,
        seed: int = 0,
        options: SearchOptions | None = None,
        executor: Workers | None = None,
    ) -> None:
        self.table = check_type("table", table, Table, "a Table, like game.table")
        if options is None:
            options = SearchOptions()
        self.options = check_type("options", options, SearchOptions, "SearchOptions or None")
        self.seconds = 0.0  # duration of the last analysis
        self.rollout: Rollout | None = None  # rollout of the last decision, if any
        if executor is not None:
            check_type("executor", executor, Workers, "one of search.executors, or None")
        self._executor = executor
        self._seed = check_any_whole("seed", seed)
        self._decisions = 0
        self._speed: float | None = None  # games a second of the last rollout
        self._is_stopped = self.has_rollout = False
        self._last_search: HalvingSearch | TreeSearch | None = None

    def analyze(
        self,
        view: View,
        *,
        limits: Limits | None = None,
        sims: int | None = None,
        seconds: float | None = None,
        rollouts: int | None = None,
        only: Sequence[Move | str] | None = None,
        also: Sequence[Move | str] = (),
        stop: Stop | None = None,
        progress: Callable[[Analysis], None] | None = None,
        interval: float = 0.5,
        top: int | None = None,
        rollout: Rollout | None = None,
    ) -> Analysis:
        """Analyze a decision; `view` is the view of the deciding seat, or the whole game.

        From a game, only the view of the deciding seat is used. The analysis ends when its limits
        are reached. If Ctrl-C or `stop` ends it earlier, the results so far are returned with
        `stopped` set; Ctrl-C before the first result raises KeyboardInterrupt. Raises MasonsError
        for invalid arguments.

        `sims`, `seconds` and `rollouts` are the limits: simulations of the search, a time, and
        games of the rollout that follows. The analysis ends as soon as the first of them is
        reached. Instead of them, `limits` can be given. Without any limit, the time is 2 seconds,
        as in the command `analyze`. A rollout plays one game with each contender, then the next
        with each, and drops contenders that look weak. Moves that are no contenders, and with few
        rollouts those that are dropped, have no figures: their `win` is None. If `rollouts` is less
        than the number of contenders, nothing is measured.

        `only` lists the moves to search (None: all). In the final scoring, a listed move may name
        any of the cities for which its cards score the same. `also` lists moves that a rollout
        measures as precisely as the best moves, such as the move that was played. `stop` can end
        the search from another thread. `progress` is called every `interval` seconds with the
        results so far. `top` is how many of the best moves get a line of play (None: all).
        `rollout` is an earlier rollout of this decision; the analysis continues it without another
        search.
        """
        self.search(
            view, limits=limits, sims=sims, seconds=seconds, rollouts=rollouts, only=only,
            also=also, stop=stop, progress=progress, interval=interval, top=top, rollout=rollout,
        )  # fmt: skip
        return self.analysis(top)

    analyse = analyze

    def search(
        self,
        view: View,
        *,
        limits: Limits | None = None,
        sims: int | None = None,
        seconds: float | None = None,
        rollouts: int | None = None,
        only: Sequence[Move | str] | None = None,
        also: Sequence[Move | str] = (),
        stop: Stop | None = None,
        progress: Callable[[Analysis], None] | None = None,
        interval: float = 0.5,
        top: int | None = None,
        rollout: Rollout | None = None,
    ) -> bool:
        """Search and roll out until the limits are reached; return False if interrupted earlier.

        Ctrl-C and `stop` are interruptions. After the search, `analysis` returns the results. The
        method takes the same arguments as `analyze` and raises the same errors.
        """
        if isinstance(view, Game):
            view = view.observe(view.seat)
        view = decision_view(self.table, view)
        wanted = _Request(
            board=self.table.board, limits=limits, sims=sims, seconds=seconds, rollouts=rollouts,
            only=only, also=also, stop=stop, progress=progress, interval=interval, top=top,
            rollout=rollout,
        )  # fmt: skip
        if wanted.rollout is not None and wanted.rollout.view.position != view.position:
            raise MasonsError(
                "rollout is of another decision: give the rollout of this one, or None"
            )
        stop, began = wanted.stop, time.monotonic_ns()
        plan = plan_of(wanted.limits, view, self.options, self._speed)
        searches = self._new_search(view, wanted, plan)
        if self._is_forced:
            plan = plan.within(_FORCED_MS)
        end, search_end = (_deadline(began, ms) for ms in (plan.ms, plan.search_ms))
        self._is_stopped, self.rollout, self.has_rollout = False, wanted.rollout, plan.games > 0

        def report() -> None:
            is_late = 0 < end < time.monotonic_ns() + _QUIET_NS
            if wanted.progress and not is_late and (self._iterations or wanted.rollout is not None):
                self.seconds = (time.monotonic_ns() - began) / 1e9
                wanted.progress(self.analysis(wanted.top))

        def run(runs: Sequence[Runnable], most: int, deadline: int) -> None:
            parts = shares(most, len(runs))
            with stop.ending(runs):
                run_all(runs, parts, deadline, wanted.interval, wanted.progress and report)

        try:
            if self.rollout is None:
                run(searches, plan.sims, search_end)
            if plan.games and not stop.is_set:
                self.rollout = self.rollout or self._new_rollout(view, wanted, plan)
                self.rollout.go_on()
                games, since = self.rollout.games, time.monotonic()
                run([self.rollout], plan.games, end)
                if (spent := time.monotonic() - since) > _LEAST_TIMED:
                    self._speed = (self.rollout.games - games) / spent
            self._is_stopped = stop.is_set and not self._is_done(plan)
        except KeyboardInterrupt:
            if not self._iterations and wanted.rollout is None:
                raise  # there is nothing to show yet
            self._is_stopped = True
        self.seconds = (time.monotonic_ns() - began) / 1e9
        return not self._is_stopped

    def _new_search(
        self, view: Observation, request: _Request, plan: RolloutPlan
    ) -> Sequence[Runnable]:
        """Return the searches to run for a view: one for halving, one per thread for ismcts.

        Raises MasonsError for illegal moves in the request.
        """
        # If a number of rollouts is the limit, the result must not depend on the threads.
        is_counted = request.limits.rollouts is not None
        threads = 1 if is_counted else min(self.options.threads, plan.sims)
        seed = mix(self._seed, self._decisions) if self._decisions else self._seed
        if self.options.method == "ismcts":
            moves_to_search(self.table, view, request.also or None)  # raises for illegal moves
            self._last_search = TreeSearch(
                self.table, view, request.only, seed=seed, threads=threads, options=self.options
            )
        else:
            moves = moves_to_search(self.table, view, request.only, request.also)
            self._last_search = HalvingSearch(
                self.table, view, moves, seed=seed, threads=threads, options=self.options
            )
        self._decisions += 1  # not reached if a move is illegal, so later seeds stay the same
        return self._last_search.searches

    def _new_rollout(self, view: Observation, request: _Request, plan: RolloutPlan) -> Rollout:
        """Return a rollout of the contenders that the search named."""
        searched = self.searched(top=0)
        contenders = contenders_of(searched, request.also, plan.expected_games, view.phase)
        return Rollout(
            self.table, view, contenders, searched=searched, executor=self._executor,
            seed=mix(self._seed, self._decisions, 1), threads=self.options.threads,
            player_sims=self.options.rollout_player,
        )  # fmt: skip

    @property
    def _is_forced(self) -> bool:
        """True if the deciding seat has only one move."""
        return isinstance(self._last_search, HalvingSearch) and len(self._last_search.moves) == 1

    @property
    def _iterations(self) -> int:
        return 0 if self._last_search is None else self._last_search.iterations

    def _is_done(self, plan: RolloutPlan) -> bool:
        """Return whether all the simulations or games of the plan have been played."""
        if self.rollout is not None:
            return self.rollout.games >= plan.games
        return not plan.games and self._iterations >= plan.sims

    @property
    def best(self) -> Move:
        """The best move of the last search.

        It is the same move as `analysis().best`, but computing it is faster.
        """
        if self.rollout is None and self._last_search is not None:
            return self._last_search.best
        return self.analysis(0).best

    def analysis(self, top: int | None = None) -> Analysis:
        """Return the results of the last search, with lines of play for the `top` best moves.

        If `top` is None, all moves get lines. Raises MasonsError if nothing has been searched yet.
        """
        _check_top(top)
        if self.rollout is None:
            searched = self.searched(top)
            if self.has_rollout:
                return searched.unmeasured()
            return _by_value(searched) if self.options.level == TOP_LEVEL else searched
        analysis = with_evidence(self.rollout, top)
        return replace(analysis, seconds=self.seconds, stopped=self._is_stopped)

    def estimates(self, top: int | None = None) -> Analysis:
        """Return what `analysis` returns, or the estimates so far if no game was measured yet.

        They come from the games of the screening, or else from the search, and have no intervals.
        """
        analysis = self.analysis(top)
        if not self.has_rollout or analysis.moves[0].win is not None:
            return analysis
        if self.rollout is not None and self.rollout.tally.games.any():
            figures = with_screening(self.rollout)
        else:
            figures = _by_value(self.searched(top))
        return replace(figures, seconds=self.seconds, stopped=self._is_stopped)

    def searched(self, top: int | None = None) -> Analysis:
        """Return the results of the last search, in its own order, without those of a rollout.

        `halving` puts the moves that survived more rounds first, then those of greater value;
        `ismcts` puts those with more visits first. Raises MasonsError if nothing has been searched.
        """
        _check_top(top)
        if self._last_search is None:
            raise MasonsError("nothing has been searched yet")
        if isinstance(self._last_search, HalvingSearch):
            return self._last_search.analysis(self.seconds, stopped=self._is_stopped)
        return self._last_search.analysis(self.seconds, stopped=self._is_stopped, top=top)


def analyze(
    game: Game | Observation | str | Table,
    view: View | None = None,
    *,
    seed: int = 0,
    options: SearchOptions | None = None,
    sims: int | None = None,
    seconds: float | None = None,
    rollouts: int | None = None,
    limits: Limits | None = None,
    only: Sequence[Move | str] | None = None,
    also: Sequence[Move | str] = (),
    stop: Stop | None = None,
    progress: Callable[[Analysis], None] | None = None,
    interval: float = 0.5,
    top: int | None = None,
    rollout: Rollout | None = None,
) -> Analysis:
    """Analyze one decision in a new session. The other arguments are those of `Session.analyze`.

    `game` is a game, a view from `Game.observe` or `Observation.from_text`, or the text of a
    position on a built-in board; it can also be a table, with the view or position in `view`. Of a
    game and of a text, only what the deciding seat sees is used. A view from `Game.observe`
    contains the action history, from which the default search predicts the other hands; texts and
    positions contain no history. If simulations (`sims`) are the only limit, the result depends
    only on the arguments. Reasons for the differences are given only by the command `analyze`, in
    words and with `--json`.
    """
    table, seen = _table_and_view(game, view)
    return Session(table, seed=seed, options=options).analyze(
        seen, sims=sims, seconds=seconds, rollouts=rollouts, limits=limits, only=only, also=also,
        stop=stop, progress=progress, interval=interval, top=top, rollout=rollout,
    )  # fmt: skip


def _table_and_view(game: object, view: View | None) -> tuple[Table, View]:
    """Return the table and the view that the arguments of `analyze` stand for."""
    if isinstance(game, Table):
        return game, cast("View", view)  # `Session.analyze` refuses None
    if isinstance(game, Game):
        return game.table, game if view is None else view
    seen = Observation.from_text(game) if isinstance(game, str) else game
    if not isinstance(seen, Observation) or seen.board is None:
        what = (
            "a Game, a view from game.observe(seat) or Observation.from_text, the text of a "
            "position, or a Table with the view"
        )
        raise MasonsError(f"game is {shown(game)}: it must be {what}")
    if view is not None:
        raise MasonsError("view is given twice: it goes with a table or a game")
    table = Table(seen.board)
    return table, seen.position.observed_by(seen.seat) if isinstance(game, str) else seen


analyse = analyze


def _by_value(searched: Analysis) -> Analysis:
    """Return the analysis of a search with the moves in the order of `win`, the best first.

    A search ranks moves by their values, not by win probability alone. In the result, the win
    probability of a move is that of the best move minus the difference of their values; the other
    seats share the rest as before. If the game is decided whatever the move, the probabilities stay
    as they are, and the moves are in the order of their values.
    """
    best, seat, rows = searched.moves[0], searched.seat, searched.moves[1:]
    lost = {row: max(search_value(best, seat) - search_value(row, seat), 0.0) for row in rows}
    rows = tuple(sorted(rows, key=lambda row: lost[row]))
    wins = [row.win or 0.0 for row in searched.moves]
    if is_decided(max(wins)) and is_decided(min(wins)):
        return replace(searched, moves=(best, *rows), is_decided=True)
    return replace(
        searched, moves=(best, *(_with_win(row, seat, wins[0] - lost[row]) for row in rows))
    )


def _with_win(stats: MoveStats, seat: int, win: float) -> MoveStats:
    """Return figures with another win probability of a seat, but at least 0."""
    win, rest = max(win, 0.0), sum(stats.wins) - stats.wins[seat]
    wins = [other * (1 - win) / max(rest, 1e-12) for other in stats.wins]
    wins[seat] = win
    return replace(stats, win=win, wins=tuple(wins))


def _deadline(began_ns: int, ms: float | None) -> int:
    """Return the time `ms` milliseconds after `began_ns`, in nanoseconds, or 0 if `ms` is None."""
    return 0 if ms is None else began_ns + max(int(ms * 1e6), 1)


def _check_top(top: object) -> None:
    """Raise MasonsError unless `top` is None or a whole number from 0 on."""
    if top is not None:
        check_whole("top", top, 0, MAX_SIMS, "a number of moves from 0 on, or None for all")
