"""Commands that play games.

| file | what it holds |
| --- | --- |
| `dataset.py` | games between named players, as arrays for learning |
| `gui.py` | a board in the browser |
| `ladder.py` | the table of the named players, played again |
| `match.py` | which of some engines is stronger |
| `match_nonces.py` | what it commits to, and the nonces of its engines |
| `match_progress.py` | the file of their games, the bar, and the engines' end |
| `play.py` | a game at this terminal, people against the engine or one another |
| `play_nonces.py` | what a fair game commits to, and the nonces of its people |
| `selfplay.py` | games between named players, as records |
"""
