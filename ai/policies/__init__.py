"""Heuristic play: fast choices without a search.

| file | what it holds |
| --- | --- |
| `heuristic_moves.py` | which lines to close and take, which cards to keep |
| `heuristic_play.py` | turns and games played by them |
"""
