"""The players: searches over information sets, their models, and the named players.

From the bottom up:

| folder or file | content |
| --- | --- |
| `policies/` | heuristic play, fast enough for playouts |
| `evaluation/` | the values of a finished game, a move and a position |
| `models/` | features, the value net, the hand model, calibration, and their weights |
| `search/` | shared by both searches: decision, options, limits, levels, results, time, stopping |
| `beliefs/` | hidden cards: determinization, counts, estimates |
| `net_policy/` | the net without a search: a policy, and whole games played by it |
| `halving/` | the default search: sequential halving over determinizations |
| `self_play/` | whole games in one kernel |
| `rollout/` | games played to the end after each contender, for the figures of moves |
| `explain/` | the reasons why a move is better, and the expected continuation, from those games |
| `ismcts/` | the other search: an information-set tree |
| `session.py` | `analyze` and `Session`: search, then rollout |
| `players/` | the named players |
| `review/` | finished games decision by decision, with chance separated from play |
| `practice/` | decisions as puzzles, repeated at intervals |
| `openings/` | first walls, valued by games |

The path of `masons-engine analyze`, from the command to the innermost kernels:

1. `cli/commands/analyze.py` parses the arguments, asks a `Session` and prints.
2. `session.py` plans the time and runs the search, then the rollout.
3. `halving/halving_search.py` halves the moves in threads; it calls the kernel in
4. `halving/simulation.py`, which follows the tree of walls and evaluates positions with
5. `models/value_net.py`.
6. `rollout/rollout.py` screens and measures the contenders, with games from
7. `rollout/games.py`, played in threads or elsewhere by the kernel in
8. `rollout/game_kernel.py`, which chooses moves by the policy in `net_policy/`.
9. `explain/explanation.py` splits differences between moves into reasons.

All of them fill or read one result type, `search.results.Analysis`.
"""

if __name__ != "masons.ai":
    # A module imported under two names would corrupt numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.ai, not as {__name__}")
