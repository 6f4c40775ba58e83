"""Why a move is better than another, and what is expected next: from games played on after them.

| file | what it holds |
| --- | --- |
| `continued_games.py` | games played on by the policy, with the same luck |
| `continuations.py` | the same from Python: turn by turn, choice by choice |
| `split_difference.py` | the difference of two moves, split by where it comes from |
| `expected_line.py` | what is expected next: own pieces, answers, cards |
"""
