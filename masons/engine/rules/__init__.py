"""The rules: the legal moves, and the effects of moves and chance events.

| file | content |
| --- | --- |
| `legal_moves.py` | the legal moves of a state |
| `roll_outcomes.py` | the ways to place the towers or houses that were rolled |
| `placement.py` | walls, towers and houses on the board; which wall completes a city |
| `cities_and_palaces.py` | completing, clearing and merging cities; palaces |
| `scoring.py` | the points of each card |
| `turns.py` | the course of a turn after its houses: scoring, swaps, the next turn, the end |
| `transitions.py` | moves and chance events, applied to a state |
"""
