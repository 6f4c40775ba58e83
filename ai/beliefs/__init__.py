"""Hidden cards: what the other seats may hold.

| file | what it holds |
| --- | --- |
| `card_counts.py` | the cards that lie unseen, and how many each seat holds |
| `determinization.py` | hidden hands and the deck dealt anew |
| `sampled_hands.py` | how often the determinizations of a search give a seat a card |
"""
