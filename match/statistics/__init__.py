"""Statistics of the games of a match.

| file | what it holds |
| --- | --- |
| `estimates.py` | means with confidence intervals, and the Elo scale |
| `engine_scores.py` | places in a game, and scores of each engine and each pair |
| `ratings.py` | ratings of many engines on one scale |
| `sprt.py` | the sequential probability ratio test |
| `luck_adjusted.py` | each engine's dice and cards, luck-adjusted results, and saved variance |
"""
