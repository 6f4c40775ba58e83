"""Packed game states (1 KiB), and `Position`, which holds the same content in named fields.

| file | content |
| --- | --- |
| `layout.py` | the layout of the packed state, offset by offset |
| `packed_move.py` | the layout of a move |
| `areas.py` | the flood fill that finds the area inside walls |
| `derive.py` | packed states made from a position, or before the first turn |
| `position.py` | `Position` |
| `position_checks.py` | checks of positions |
| `position_counts.py` | counts that show whether a game can reach a position |
"""
