"""Hidden cards: what the other seats may hold.

| file | what it holds |
| --- | --- |
| `determinization.py` | hidden hands and the deck dealt anew |
| `hand_estimates.py` | the cards each seat may hold, and how often determinizations deal them |
"""
