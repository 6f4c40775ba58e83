"""Whole games in one kernel, for training and for measurements.

| file | content |
| --- | --- |
| `self_play.py` | the games: from the deal, or from a decision on |
| `seat_choices.py` | the choices of a seat in these games |
"""
