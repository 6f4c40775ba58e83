"""A game with people in its seats, for whatever shows it to them.

| file | what it holds |
| --- | --- |
| `played_game.py` | the game: who sits where, what is due, what may be taken back |
| `game_journal.py` | the game on disk while it is played |
| `kept_games.py` | games begun in a file and gone on with, names of seats and files |
| `menu.py` | the moves of a decision as a person chooses them |
| `scored_view.py` | a position as somebody sees it, with what its cards score |
| `moves_in_words.py`, `letters.py` | moves, rolls and events in words, the letters of the colours |
| `news.py` | what happened, as far as one seat could see it |
| `advice.py` | a hint in words |
"""
