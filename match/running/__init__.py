"""Games of a match, played and kept.

| file | what it holds |
| --- | --- |
| `match_runner.py` | games given out and counted until all are played |
| `backends.py`, `cluster.py` | where games are played: here, in processes, on machines |
| `game_worker.py` | one game: a job in, a record out |
| `referee.py` | one game between seats |
| `seat_players.py` | who sits in a seat: a named player or an engine's process |
| `seat_stream.py` | what a seat gets to know |
| `match_file.py` | a match on disk |
| `fair_games.py` | games of a fair match: their secrets, what is committed to in the file |
"""
