"""The ruler: decisions from many games and the values of their moves, to score engines.

For each decision, the ruler has a few moves, the candidates. To find their values, games are played
to the end after each candidate, from the true hands and deck, and with the same dice and cards for
all candidates. The figure of an engine is the mean value of the moves that it picks minus the mean
value of the moves that the default player picks.

    python -m benchmarks.ruler.make --decisions 3000 --lucks 24
    python -m benchmarks.ruler.score default:ms=5 default:sims=4000 ismcts:sims=1000 heuristic

| file | content |
| --- | --- |
| `make.py` | makes or continues the ruler, `classic.npz` |
| `score.py` | scores engines with the ruler |
| `decisions.py` | decisions, their candidates, the games that follow, and the file |
| `coverage.py` | measures how often the intervals of an analysis contain the true value |
| `rollout_errors.py` | measures how wrong the search's and the net's values of moves are |
| `truth.py` | compares what an analysis says with the results of whole games |
| `truth_tables.py`, `forecasts.py` | the tables of `truth.py`, and the statistics of forecasts |
| `dealt_hands.py` | compares the strength of dealt hands with that of the true ones |
| `policy_bias.py` | compares rollouts played by the policy with rollouts played by a search |
| `review_levels.py` | measures the losses of players of known strength in reviews |
| `practice_positions.py` | finds the puzzles of `practice` in games, and checks them |
"""
