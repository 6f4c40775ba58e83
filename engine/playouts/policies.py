"""How random play chooses: names and numbers, for those that need no kernel."""

from __future__ import annotations

from typing import Final

# In the order of the numbers that kernels know them by (see `random_moves`).
POLICIES: Final = ("uniform", "busy", "busy-best")
# Names that policies had before.
_OLD_NAMES: Final = {"greedy": "busy-best"}


def policy_name(text: str) -> str:
    """Return the present name of a policy, where this is an old one; else the text itself."""
    return _OLD_NAMES.get(text, text)


# Busy play (rules, 8), in tenths: a uniform line, else each group of lines in turn.
BUSY_UNIFORM_TENTHS: Final = 1
BUSY_GROUP_TENTHS: Final = 8
