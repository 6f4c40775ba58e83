"""Searching from Python: one decision, or those of a seat one after the other (`Session`).

>>> from masons.engine.game.game import Game
>>> game = Game(players=2, seed=3)
>>> found = analyse(game, sims=200, seed=1)
>>> found.iterations, sum(stats.visits for stats in found.moves)
(200, 200)

The options say which search it is: `halving`, the default, or `ismcts`. With simulations for a
limit the result depends on nothing but the arguments. The number of threads is one of them: they
share out the simulations beforehand, and what they found is added up in their order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypedDict, Unpack, cast

from masons.ai.halving.halving_search import HalvingSearch, moves_to_search
from masons.ai.ismcts.kept_trees import KeptTrees
from masons.ai.rollout.evidence import with_evidence
from masons.ai.rollout.plan import Plan, contenders_of, plan_of
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.decision_view import decision_view
from masons.ai.search.limits import API_DEFAULT, MAX_SIMS, Limits
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.stop import Stop
from masons.ai.search.threads import Runnable, run_all, shares
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move, move_given
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.given import (
    any_whole_given,
    list_given,
    one_given,
    real,
    shown,
    whole_given,
)
from masons.engine.kernels.rng import mix
from masons.engine.state.position import Position

_MOST_SECONDS: Final = 1e6
# Nothing is reported so shortly before the end: the result would have to wait for it.
_QUIET_NS: Final = 50_000_000
# A decision with one move gets no more than this.
_FORCED_MS: Final = 300.0

View = Position | Observation | Game


class SearchRequest(TypedDict, total=False):
    """What a search is asked beside the view. All of it may be left out.

    `sims` and `seconds` are short for `limits` of so many simulations or seconds (both: whichever
    ends first); without any of the three there are 10,000 simulations. `only` are the moves to
    search, in the final scoring with any city; None: all. `also` are some of them that a rollout
    measures as closely as the best ones, as the move that was played. `stop` ends the search from
    another thread. `progress` gets the results so far every `interval` seconds (0.5). The `top`
    best moves (None: all) get their lines. `rollout` is one of this decision to go on with,
    without another search.
    """

    limits: Limits | None
    sims: int | None
    seconds: float | None
    only: Sequence[Move] | None
    also: Sequence[Move]
    stop: Stop | None
    progress: Callable[[Analysis], None] | None
    interval: float
    top: int | None
    rollout: Rollout | None


class Session:
    """Decisions of one game, searched one after the other, by the method of the options.

    It is shown views only, so it knows no more than the seat does. `ismcts` keeps its trees: where
    a view follows from the one before along a tree, that tree goes on with what it knows of it.

    With time, or a number of rollouts, the default search at its highest level only names the
    contenders, and a rollout decides among them (see `rollout`). With simulations alone for limits,
    the search decides, and the results depend on nothing but the arguments and the decisions
    before.

    >>> from masons.engine.game.game import Game
    >>> game = Game(players=2, seed=3)
    >>> session = Session(game.table, seed=1)
    >>> game.apply(session.analyse(game, sims=400).best)
    >>> session.analyse(game, sims=400).iterations
    400
    """

    def __init__(
        self, table: Table, *, seed: int = 0, options: SearchOptions | None = None
    ) -> None:
        self.table = one_given("table", table, Table, "a Table, like game.table")
        self.options = _options(options)
        self.seconds = 0.0  # that the last search took
        self.rollout: Rollout | None = None  # of the last decision, if there was one
        self._seed = any_whole_given("seed", seed)
        self._decisions = 0
        self._stopped = self._has_rollout = False
        self._trees: KeptTrees | None = None
        if self.options.method == "ismcts":
            self._trees = KeptTrees(table, self.options)
        self._last: HalvingSearch | KeptTrees | None = None

    def analyse(self, view: View, **request: Unpack[SearchRequest]) -> Analysis:
        """Search a decision, of which `view` is what the deciding seat sees, or the game.

        Of a game it is shown no more than that. It ends by its limits, by Ctrl-C or by `stop`; the
        last two leave the results so far, marked `stopped`. Where Ctrl-C comes before there are
        any, KeyboardInterrupt is raised. Arguments: `SearchRequest`. Raises MasonsError for
        impossible ones.
        """
        self.search(view, **request)
        return self.analysis(request.get("top"))

    def search(
        self,
        view: View,
        *,
        limits: Limits | None = None,
        sims: int | None = None,
        seconds: float | None = None,
        only: Sequence[Move] | None = None,
        also: Sequence[Move] = (),
        stop: Stop | None = None,
        progress: Callable[[Analysis], None] | None = None,
        interval: float = 0.5,
        top: int | None = None,
        rollout: Rollout | None = None,
    ) -> bool:
        """Search until the limits are reached; return False if Ctrl-C or `stop` came first."""
        if isinstance(view, Game):
            view = view.observe(view.seat)
        seen = decision_view(self.table, view)
        limits = _one(limits, sims, seconds)
        limits = limits if limits.given else API_DEFAULT
        only, interval = _moves("only", only), _interval(interval)
        also = list(dict.fromkeys(_moves("also", also) or []))
        check_top(top)
        stop = one_given("stop", Stop() if stop is None else stop, Stop, "a Stop or None")
        if progress is not None and not callable(progress):
            raise MasonsError(f"progress is {shown(progress)}: it must be a function or None")
        began = time.monotonic_ns()
        plan = plan_of(limits, seen, self.options)
        end = 0 if plan.ms is None else began + max(int(plan.ms * 1e6), 1)
        # A number of rollouts gives the same result with any number of threads.
        threads = 1 if limits.rollouts else min(self.options.threads, plan.sims)
        searches = self._look(seen, threads, only, also)
        self._stopped, self.rollout, self._has_rollout = False, rollout, plan.games > 0
        if self._is_forced and plan.ms is not None:
            plan = replace(plan, ms=min(plan.ms, _FORCED_MS), search_ms=_FORCED_MS / 2)
            end = min(end, began + int(_FORCED_MS * 1e6))

        def report() -> None:
            is_late = 0 < end < time.monotonic_ns() + _QUIET_NS
            has_result = self._found.iterations or rollout is not None
            if progress is not None and has_result and not is_late:
                self.seconds = (time.monotonic_ns() - began) / 1e9
                progress(self.analysis(top))

        def run(runs: Sequence[Runnable], most: int, deadline: int) -> None:
            with stop.ending(runs):
                run_all(runs, shares(most, len(runs)), deadline, interval, progress and report)

        try:
            share = 0 if plan.search_ms is None else began + max(int(plan.search_ms * 1e6), 1)
            if rollout is None:
                run(searches, plan.sims, share)
            if plan.games and not stop.is_set:
                self.rollout = rollout or self._contest(seen, also, plan)
                run([self.rollout], plan.games, end)
            self._stopped = stop.is_set and not self._is_done(plan)
        except KeyboardInterrupt:
            if not self._found.iterations and rollout is None:
                raise  # there is nothing to show yet
            self._stopped = True
        self.seconds = (time.monotonic_ns() - began) / 1e9
        return not self._stopped

    @property
    def _is_forced(self) -> bool:
        """Whether there is one move to choose from."""
        return isinstance(self._last, HalvingSearch) and len(self._last.moves) == 1

    def _is_done(self, plan: Plan) -> bool:
        """Return whether the search or the rollout has as many as it was to have."""
        if self.rollout is not None:
            return self.rollout.games >= plan.games
        return not plan.games and self._found.iterations >= plan.sims

    def _contest(self, view: Observation, also: Sequence[Move], plan: Plan) -> Rollout:
        """Return the rollout of the contenders that the search names."""
        searched = self._search_result(top=0)
        contenders = contenders_of(searched, also, plan.expected_games, view.phase)
        return Rollout(
            self.table, view, contenders, searched=searched,
            seed=mix(self._seed, self._decisions, 1), threads=self.options.threads,
            player=self.options.rollout_player,
        )  # fmt: skip

    def _look(
        self,
        view: Observation,
        threads: int,
        only: Sequence[Move] | None,
        also: Sequence[Move],
    ) -> Sequence[Runnable]:
        """Turn to a view: what is to be run. Raises MasonsError for moves that cannot be searched.

        Halving shares out its determinizations among the threads by itself.
        """
        seed = mix(self._seed, self._decisions) if self._decisions else self._seed
        if self._trees is not None:
            moves_to_search(self.table, view, [*also] or None)  # that are legal
            self._trees.look(view, threads, seed, only)
            self._last = self._trees
        else:
            moves = moves_to_search(self.table, view, only, also)
            self._last = HalvingSearch(
                self.table, view, moves, seed=seed, threads=threads, options=self.options
            )
        self._decisions += 1
        return self._last.searches

    @property
    def best(self) -> Move:
        """The best move of the last search: that of its analysis, and sooner."""
        return self._found.best if self.rollout is None else self.analysis(0).best

    def analysis(self, top: int | None = None) -> Analysis:
        """What the last search found out; the `top` best moves (None: all) get their lines."""
        check_top(top)
        if self.rollout is None:
            found = self._search_result(top)
            return found.unmeasured() if self._has_rollout else found
        found = with_evidence(self.rollout, top)
        return replace(found, seconds=self.seconds, stopped=self._stopped)

    def _search_result(self, top: int | None) -> Analysis:
        last = self._found
        if isinstance(last, HalvingSearch):
            return last.analysis(self.seconds, stopped=self._stopped)
        return last.analysis(self.seconds, stopped=self._stopped, top=top)

    @property
    def _found(self) -> HalvingSearch | KeptTrees:
        if self._last is None:
            raise MasonsError("nothing was searched yet")
        return self._last


def analyse(
    table: Table | Game,
    view: View | None = None,
    *,
    seed: int = 0,
    options: SearchOptions | None = None,
    **request: Unpack[SearchRequest],
) -> Analysis:
    """Search one decision: `Session.analyse` in a session of its own. Arguments: `SearchRequest`.

    `analyse(game)` is short for `analyse(game.table, game.observe(game.seat))`.
    `Game.observe` gives a view that tells who chose what, by which the default search predicts the
    other hands; a `Position` does not tell. With simulations alone for limits (`sims`) the result
    depends on nothing but the arguments.
    """
    if isinstance(table, Game):
        view = table if view is None else view
        table = table.table
    session = Session(table, seed=seed, options=options)
    return session.analyse(cast("View", view), **request)  # which refuses None


analyze = analyse


def _one(limits: Limits | None, sims: int | None, seconds: float | None) -> Limits:
    """Limits, or those that are given in short. Raises MasonsError for both."""
    if limits is None:
        return Limits.of(sims, seconds)
    if sims is not None or seconds is not None:
        raise MasonsError("a search is given limits, or sims and seconds, not both")
    return one_given("limits", limits, Limits, "Limits or None")


def _options(options: object) -> SearchOptions:
    if options is None:
        return SearchOptions()
    return one_given("options", options, SearchOptions, "SearchOptions or None")


def _moves(name: str, moves: object) -> list[Move] | None:
    if moves is None and name == "only":
        return None
    what = "a list of moves, or None for all" if name == "only" else "a list of moves"
    return [move_given(move) for move in list_given(name, moves, object, what)]


def _interval(interval: object) -> float:
    number = real(interval)
    if number is None or not 0 <= number <= _MOST_SECONDS:
        raise MasonsError(f"interval is {shown(interval)}: it must be seconds, 0 or more")
    return number


def check_top(top: object) -> None:
    """Raise MasonsError for a number of moves that cannot be."""
    if top is not None:
        whole_given("top", top, 0, MAX_SIMS, "a number of moves from 0 on, or None for all")
