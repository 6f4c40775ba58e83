"""The games of a match: planned, played and kept.

| file | what it holds |
| --- | --- |
| `schedule.py` | engines, settings, seatings, time control, and the games of a match |
| `duplicate_deals.py` | the same dice and cards for every game of a block |
| `match_runner.py` | one game as a job, and all games until the last is counted |
| `backends.py` | where jobs run: here, in processes, on a cluster |
| `referee.py` | one game between seats, each a named player or an engine's process |
| `match_file.py` | a match on disk |
| `fair_games.py` | fair matches: secrets, nonces and commitments |
"""
