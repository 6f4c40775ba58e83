"""Hidden cards: the cards that other seats may hold.

| file | content |
| --- | --- |
| `determinization.py` | the hidden hands and the deck, dealt anew |
| `hand_estimates.py` | the cards that each seat may hold, and how often they are dealt |
"""
