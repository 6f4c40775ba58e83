"""The names of all players, in a module that can be imported without loading a kernel.

| name     | play                                                                                |
| -------- | ----------------------------------------------------------------------------------- |
| `random` | chooses uniformly among the moves of every decision                                 |
| `busy`   | random, but prefers lines that complete a city, then lines beside towers            |
| `greedy` | takes the most points now, and completes the city for which its cards score most    |
| `heuristic` | heuristics that were fitted to games against itself (see `heuristic_moves`)      |
| `policy` | a net without a search; a turn takes about 10 microseconds (see `net_policy`)       |
| `ismcts` | information-set MCTS; options `sims=` or `ms=`, `policy=`, `exploration=`,          |
|          | `memory=` (MiB), `threads=`                                                         |
| `default` | the strongest: sequential halving with trees of walls and a net (see               |
|          | `halving_search`); `sims=` or `ms=`, `threads=`, `memory=`, `level=` (see `LEVELS`) |
"""

from __future__ import annotations

from typing import Final

# Roughly in the order of strength.
PLAYERS: Final = ("random", "busy", "greedy", "heuristic", "policy", "ismcts", "default")
# Players that search, with their method and its options. All of them also accept limits as options,
# such as `ms` and `sims`.
SEARCHERS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "default": ("halving", ("threads", "memory", "level")),
    "ismcts": ("ismcts", ("policy", "exploration", "memory", "threads")),
}
# The players that the protocol offers, beginning with the default.
SERVED: Final = PLAYERS[::-1]


def player_name(spec: str) -> str:
    """Return the name in a text like `ismcts:sims=20`."""
    return spec.partition(":")[0]


def level_player(level: int) -> str:
    """Return the name of the player that plays at a level."""
    return f"default:level={level}"
