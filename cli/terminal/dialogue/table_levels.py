"""How strong the engine plays at a table: a level of `masons.ai.search.levels`, people waiting."""

from typing import Final

from masons.ai.search.search_options import Limit

DEFAULT_LEVEL: Final = 5
# Of a decision at any level: no more than a second or two, and the same game again from its seed.
PATIENCE: Final = Limit(sims=20_000)


def level_player(level: int) -> str:
    """The named player (see `masons.ai.players`) of a level."""
    return f"default:level={level}"
