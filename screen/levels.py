"""How strong the engine plays at a table: iterations of its search for each decision.

| level      | 1 | 2 | 3 | 4  | 5  | 6  | 7   | 8   | 9     | 10     |
| ---------- | - | - | - | -- | -- | -- | --- | --- | ----- | ------ |
| iterations | 2 | 4 | 8 | 16 | 30 | 60 | 120 | 250 | 1,000 | 20,000 |

A search that may try few moves in few worlds overlooks good ones, but what it plays is not absurd.
How far the levels are apart is measured in `docs/strength.md`.
"""

from typing import Final

SIMS: Final = (2, 4, 8, 16, 30, 60, 120, 250, 1_000, 20_000)
LEVELS: Final = len(SIMS)
DEFAULT_LEVEL: Final = 5


def level_player(level: int) -> str:
    """The named player (see `masons.ai.players`) of a level from 1 to `LEVELS`."""
    return f"default:sims={SIMS[level - 1]}"
