"""Finished games, decision by decision, with luck apart from play.

| file | what it holds |
| --- | --- |
| `timeline.py` | a recorded game step by step |
| `decision_loss.py` | what the move played costs against the best one |
| `open_values.py` | kernels: values of positions with open hands, and of each roll and draw |
| `luck.py` | what deal, dice and cards gave each seat |
| `performance.py` | decisions of a player summed up: ranks, ratings, trends over several games |
| `review_work.py` | the work of a review, piece by piece |
| `review_data.py` | a finished review as data |
"""
