"""Players that search, and the options that their names give.

Who runs a game may set limits for each decision. They hold for the players whose name says nothing
of it; one with `sims=` or `ms=` keeps to that. A level searches no more than its own simulations in
any case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from masons.ai.players.player import choice_given
from masons.ai.players.player_names import SEARCHERS
from masons.ai.search.limits import MAX_MS, MAX_ROLLOUTS, MAX_SIMS, PLAYER_DEFAULT, Limits
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.plain_text import parse_whole, quoted


class SearchPlayer:
    """A search, by the method of its options; `own`: the limits in its name, if there are any."""

    def __init__(self, seed: int, name: str, own_limits: Limits, options: SearchOptions) -> None:
        self.name = name
        self._seed = seed
        self._own = own_limits
        self._options = options
        self._session: Session | None = None

    @property
    def threads(self) -> int:
        """The threads of its search."""
        return self._options.threads

    @property
    def level(self) -> int | None:
        """The level that it plays at, where its name gives one."""
        return self._options.level

    @property
    def takes_limit(self) -> bool:
        """Return whether its name sets no limit."""
        return not self._own.has_any

    def choose(
        self, table: Table, view: Observation, moves: Sequence[Move], limits: Limits | None = None
    ) -> Move:
        """The best move of a search, within its own limits, else those given."""
        view, moves = choice_given(table, view, moves)
        if len(moves) == 1:
            return moves[0]
        session = self._session_of(table)
        # Ctrl-C means the game, not this search.
        if not session.search(view, limits=self._limits(limits or Limits())):
            raise KeyboardInterrupt
        return session.best

    def analyze(self, table: Table, view: Observation, limits: Limits | None = None) -> Analysis:
        """Return the analysis of all moves by the search behind `choose`."""
        session = self._session_of(table)
        if not session.search(view, limits=self._limits(limits or Limits())):
            raise KeyboardInterrupt
        return session.analysis()

    def _session_of(self, table: Table) -> Session:
        if self._session is None or self._session.table is not table:
            self._session = Session(table, seed=self._seed, options=self._options)
        return self._session

    def _limits(self, requested: Limits) -> Limits:
        if self._own.has_any:
            return self._own
        if requested.has_any:
            return requested
        return Limits(sims=self._options.most) if self._options.most else PLAYER_DEFAULT


def _whole(text: str) -> int:
    number = parse_whole(text)
    if number is None:
        raise MasonsError(f"{quoted(text)} is not a whole number: write 20000, 20k, 2M or 1e4")
    return number


# How each option is read, and the field of SearchOptions that it is, for those that are one.
_OPTIONS: Final[dict[str, tuple[Callable[[str], Any], str]]] = {
    "sims": (_whole, ""),
    "ms": (_whole, ""),
    "rollouts": (_whole, ""),
    "policy": (str, "policy"),
    "exploration": (float, "exploration"),
    "memory": (_whole, "memory_mb"),
    "threads": (_whole, "threads"),
    "level": (_whole, "level"),
}


def search_player(name: str, spec: str, options: Mapping[str, str], seed: int) -> SearchPlayer:
    """The searching player of a name, with the options in its `spec`.

    Raises MasonsError for an option that it does not have, or a wrong value.
    """
    method, own_options = SEARCHERS[name]
    known = ("sims", "ms", "rollouts", *own_options)
    for option in options:
        if option not in known:
            raise MasonsError(f"{name} has no option {quoted(option)}: it has {', '.join(known)}")
    values = {option: _value(option, text) for option, text in options.items()}
    sims, ms, games = (values.pop(option, None) for option in ("sims", "ms", "rollouts"))
    limits = (("sims", sims, MAX_SIMS), ("ms", ms, MAX_MS), ("rollouts", games, MAX_ROLLOUTS))
    for option, value, most in limits:
        if value is not None and not 1 <= value <= most:
            raise MasonsError(f"{name}: {option} must be from 1 to {most}")
    fields = {_OPTIONS[option][1]: value for option, value in values.items()}
    search = SearchOptions(method, **fields)
    return SearchPlayer(seed, spec, Limits(sims, ms, rollouts=games), search)


def _value(option: str, text: str) -> Any:
    try:
        return _OPTIONS[option][0](text)
    except ValueError as error:
        said = error if isinstance(error, MasonsError) else f"{quoted(text)} is not a number"
        raise MasonsError(f"option {option}: {said}") from None
