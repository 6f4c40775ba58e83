"""The default search: all moves meet the same determinizations, the worse half is dropped.

| file | what it holds |
| --- | --- |
| `session.py` | decisions of a game searched one after the other |
| `halving_search.py` | the search of one decision, in threads |
| `simulation.py` | one simulation: a move played in one determinization, and on |
| `wall_tree.py` | the tree of walls below a move |
| `halving_kernel.py` | a whole decision in one kernel, for self-play |
"""
