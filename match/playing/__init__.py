"""A game with people, for a terminal or a browser.

| file | what it holds |
| --- | --- |
| `played_game.py` | the game: its seats, the next decision, undo |
| `kept_games.py` | the file of the game while it is played, and how to resume from it |
| `scored_view.py` | a seat's view with the points of its cards, and the menu of moves |
| `game_words.py` | moves, events and hints in words |
"""
