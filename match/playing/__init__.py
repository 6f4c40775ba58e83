"""A game with people in its seats, for whatever shows it to them.

| file | what it holds |
| --- | --- |
| `played_game.py` | the game: who sits where, what is due, what may be taken back |
| `kept_games.py` | the game on disk while it is played, and resumed from there |
| `scored_view.py` | a position as a seat sees it, what its cards score, its menu of moves |
| `game_words.py` | moves, events and hints in words |
"""
