"""The engine of Masons: rules, packed states, kernels, text formats and game records.

| folder or file | content |
| --- | --- |
| `storage/` | files that a process extends over time |
| `kernels/` | compiled functions: declaration, compilation, library; the random generator |
| `board/` | the board and the pieces in the box |
| `state/` | packed states and positions |
| `rules/` | legal moves, and the effects of moves, dice and cards |
| `playouts/` | random play |
| `formats/` | moves, positions and events as text |
| `game/` | `Game`, views, records and their replay |
| `fair/` | dice and cards that anybody can verify |
| `lessons/` | the lessons for newcomers |
| `checks.py`, `errors.py` | checks of arguments, and the errors that callers see |
| `extras.py` | how to install what only some features need |
| `files.py`, `strict_json.py`, `plain_text.py` | reading and writing of files, JSON and numbers |

Each folder imports only from the folders listed before it.
"""

if __name__ != "masons.engine":
    # A module imported under two names would corrupt numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.engine, not as {__name__}")
