"""Whole games in one kernel, for training and for measurements.

| file | content |
| --- | --- |
| `self_play.py` | the games, which begin at the deal or at a decision |
| `seat_choices.py` | the choices of a seat in these games |
"""
