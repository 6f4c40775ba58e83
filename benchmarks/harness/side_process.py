"""The two sides of `against`: each an installed tree, and a process that measures it.

A tree is measured by its own benchmarks, so that a revision with other names inside is measured as
it measured itself; pieces of work are matched by name.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

from benchmarks.harness import revisions
from benchmarks.harness.revisions import RevisionError

# What measures a tree: in its package of benchmarks, or as a script beside flat modules.
_MODULE: Final = "benchmarks.harness.measuring_process"
_OLD_SCRIPT: Final = Path("benchmarks", "worker.py")

# What trees with flat benchmarks call a kernel that has another name now. To be removed once no
# revision of November 2026 is compared any more.
OLD_NAMES: Final = {
    **{f"games/busy-best-{players}": f"games/greedy-{players}" for players in (2, 3, 4)},
    "iterations/busy-best": "iterations/greedy",
    "playouts/busy-best": "playouts/greedy",
    "kernel/action_history.update_history": "kernel/ledger.keep_ledger",
    "kernel/determinization.deal_hidden": "kernel/determinize.deal_hidden",
    "kernel/features.describe": "kernel/inputs.describe",
    "kernel/hand_model.weigh_cards": "kernel/hands.weigh_cards",
    "kernel/heuristic_play.heuristic_games": "kernel/thumb_play.thumb_games",
    "kernel/heuristic_play.heuristic_move": "kernel/thumb_play.thumb_move",
    "kernel/heuristic_play.heuristic_turns": "kernel/thumb_play.thumb_turns",
    "kernel/immediate_reward.immediate_rewards": "kernel/gain.move_gains",
    "kernel/iteration.run_search": "kernel/iterate.run_search",
    "kernel/legal_moves.list_moves": "kernel/moves.list_moves",
    "kernel/position_value.play_on": "kernel/worth.play_on",
    "kernel/random_games.busy_play": "kernel/play.busy_play",
    "kernel/random_games.busy_best_play": "kernel/play.greedy_play",
    "kernel/random_games.uniform_play": "kernel/play.uniform_play",
    "kernel/self_play.play_whole_games": "kernel/selfplay.play_searches",
    "kernel/simulation.simulate_moves": "kernel/rollouts.try_moves",
    "kernel/transitions.apply_move": "kernel/rules.apply_move",
    "kernel/transitions.give_card": "kernel/rules.give_card",
    "kernel/transitions.give_roll": "kernel/rules.give_roll",
    "kernel/transitions.refresh_values": "kernel/rules.refresh_values",
    "kernel/tree_reuse.keep_below": "kernel/regrow.keep_below",
}


class Tree(NamedTuple):
    """An installed tree: how to start what measures it, and what it calls the work."""

    command: tuple[str, ...]
    environment: dict[str, str]
    names: Mapping[str, str] = {}  # its own name of some work, where that differs


def installed_tree(source: Path, site: Path, cache: Path) -> Tree:
    """Install the tree in `source` in the folder `site`, its kernels to be kept in `cache`.

    Raises RevisionError where that fails, or the tree has nothing to be measured by.
    """
    is_package = (source / Path(*_MODULE.split("."))).with_suffix(".py").is_file()
    script = source / _OLD_SCRIPT
    if not (is_package or script.is_file()):
        raise RevisionError(f"{source} has no benchmarks to measure it by")
    revisions.install(source, site)
    # The installed engine stands before the source tree, which is there for its benchmarks.
    if is_package:
        environment = revisions.environment(cache, site, source)
        return Tree((sys.executable, "-P", "-m", _MODULE), environment)
    return Tree((sys.executable, str(script)), revisions.environment(cache, site), OLD_NAMES)


class Side:
    """A process that measures one of the two trees."""

    def __init__(self, tree: Tree) -> None:
        self._names = tree.names
        self._process = subprocess.Popen(
            tree.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=tree.environment,
        )

    def __enter__(self) -> Side:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if kind is not None:
            self._process.kill()
        self._process.communicate()

    def ask(self, name: str, *arguments: float) -> dict[str, Any]:
        """What the process answers. Raises RevisionError where it has died."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            request = [self._names.get(name, name), *arguments]
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RevisionError(f"the process that measures died at {name}")
        return dict(json.loads(line))
