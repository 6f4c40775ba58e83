"""The default search: try all moves in the same determinizations, drop the worse half, repeat.

| file | content |
| --- | --- |
| `halving_search.py` | the search of one decision in threads: its rounds, and its moves' figures |
| `sequential_halving.py` | the lengths of rounds, the better half; the kernel for self-play |
| `simulation.py` | a simulation of a move in a determinization, and the tree of walls after it |
"""
