"""Statistics of the games of a match.

| file | what it holds |
| --- | --- |
| `estimates.py` | means with confidence intervals, and the Elo scale |
| `engine_scores.py` | places in a game; scores of each engine and each pair |
| `ratings.py` | ratings of many engines on one scale |
| `sprt.py` | the sequential test |
| `luck_adjusted.py` | dice and cards of each engine, results without luck, variance saved |
"""
