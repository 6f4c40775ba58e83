"""The player that a text names (see `player_names`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from masons.ai.players.player import Player
from masons.ai.players.player_names import PLAYERS, SEARCHERS, player_name
from masons.ai.players.search_player import search_player
from masons.ai.players.simple_players import (
    BusyPlayer,
    GreedyPlayer,
    HeuristicPlayer,
    PolicyPlayer,
    RandomPlayer,
)
from masons.engine.checks import check_any_whole, check_text
from masons.engine.errors import MasonsError
from masons.engine.plain_text import quoted

_SIMPLE: Final[dict[str, Callable[[int], Player]]] = {
    "random": RandomPlayer,
    "busy": BusyPlayer,
    "greedy": GreedyPlayer,
    "heuristic": HeuristicPlayer,
    "policy": PolicyPlayer,
}


def make_player(spec: str, seed: int) -> Player:
    """The player that a text like `greedy` or `ismcts:sims=2000,policy=uniform` names.

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
        return search_player(name, spec, options, seed)
    if name not in _SIMPLE:
        raise MasonsError(f"there is no player {quoted(name)}: choose one of {', '.join(PLAYERS)}")
    if options:
        raise MasonsError(f"{name} has no options")
    return _SIMPLE[name](seed)
