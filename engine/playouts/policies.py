"""How random play chooses: the names, for those that need no kernel."""

from __future__ import annotations

from typing import Final

# In the order of the numbers that kernels know them by (see `random_moves`).
POLICIES: Final = ("uniform", "busy", "greedy")
