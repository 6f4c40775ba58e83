"""Moves, events, positions and views in words, for the terminal and the pictures.

The page in the browser has its words in three languages, in `gui/static/`.

| file | what it holds |
| --- | --- |
| `moves.py` | moves, lines, spaces and cards |
| `events.py` | events, the news for certain seats, and the end of a game |
| `positions.py` | the current decision, the roll and the supply |
| `scored_view.py` | a seat's view with the points of its cards, and the menus of moves |
"""

if __name__ != "masons.words":
    raise ImportError(f"import this package as masons.words, not as {__name__}")
