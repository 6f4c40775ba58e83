"""The players: searches over information sets, their models, and the named players.

From the bottom up:

| folder or file | what it holds |
| --- | --- |
| `search/` | what both searches share: options, limits, levels, results, time, stopping |
| `policies/` | heuristic play, fast enough for playouts |
| `evaluation/` | what a finished game, a move and a position are worth |
| `models/` | features, the value net, the hand model, calibration, and their weights |
| `beliefs/` | hidden cards: determinization, counts, estimates |
| `net_policy/` | the net without a search: a policy, and whole games by it |
| `explain/` | games played on: what is expected next, and why a move is better |
| `halving/` | the default search: sequential halving over determinizations |
| `ismcts/` | the other search: an information-set tree |
| `session.py` | `Session`, which runs the one or the other, and `analyse` |
| `players/` | the named players |
| `self_play/` | whole games in one kernel |
| `training/` | how the models are fitted |
| `review/` | finished games decision by decision, with luck apart from play |
| `practice/` | decisions as puzzles that come again |
"""

if __name__ != "masons.ai":
    # One file under two names would poison numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.ai, not as {__name__}")
