"""Hidden cards: the cards that other seats may hold.

| file | content |
| --- | --- |
| `determinization.py` | hidden hands and the deck, dealt anew |
| `hand_estimates.py` | the cards each seat may hold, and how often determinizations deal them |
"""
