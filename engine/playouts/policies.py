"""The policies of random play: their names and numbers, for modules that need no kernel."""

from __future__ import annotations

from typing import Final

# The index of a name is the policy's number in kernels (see `random_moves`).
POLICIES: Final = ("uniform", "busy", "busy-best")
# Former names of policies.
_OLD_NAMES: Final = {"greedy": "busy-best"}


def policy_name(text: str) -> str:
    """Return the present name of a policy given by a former name; any other text unchanged."""
    return _OLD_NAMES.get(text, text)


# Busy play (rules, 8), probabilities in tenths: of choosing uniformly among all lines, and,
# otherwise, of choosing from each group of lines in turn.
BUSY_UNIFORM_TENTHS: Final = 1
BUSY_GROUP_TENTHS: Final = 8
