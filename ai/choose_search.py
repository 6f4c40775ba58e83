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
from contextlib import suppress
from dataclasses import replace
from typing import Final, TypedDict, Unpack, cast

from masons.ai.explain.expected_moves import with_expected_lines
from masons.ai.explain.growing_games import GrowingGames
from masons.ai.explain.paired_games import Continuations, continuations
from masons.ai.explain.played_on import TURNS, deals_after, moves_to_play_on, played_on
from masons.ai.halving.halving_search import HalvingSearch
from masons.ai.halving.moves_to_search import moves_to_search
from masons.ai.halving.paired_values import BLOCKS
from masons.ai.ismcts.kept_trees import KeptTrees
from masons.ai.search.decision_view import decision_view
from masons.ai.search.known_error import SEARCHED, TREE
from masons.ai.search.limits import API_DEFAULT, MAX_SIMS, Limits
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.stop import Stop
from masons.ai.search.threads import Runnable, run_all, shares
from masons.ai.search.time_management import thinking_ms
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
# The share of the time that goes to the search, the rest to games played on; those of a moment
# have none. Where those games need less, the search goes on, for at least this share of the time.
_SEARCHED: Final = 0.75
_SHORT_MS: Final = 250
_LEAST_REST: Final = 0.01
# Nothing is reported so shortly before the end: the result would have to wait for it.
_QUIET_NS: Final = 50_000_000
# How long games are played on after a search that was stopped: by `stop`, whose answer must come at
# once, and by Ctrl-C. And the share of the time between two results on the way, if that is no less.
_AFTER_STOP: Final = 0.012
_AFTER_CTRL_C: Final = 0.3
_OF_INTERVAL: Final = 0.1
_UNHURRIED: Final = 0.25

View = Position | Observation | Game


class Asked(TypedDict, total=False):
    """What a search is asked beside the view. All of it may be left out.

    `sims` and `seconds` are short for `limits` of so many simulations or seconds (both: whichever
    ends first); without any of the three there are 10,000 simulations. `only` are the moves to
    search, in the final scoring with any city; None: all of them. `also` are some of them that are
    looked at as closely as the best one, by simulations beside the limits (`halving` only), as the
    move that was played. `stop` ends the search from
    another thread. `progress` gets the results so far every `interval` seconds (0.5). The `top`
    best moves (None: all) get their lines: that of a tree, there and in the result; else what was
    done in most games that were played on after a move.
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


class Session:
    """Decisions of one game, searched one after the other, by the method of the options.

    It is shown views only, so it knows no more than the seat does. `ismcts` keeps its trees: where
    a view follows from the one before along a tree, that tree goes on with what it knows of it.
    With simulations alone for limits, the results depend on nothing but the arguments and the
    decisions before.

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
        self._seed = any_whole_given("seed", seed)
        self._decisions = 0
        self._stopped = False
        self._compares = True  # a search learns how sure differences are
        self._trees: KeptTrees | None = None
        if self.options.method == "ismcts":
            self._trees = KeptTrees(table, self.options)
        self._last: HalvingSearch | KeptTrees | None = None
        self._games: Continuations | None = None  # played on after its best moves
        self._ended: Analysis | None = None  # what it found by itself, where it is known to be over
        self._top: int | None = None  # the moves whose lines it shows

    def choose(self, view: View, limits: Limits) -> bool:
        """`search`, but nobody will ask how sure the differences are; `best` is the same."""
        self._compares = False
        try:
            return self.search(view, limits=limits)
        finally:
            self._compares = True

    def analyse(self, view: View, **asked: Unpack[Asked]) -> Analysis:
        """Search a decision, of which `view` is what the deciding seat sees, or the game.

        Of a game it is shown no more than that. It ends by its limits, by Ctrl-C or by `stop`; the
        last two leave the results so far, marked `stopped`, 0.3 and 0.012 seconds later, as the
        best moves are played on in any case. Where Ctrl-C comes before there are any,
        KeyboardInterrupt is raised. Arguments: `Asked`. Raises MasonsError for impossible ones.
        """
        self.search(view, **asked)
        return self.analysis(asked.get("top"))

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
    ) -> bool:
        """`analyse` without the results: whether neither Ctrl-C nor `stop` ended it."""
        if isinstance(view, Game):
            view = view.observe(view.seat)
        seen = decision_view(self.table, view)
        most, ms = self._ends(_one(limits, sims, seconds), seen)
        only, interval = _moves("only", only), _interval(interval)
        also = _moves("also", also) or []
        check_top(top)
        if stop is not None:
            one_given("stop", stop, Stop, "a Stop or None")
        if progress is not None and not callable(progress):
            raise MasonsError(f"progress is {shown(progress)}: it must be a function or None")
        searches = self._look(seen, min(self.options.threads, most), only, also)
        self._stopped, self._games, self._ended, self._top = False, None, None, top
        stop = stop or Stop()
        began = time.monotonic_ns()
        end = 0 if ms is None else began + max(int(ms * 1e6), 1)
        plays_on = self._compares and not 0 < (ms or 0) < _SHORT_MS
        deadline = began + int(_SEARCHED * (end - began)) if end and plays_on else end

        def done() -> int:
            return sum(search.iterations for search in searches)

        def was_stopped() -> bool:
            return stop.is_set and done() < most

        shows_games = plays_on and (interval >= _UNHURRIED or (most == MAX_SIMS and not end))
        growing = GrowingGames(self.table, seen, also, self._seed, lambda: stop.is_set)

        def report() -> None:
            if progress is None or not done() or 0 < end < time.monotonic_ns() + _QUIET_NS:
                return
            if shows_games:
                growing.grow(self._found.analysis(0.0, top=0), _OF_INTERVAL * interval)
                self._games = growing.games
            self.seconds = (time.monotonic_ns() - began) / 1e9
            progress(self.analysis(top))

        def finish(seconds: float) -> None:
            growing.finish(self._end(), seconds)
            self._games = growing.games

        each = shares(most, len(searches))
        try:
            with stop.ending(searches):
                run_all(searches, each, deadline, interval, report if progress else None)
                self._stopped = was_stopped()
                if plays_on and self._stopped:
                    finish(_AFTER_STOP)
                elif plays_on:
                    before = time.monotonic_ns()
                    found = self._end()
                    results_ns = time.monotonic_ns() - before
                    self._play_on(
                        found, seen, also, lambda: stop.is_set or 0 < end <= time.monotonic_ns()
                    )
                    rest = end - time.monotonic_ns() - _LEAST_REST * (end - began)
                    if len(found.moves) > 1 and rest > 0 and done() < most and not stop.is_set:
                        growing.games, self._ended = self._games, None
                        deadline = end - results_ns
                        run_all(searches, each, deadline, interval, report if progress else None)
                        self._stopped = was_stopped()
                        finish(0.0)
        except KeyboardInterrupt:
            if not done():
                raise  # there is nothing to show yet
            self._stopped = True
            with suppress(KeyboardInterrupt):  # who is in a hurry gets what there is
                if plays_on:
                    finish(_AFTER_CTRL_C)
        self.seconds = (time.monotonic_ns() - began) / 1e9
        return not self._stopped

    def _play_on(
        self,
        found: Analysis,
        view: Observation,
        also: Sequence[Move],
        ended: Callable[[], bool],
    ) -> None:
        """Play games on after the best moves of a search and those asked for."""
        deals = deals_after(found.iterations)
        if deals and (len(found.moves) > 1 or also):
            moves = moves_to_play_on(found, also)
            self._games = continuations(
                self.table, view, moves, deals=deals, turns=TURNS, seed=self._seed, ended=ended
            )

    def _end(self) -> Analysis:
        """What a search found that is over; a tree reads the lines of its `top` best moves."""
        self._ended = self._found.analysis(0.0, top=self._top)
        return self._ended

    def _ends(self, limits: Limits, view: Observation) -> tuple[int, float | None]:
        """Simulations at most, those of the level included, and milliseconds (None: any)."""
        limits = limits if limits.given else API_DEFAULT
        ms = None if limits.infinite else thinking_ms(limits, view)
        most = MAX_SIMS if limits.sims is None else limits.sims
        return min(most, self.options.most or most), ms

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
                self.table, view, moves, seed=seed, threads=threads, options=self.options,
                also=also, blocks=BLOCKS if self._compares else 1,
            )  # fmt: skip
        self._decisions += 1
        return self._last.searches

    @property
    def best(self) -> Move:
        """The best move of the last search: that of its analysis, and sooner."""
        return self._found.best

    def analysis(self, top: int | None = None) -> Analysis:
        """What the last search found out; the `top` best moves (None: all) get their lines."""
        check_top(top)
        if self._ended is None or (self._trees is not None and top != self._top):
            found = self._found.analysis(self.seconds, stopped=self._stopped, top=top)
        else:
            found = replace(self._ended, seconds=self.seconds, stopped=self._stopped)
        if self._games is None:
            return found
        known = SEARCHED if self._trees is None else TREE
        return with_expected_lines(played_on(found, self._games, known), self._games, top)

    @property
    def games(self) -> Continuations | None:
        """The games that were played on after the best moves of the last search, if any were."""
        return self._games

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
    **asked: Unpack[Asked],
) -> Analysis:
    """Search one decision: `Session.analyse` in a session of its own. Arguments: `Asked`.

    `analyse(game)` is short for `analyse(game.table, game.observe(game.seat))`.
    `Game.observe` gives a view that tells who chose what, by which the default search predicts the
    other hands; a `Position` does not tell. With simulations alone for limits (`sims`) the result
    depends on nothing but the arguments.
    """
    if isinstance(table, Game):
        view = table if view is None else view
        table = table.table
    session = Session(table, seed=seed, options=options)
    return session.analyse(cast("View", view), **asked)  # which refuses None


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
