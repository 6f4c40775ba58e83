"""The ruler: decisions of many games with the values of moves, to score an engine's choices by.

The values come from games played on from the true hands and deck after each of a few moves (the
candidates), with the same dice and cards after all of them. An engine's figure is the mean value of
its picks, less that of the default player's.

    python -m benchmarks.ruler.make --decisions 3000 --lucks 24
    python -m benchmarks.ruler.score default:ms=5 default:sims=4000 ismcts:sims=1000 heuristic

| file | contents |
| --- | --- |
| `make.py` | make the ruler, `classic.npz`, or go on with it |
| `score.py` | score engines by it |
| `decisions.py` | decisions, candidates, games played on, the file |
| `coverage.py` | how often the intervals of an analysis hold |
| `policy_bias.py` | how far rollouts by the policy lie from rollouts by a search |
| `review_levels.py` | losses of players of known strength in reviews |
| `practice_positions.py` | the positions of the command `practice`, out of the ruler |
"""
