"""Commands that play games.

| file | what it holds |
| --- | --- |
| `dataset.py` | games between named players, as arrays for learning |
| `gui.py` | a board in the browser |
| `match.py` | which of some engines is stronger; the ladder |
| `match_progress.py` | a match's file, nonces, bar and end |
| `play.py` | a game at this terminal, people against the engine or one another |
| `play_nonces.py` | what a fair game commits to, and the nonces of its people |
| `selfplay.py` | games between named players, as records |
"""
