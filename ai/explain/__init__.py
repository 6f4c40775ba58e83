"""Why a move is better than another, and what is expected next: from the games of a rollout.

| file | what it holds |
| --- | --- |
| `reasons.py` | the difference of two moves, split by where it comes from, in sentences |
| `closed_cities.py` | which cities are completed after a move, and their names |
| `held_cards.py` | what the cards in hand would score later |
| `expected_line.py` | what is expected next: own pieces, answers, cards |
| `explanation.py` | all that is explained of a decision |
"""
