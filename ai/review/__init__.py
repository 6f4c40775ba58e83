"""Finished games, decision by decision, with luck apart from play.

| file | what it holds |
| --- | --- |
| `timeline.py` | a recorded game step by step |
| `decision_loss.py` | what the move played costs against the best one |
| `open_values.py` | what positions are worth with open hands, and each roll and draw |
| `chance_values.py` | the values of a game's moments, and of what else could have come |
| `luck.py` | what dice and cards gave each seat |
| `player_summary.py` | the decisions of each player summed up |
| `performance.py` | loss by kind and phase, and a rating like Elo |
| `several_games.py` | reviews of several games: lines of CSV, trends |
| `review_work.py` | the work of a review, piece by piece |
| `review_data.py` | a finished review as data |
"""
