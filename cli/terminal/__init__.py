"""A game at a terminal.

| folder or file | what it holds |
| --- | --- |
| `moves_in_words.py` | moves, rolls and events in words |
| `scored_view.py` | a position as somebody sees it, with what its cards score |
| `letters.py` | the letters of the colours |
| `news.py` | what happened, as far as one seat could see it |
| `drawing/` | the board and its panels as text |
| `dialogue/` | a person's side of a game |
"""
