"""The games of a match: plan, play and save them.

| file | what it holds |
| --- | --- |
| `schedule.py` | engines, settings, seatings, time control, and the games of a match |
| `duplicate_deals.py` | the same dice and cards for every game of a block |
| `match_runner.py` | one game as a job, and the run of all games |
| `backends.py` | run jobs in this process, in several, or on a cluster |
| `referee.py` | one game between seats, each a named player or an engine's process |
| `match_file.py` | the file of a match |
| `fair_games.py` | fair matches: secrets, nonces and commitments |
"""
