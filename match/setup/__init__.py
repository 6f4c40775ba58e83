"""What a match consists of.

| file | what it holds |
| --- | --- |
| `schedule.py` | engines, settings, and the games of a match |
| `seatings.py` | who sits where in a block |
| `equal_luck.py` | dice and cards that do not depend on how a game goes |
| `time_control.py` | how long a decision may take, and faults |
"""
