"""The default search: all moves meet the same determinizations, the worse half is dropped.

| file | what it holds |
| --- | --- |
| `moves_to_search.py` | the moves that a search begins with |
| `wasteful_moves.py` | moves that give something away |
| `halving_search.py` | the search of one decision, in threads |
| `sequential_halving.py` | the rules of both: rounds, determinizations of a round, a move's value |
| `simulation.py` | one simulation: a move played in one determinization, and on |
| `wall_tree.py` | the tree of walls below a move |
| `workspace.py` | what the kernels read and write: decision, models, a thread's workspace |
"""
