"""Searching from Python: one decision, or those of a seat one after the other (`Session`).

>>> from masons.engine.game.game import Game
>>> game = Game(players=2, seed=3)
>>> analysis = analyse(game.table, game.view(game.seat), sims=200, seed=1)
>>> analysis.iterations, sum(stats.visits for stats in analysis.moves)
(200, 200)

Several threads search a tree each, from seeds of their own, and what they found out about the
root's moves is added up in their order. Nothing passes between them, so with iterations for a
limit, which are shared out beforehand, the result depends on nothing but the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from masons.ai.halving.session import HalvingSession
from masons.ai.ismcts.session import Session
from masons.ai.ismcts.tree_search import Search
from masons.ai.search.results import Analysis, MoveStats
from masons.ai.search.search_options import DEFAULT_SIMS, MAX_SIMS, Limit, SearchOptions
from masons.ai.search.stop import Stop
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.state.phases import DECISIONS
from masons.engine.state.position import Position

__all__ = [
    "DECISIONS",
    "DEFAULT_SIMS",
    "MAX_SIMS",
    "Analysis",
    "AnySession",
    "Limit",
    "MoveStats",
    "Search",
    "SearchOptions",
    "Session",
    "Stop",
    "analyse",
    "new_session",
]


AnySession = Session | HalvingSession


def new_session(table: Table, *, seed: int = 0, options: SearchOptions | None = None) -> AnySession:
    """A session that searches by the options' method."""
    if options is not None and options.method == "halving":
        return HalvingSession(table, seed=seed, options=options)
    return Session(table, seed=seed, options=options)


def analyse(
    table: Table,
    view: Position | Observation,
    *,
    sims: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    options: SearchOptions | None = None,
    only: Sequence[Move] | None = None,
    stop: Stop | None = None,
    progress: Callable[[Analysis], None] | None = None,
    interval: float = 0.5,
    top: int | None = None,
) -> Analysis:
    """Search one decision: `Session.analyse` in a session of its own.

    `Game.observe` gives a view that tells who chose what, which the method `halving` guesses the other
    hands by; a `Position` does not tell. With `sims` alone the result depends on nothing but the
    arguments.
    """
    session = new_session(table, seed=seed, options=options)
    return session.analyse(
        view, sims=sims, seconds=seconds, only=only, stop=stop,
        progress=progress, interval=interval, top=top,
    )  # fmt: skip
