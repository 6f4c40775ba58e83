"""How the models are fitted: self-play, and one module for each fit.

| file | what it holds |
| --- | --- |
| `self_play.py` | whole games between searches, in one kernel |
"""
