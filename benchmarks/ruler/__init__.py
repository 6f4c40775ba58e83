"""The ruler: decisions from many games with the values of moves, to score an engine's choices.

To get the values, games are played to the end from the true hands and deck, after each of a few
moves (the candidates). The dice and cards are the same after all candidates. An engine's figure is
the mean value of its picks minus the mean value of the default player's picks.

    python -m benchmarks.ruler.make --decisions 3000 --lucks 24
    python -m benchmarks.ruler.score default:ms=5 default:sims=4000 ismcts:sims=1000 heuristic

| file | content |
| --- | --- |
| `make.py` | makes or continues the ruler, `classic.npz` |
| `score.py` | scores engines by the ruler |
| `decisions.py` | decisions, their candidates, the games that follow, and the file |
| `coverage.py` | measures how often the intervals of an analysis hold |
| `policy_bias.py` | compares rollouts by the policy with rollouts by a search |
| `review_levels.py` | measures the losses of players of known strength in reviews |
| `practice_positions.py` | makes the positions of the command `practice` from the ruler |
"""
