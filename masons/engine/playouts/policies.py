"""Names and numbers of the policies of random play, for modules that need no kernel."""

from __future__ import annotations

from typing import Final

# The index of a name is the policy's number in kernels (see `random_moves`).
POLICIES: Final = ("uniform", "busy", "busy-best")

# Probabilities of busy play, in tenths. With the first probability, busy play chooses uniformly
# among all lines. Otherwise it goes through three groups of lines: those that complete a city,
# those between two towers, and those beside one tower. With the second probability, it chooses a
# line of the group; otherwise it goes on to the next group.
BUSY_UNIFORM_TENTHS: Final = 1
BUSY_GROUP_TENTHS: Final = 8
