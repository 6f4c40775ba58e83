"""The ruler: decisions of many games with the values of moves, to measure an engine's choices by.

The values come from games played on from the true hands and deck after each of a few moves (the
candidates), with the same dice and cards after all of them. An engine's figure is the mean value of
what it picks, less that of what the default player picks.

    python -m benchmarks.ruler.make --decisions 3000 --lucks 24
    python -m benchmarks.ruler.score default:ms=5 default:sims=4000 ismcts:sims=1000 heuristic

| file | what it holds |
| --- | --- |
| `make.py` | the command that makes the ruler: it goes on where it was ended |
| `score.py` | the command that scores engines by it |
| `coverage.py` | the command that tells how often the intervals of an analysis hold |
| `review_levels.py` | the command that tells what players of known strength lose in reviews |
| `sampled_decisions.py` | decisions of games between different players |
| `candidates.py` | which moves of a decision get values |
| `continuations.py` | games played on after each candidate, with the same luck |
| `ruler_data.py` | the ruler as data, and its file |
| `picks.py` | what an engine picks of the candidates |
| `practice_positions.py` | the positions of the command `practice`, out of the ruler |
| `tables.py` | the figures: by kind, phase and players; by rank |

The ruler itself is made by the first command, into `classic.npz` beside these files: with 24 lucks,
3,000 decisions and up to 10 moves each up to 720,000 games. It is not in the repository yet.
"""
