"""Whole games in one kernel, for training and for measuring.

| file | what it holds |
| --- | --- |
| `self_play.py` | the games: from the deal, or from a decision on |
| `seat_choices.py` | how a seat chooses in one |
"""
