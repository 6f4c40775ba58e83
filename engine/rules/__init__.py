"""The rules: what is legal, and what every move and every chance event does.

| file | what it holds |
| --- | --- |
| `transitions.py` | a move or a chance event applied to a state |
| `legal_moves.py` | the legal moves of every decision |
| `turns.py` | whose turn it is and what is due next |
| `placement.py` | walls, towers and houses put on the board |
| `lines.py` | the sets of lines that players choose by |
| `dice.py` | rolls, and what they put on the board |
| `roll_outcomes.py` | the distinct outcomes of a roll |
| `cities_and_palaces.py` | cities completed and merged, palaces built |
| `cards.py` | cards played, drawn, discarded, swapped |
| `scoring.py` | what each card scores |
| `closing_values.py` | what each would score if a wall completed its city |
| `winners.py` | who wins, and how ties are broken |
"""
