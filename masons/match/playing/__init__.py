"""Games with people, in a terminal or a browser.

| file | what it holds |
| --- | --- |
| `games_folder.py` | the folder in which games are saved, and the list of its games |
| `journal.py` | the file of an unfinished game |
| `game_setup.py` | the setup of a game |
| `played_game.py` | a game with people and engines in its seats |
| `kept_games.py` | games that are begun in files or resumed from them |
"""
