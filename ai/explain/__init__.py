"""Explanations from the games of a rollout: why a move is better, and the expected course.

| file | content |
| --- | --- |
| `explanation.py` | the difference of two moves, split into reasons, in sentences |
| `expected_line.py` | the expected continuation: cities, pieces, answers, cards |
"""
