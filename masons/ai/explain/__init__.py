"""Explanations from the games of a rollout: why a move is better, and what to expect.

| file | content |
| --- | --- |
| `explanation.py` | the difference between two moves, split into reasons, in sentences |
| `closed_cities.py` | which cities are completed, and what they are called |
| `expected_line.py` | the expected continuation: cities, pieces, answers, cards |
"""
