"""Names and numbers of the policies of random play, for modules that need no kernel."""

from __future__ import annotations

from typing import Final

# The index of a name is the policy's number in kernels (see `random_moves`).
POLICIES: Final = ("uniform", "busy", "busy-best")
# Former names of policies.
_OLD_NAMES: Final = {"greedy": "busy-best"}


def policy_name(text: str) -> str:
    """Return the present name of a policy for a former name, and any other text unchanged."""
    return _OLD_NAMES.get(text, text)


# Probabilities of busy play (rules, 8) in tenths: the probability of choosing uniformly among all
# lines and, if that does not happen, the probability of choosing from a group of lines when its
# turn comes.
BUSY_UNIFORM_TENTHS: Final = 1
BUSY_GROUP_TENTHS: Final = 8
