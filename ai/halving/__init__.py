"""The default search: all moves meet the same determinizations, the worse half is dropped.

| file | what it holds |
| --- | --- |
| `halving_search.py` | the search of one decision, in threads; figures of its moves |
| `sequential_halving.py` | the rules of sequential halving, and a whole one in a kernel |
| `simulation.py` | one simulation: a move in one determinization, and the tree of walls below it |
"""
