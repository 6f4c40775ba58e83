"""Players made from their names (see `player_names`), and the players that search.

The caller of `choose` may set limits for each decision. These limits apply only to players whose
name contains no limit; a player with `sims=`, `ms=` or `rollouts=` in its name ignores them. A
player at a level never makes more simulations than `LEVELS` allows for this level.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from masons.ai.players.player import Player, check_limits, choice_given
from masons.ai.players.player_names import PLAYERS, SEARCHERS, player_name
from masons.ai.players.simple_players import (
    BusyPlayer,
    GreedyPlayer,
    HeuristicPlayer,
    PolicyPlayer,
    RandomPlayer,
)
from masons.ai.search.limits import MAX_MS, MAX_ROLLOUTS, MAX_SIMS, PLAYER_DEFAULT, Limits
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session
from masons.engine.checks import check_any_whole, check_text
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.plain_text import parse_whole, quoted

_SIMPLE: Final[dict[str, Callable[[int], Player]]] = {
    player.name: player
    for player in (RandomPlayer, BusyPlayer, GreedyPlayer, HeuristicPlayer, PolicyPlayer)
}
# Limits that a player's name can contain, and their largest values.
_LIMITS: Final = {"sims": MAX_SIMS, "ms": MAX_MS, "rollouts": MAX_ROLLOUTS}


class SearchPlayer:
    """A player that searches with `options`; `own_limits` are the limits in its name."""

    def __init__(self, seed: int, name: str, own_limits: Limits, options: SearchOptions) -> None:
        self.name = name
        self.options = options
        self._seed = seed
        self._own = own_limits
        self._session: Session | None = None

    @property
    def takes_limit(self) -> bool:
        """True if the name contains no limit."""
        return not self._own.has_any

    def choose(
        self, table: Table, view: Observation, moves: Sequence[Move], limits: Limits | None = None
    ) -> Move:
        """Return the best move of a search within the limits of the player's name.

        If the name contains no limits, `limits` are used. Raises KeyboardInterrupt on Ctrl-C, and
        MasonsError as described for `Player.choose`.
        """
        view, moves = choice_given(table, view, moves, limits)
        return moves[0] if len(moves) == 1 else self._searched(table, view, limits).best

    def analyze(self, table: Table, view: Observation, limits: Limits | None = None) -> Analysis:
        """Analyze all moves with the search that `choose` uses.

        Without a rollout, the result is that of `Session.searched`.
        """
        check_limits(limits)
        session = self._searched(table, view, limits)
        return session.analysis() if session.has_rollout else session.searched()

    def _searched(self, table: Table, view: Observation, limits: Limits | None) -> Session:
        if self._session is None or self._session.table is not table:
            self._session = Session(table, seed=self._seed, options=self.options)
        if self._own.has_any:
            limits = self._own
        elif limits is None or not limits.has_any:
            limits = Limits(sims=self.options.most) if self.options.most else PLAYER_DEFAULT
        # Ctrl-C must end the whole game, not only this search.
        if not self._session.search(view, limits=limits):
            raise KeyboardInterrupt
        return self._session


def make_player(spec: str, seed: int) -> Player:
    """Return the player named by a text such as `greedy` or `ismcts:sims=2000,policy=uniform`.

    Raises MasonsError for an unknown name or option.
    """
    check_text("spec", spec, f"the name of a player, one of {', '.join(PLAYERS)}")
    seed = check_any_whole("seed", seed)
    name, text = player_name(spec), spec.partition(":")[2]
    options: dict[str, str] = {}
    for part in text.split(",") if text else ():
        key, equals, value = part.partition("=")
        if not equals or not value or key in options:
            raise MasonsError(f"{quoted(spec)}: options are written name:key=value,key=value")
        options[key] = value
    if name in SEARCHERS:
        return _search_player(name, spec, options, seed)
    if name not in _SIMPLE:
        raise MasonsError(f"there is no player {quoted(name)}: choose one of {', '.join(PLAYERS)}")
    if options:
        raise MasonsError(f"{name} has no options")
    return _SIMPLE[name](seed)


def _search_player(name: str, spec: str, options: Mapping[str, str], seed: int) -> SearchPlayer:
    method, own_options = SEARCHERS[name]
    known = (*_LIMITS, *own_options)
    values: dict[str, Any] = {}
    for option, text in options.items():
        if option not in known:
            raise MasonsError(f"{name} has no option {quoted(option)}: it has {', '.join(known)}")
        values[option] = _value(option, text)
        if option in _LIMITS and not 1 <= values[option] <= _LIMITS[option]:
            raise MasonsError(f"{name}: {option} must be from 1 to {_LIMITS[option]}")
    sims, ms, games = (values.pop(option, None) for option in _LIMITS)
    fields = {"memory_mb" if key == "memory" else key: value for key, value in values.items()}
    try:
        search = SearchOptions(method, **fields)
    except MasonsError as error:  # the option has another name here than the field
        raise MasonsError(str(error).replace("memory_mb", "memory")) from None
    return SearchPlayer(seed, spec, Limits(sims, ms, rollouts=games), search)


def _value(option: str, text: str) -> Any:
    """Return the value of an option. Raises MasonsError for invalid text."""
    if option == "policy":
        return text
    if option == "exploration":
        try:
            return float(text)
        except ValueError:
            raise MasonsError(f"option {option}: {quoted(text)} is not a number") from None
    number = parse_whole(text)
    if number is None:
        said = f"{quoted(text)} is not a whole number: write 20000, 20k, 2M or 1e4"
        raise MasonsError(f"option {option}: {said}")
    return number
