"""The names of all players, for those that need no kernel.

| name     | how it plays                                                                        |
| -------- | ----------------------------------------------------------------------------------- |
| `random` | every decision uniformly among its moves                                            |
| `busy`   | the busy play of the rules (8); in the final scoring uniformly among the moves      |
| `greedy` | takes the most points now, and closes a city when that pays its own cards most      |
| `heuristic` | heuristics, fitted to games against itself (see `heuristic_moves`)               |
| `policy` | the net without a search; a turn takes some 30 microseconds (see `net_policy`)      |
| `ismcts` | information-set MCTS; options `sims=` or `ms=`, `policy=`, `exploration=`,          |
|          | `memory=` (MiB), `threads=`                                                         |
| `default` | the strongest: sequential halving over a tree of walls and a net (see              |
|          | `halving_search`); `sims=` or `ms=`, `threads=`, `memory=`, `level=` (see `levels`) |
"""

from __future__ import annotations

from typing import Final

from masons.ai.search.limits import Limits

# In the order of their strength, nearly.
PLAYERS: Final = ("random", "busy", "greedy", "heuristic", "policy", "ismcts", "default")
# Those that search, with the method of their search and its options; `ms` and `sims` are all's.
SEARCHERS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "default": ("halving", ("threads", "memory", "level")),
    "ismcts": ("ismcts", ("policy", "exploration", "memory", "threads")),
}
# What the protocol serves, the default first.
SERVED: Final = PLAYERS[::-1]
# Names of players before they had their present ones.
_OLD_NAMES: Final = {"thumb": "heuristic"}


def player_name(spec: str) -> str:
    """Return the name in a text like `ismcts:sims=20`; the present name for a former one."""
    name = spec.partition(":")[0]
    return _OLD_NAMES.get(name, name)


def level_player(level: int) -> str:
    """Return the player of a level."""
    return f"default:level={level}"


def limit_option(limits: Limits) -> str:
    """Limits as an option of a player: `sims=20` or `ms=100`, a time in whole milliseconds."""
    if limits.sims is not None:
        return f"sims={limits.sims}"
    return f"ms={int(limits.movetime_ms or 0)}"
