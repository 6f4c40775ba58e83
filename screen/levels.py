"""How strong the engine plays at a table: iterations of its search for each decision.

| level      | 1  | 2  | 3   | 4   | 5     | 6     | 7      | 8      | 9       | 10      |
| ---------- | -- | -- | --- | --- | ----- | ----- | ------ | ------ | ------- | ------- |
| iterations | 10 | 30 | 100 | 300 | 1,000 | 3,000 | 10,000 | 30,000 | 100,000 | 300,000 |

Levels are steps of effort; how much strength a step brings is not measured yet.
"""

from typing import Final

SIMS: Final = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
LEVELS: Final = len(SIMS)
DEFAULT_LEVEL: Final = 6
MEMORY: Final = 64  # MiB for the tree of a seat


def level_player(level: int) -> str:
    """The named player (see `masons.ai.players`) of a level from 1 to `LEVELS`."""
    return f"ismcts:sims={SIMS[level - 1]},memory={MEMORY}"
