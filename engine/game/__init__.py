"""A game from Python: moves in, chance from anywhere, records out.

| file | what it holds |
| --- | --- |
| `game.py` | `Game` |
| `state_checks.py` | whether kernels can work with a state that a caller brings |
| `table.py` | a board made ready for the kernels |
| `observation.py` | what one seat sees, as a state that can be searched |
| `observer.py` | a game as one seat follows it |
| `action_history.py` | what the choices of each seat say about its cards |
| `kept_history.py` | the action history of one game, kept up to date |
| `expected_land_scores.py` | what land cards can be expected to score after a wall |
| `chance.py` | where dice and cards come from |
| `arguments.py` | what callers may give |
| `record.py` | records written, read and checked |
| `perft.py` | paths of decisions counted |
"""
