"""Why a move is better than another, and what is expected next: from games played on after them.

| file | what it holds |
| --- | --- |
| `continued_games.py` | games played on by the policy, with the same luck |
| `growing_games.py` | more and more of them, while a search goes on |
| `paired_games.py` | the same from Python: turn by turn, choice by choice |
| `played_on.py` | the figures of a search, made surer by games played on |
| `split_difference.py` | the difference of two moves, split by where it comes from |
| `closed_cities.py` | which cities are completed after a move, and their names |
| `held_cards.py` | what the cards in hand would score later |
| `why_words.py` | the same in sentences |
| `expected_line.py` | what is expected next: own pieces, answers, cards |
| `expected_moves.py` | the likeliest of that as moves, for the line of an analysis |
| `explanation.py` | all that is explained of a decision |
"""
