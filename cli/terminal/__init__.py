"""A game at a terminal.

| folder or file | what it holds |
| --- | --- |
| `event_words.py` | moves, rolls and events in words |
| `shown_values.py` | what cards score in a position as somebody sees it |
| `news.py` | what happened, told to one seat |
| `drawing/` | the board and its panels as text |
| `dialogue/` | a person's side of a game |
"""
