"""Heuristic play: fast choices without a search.

| file | content |
| --- | --- |
| `heuristic_moves.py` | the choice of lines, of cities to complete and of cards to keep |
| `heuristic_play.py` | turns and games that are played with these choices |
"""
