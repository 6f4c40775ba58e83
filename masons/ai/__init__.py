"""The players of the game: searches, the models they use, and the named players.

From the bottom up:

| folder or file | content |
| --- | --- |
| `policies/` | heuristic play, fast enough for playouts |
| `evaluation/` | the rewards of finished games and of moves, and the value that ranks moves |
| `models/` | features, the value net, the hand model, calibration, and their weights |
| `search/` | what both searches share: options, limits, levels, results, threads, time management |
| `beliefs/` | hidden cards: how they are dealt at random, and which of them a seat may hold |
| `net_policy/` | a policy that plays with a net but without a search |
| `halving/` | the default search: sequential halving over determinizations |
| `self_play/` | whole games played in one kernel, for training and for measurements |
| `rollout/` | games played to the end after each contender; they decide which move is best |
| `explain/` | what a rollout's games show: why a move is better, and what to expect after it |
| `ismcts/` | the other search: an information-set tree |
| `session.py` | `analyze` and `Session`: search, then rollout |
| `players/` | the named players |
| `review/` | reviews of finished games: the loss of each decision, and chance separated from play |
| `practice/` | decisions as puzzles, repeated at intervals |
| `openings/` | the first walls of a game, compared in many games |

The path of `masons-engine analyze`, from the command to the innermost kernels:

1. `cli/commands/analyze.py` parses the arguments, calls a `Session` and prints the result.
2. `session.py` runs the search and the rollout, both in a thread of `search/threads.py`, so that
   Ctrl-C is noticed. `rollout/plan.py` divides the time between them.
3. `halving/halving_search.py` runs sequential halving in threads. Each thread calls the kernel in
   the next file.
4. `halving/simulation.py` follows the tree of walls, places pieces and plays cards with
   `policies/`, and evaluates positions with the net.
5. `models/value_net.py` contains this net. `models/features.py` computes the net's inputs, with
   `engine/rules/scoring.py` and `engine/state/areas.py`.
6. `rollout/plan.py` chooses the contenders, and `rollout/rollout.py` screens and measures them in
   a loop: it begins chunks of games, waits for the first one and adds its results.
7. `rollout/games.py` decides how large a chunk is, and plays its parts by an executor: the threads
   of this process or a cluster (`search/executors.py`).
8. `engine/kernels/kernel_calls.py` calls the kernel of these games, `rollout/game_kernel.py`, with
   the policy of `net_policy/`.
9. `rollout/evidence.py` computes losses and their standard errors from the games, and
   `rollout/figures.py` the figures of each move with their intervals.
10. `explain/explanation.py` splits differences between moves into reasons.

All of these steps fill or read one result type, `search.results.Analysis`.
"""

if __name__ != "masons.ai":
    # A module imported under two names would corrupt numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.ai, not as {__name__}")
