"""Games with people, in a terminal or a browser.

| file | what it holds |
| --- | --- |
| `games_folder.py` | the folder in which games are saved, and the list of its games |
| `played_game.py` | a game with people and engines in its seats |
| `kept_games.py` | files of unfinished games, from which a game can be resumed |
| `scored_view.py` | a seat's view with the points of its cards, and the menu of moves |
| `game_words.py` | moves, events and hints in words |
"""
