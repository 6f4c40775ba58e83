"""The packed state: one array of 1 KiB, and the position that it says by name.

| file | what it holds |
| --- | --- |
| `phases.py` | what a state can wait for, by name |
| `packed_move.py` | the kinds of moves and their bits |
| `layout.py` | the state's offsets |
| `initial_state.py` | the state before the first turn |
| `areas.py` | growing an area inside its walls, its border and corners |
| `position.py` | `Position`: a state as plain Python data |
| `enclosed_areas.py` | the areas that walls enclose, in plain Python |
| `position_checks.py` | whether a position is sound |
| `position_counts.py` | whether counting shows that no game comes to it |
| `derive.py` | from a position to a state: every derived field worked out anew |
| `named_pieces.py` | the pieces of a position by name, for drawings |
"""
