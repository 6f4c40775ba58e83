"""Hidden cards: the cards that other seats may hold.

| file | content |
| --- | --- |
| `determinization.py` | dealing at random everything that a seat does not see |
| `hand_estimates.py` | the probability that a seat holds a card |
"""
