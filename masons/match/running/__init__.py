"""The parts of a match that plan, play and save its games.

| file | what it holds |
| --- | --- |
| `schedule.py` | a match's engines, settings, seatings, time control and games |
| `duplicate_deals.py` | the same dice and cards for every game of a block |
| `match_runner.py` | the job that plays one game, and the function that plays all games |
| `referee.py` | one game between named players and engines in separate processes |
| `match_file.py` | the file of a match |
"""
