"""The players: searches over information sets, their models, and the named players.

From the bottom up:

| folder or file | what it holds |
| --- | --- |
| `policies/` | heuristic play, fast enough for playouts |
| `evaluation/` | the values of a finished game, a move and a position |
| `models/` | features, the value net, the hand model, calibration, and their weights |
| `search/` | shared by both searches: decision, options, limits, levels, results, time, stopping |
| `beliefs/` | hidden cards: determinization, counts, estimates |
| `net_policy/` | the net without a search: a policy, and whole games by it |
| `halving/` | the default search: sequential halving over determinizations |
| `self_play/` | whole games in one kernel |
| `rollout/` | the contenders of a decision played to the end: the figures of moves |
| `explain/` | why a move is better, and what is expected next, from those games |
| `ismcts/` | the other search: an information-set tree |
| `session.py` | `analyze` and `Session`: search, then rollout |
| `players/` | the named players |
| `review/` | finished games decision by decision, with luck apart from play |
| `practice/` | decisions as puzzles that come again |

The road of `masons-engine analyze`, from the command to the innermost kernels:

1. `cli/commands/analyze.py` parses, asks a `Session`, prints.
2. `session.py` plans the time and runs the search, then the rollout.
3. `halving/halving_search.py` halves the moves in threads; its kernel is
4. `halving/simulation.py`, which follows the tree of walls, and evaluates by
5. `models/value_net.py`.
6. `rollout/rollout.py` screens and measures the contenders; it has games played by
7. `rollout/games.py` in threads or elsewhere; its kernel is
8. `rollout/game_kernel.py`, which chooses moves by the policy, `net_policy/`.
9. `explain/explanation.py` splits differences into reasons.

All of them fill or read one result type, `search.results.Analysis`.
"""

if __name__ != "masons.ai":
    # One file under two names would poison numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.ai, not as {__name__}")
