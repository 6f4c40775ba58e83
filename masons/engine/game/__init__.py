"""Games as Python objects: `Game`, sources of chance, views, records and their replay.

| file | content |
| --- | --- |
| `table.py` | `Table`: a board prepared for the kernels, which lists and makes moves |
| `game.py` | `Game`: takes moves, rolls and cards, and logs the events |
| `chance.py` | where dice and cards come from |
| `record.py` | game records, written and read |
| `replay.py` | the replay of a record, which checks it |
| `move_lists.py` | lists of legal moves |
| `observation.py` | `Observation`: a seat's view of a game; checks of callers' states |
| `observer.py` | a game as one seat can follow it |
| `action_history.py` | statistics of each seat's choices |
| `perft.py` | counts of the paths from a position |
"""
