"""Statistics of the games of a match.

| file | what it holds |
| --- | --- |
| `estimates.py` | means with confidence intervals, and the Elo scale |
| `engine_scores.py` | the result of a game, and scores of engines and pairs |
| `ratings.py` | ratings of many engines on one scale |
| `sprt.py` | the sequential probability ratio test |
| `luck_adjusted.py` | luck-adjusted results, and saved variance |
"""
