"""The default search: try all moves in the same determinizations, drop the worse half, repeat.

| file | content |
| --- | --- |
| `halving_search.py` | the search of one decision in threads, and the figures of its moves |
| `sequential_halving.py` | the rules of sequential halving, and a complete search in a kernel |
| `simulation.py` | a simulation of a move in a determinization, and the tree of walls after it |
"""
