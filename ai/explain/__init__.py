"""Why a move is better than another, and what is expected next: from the games of a rollout.

| file | what it holds |
| --- | --- |
| `explanation.py` | the difference of two moves, split into reasons, in sentences |
| `expected_line.py` | what is expected next: cities, pieces, answers, cards |
"""
