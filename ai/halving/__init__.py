"""The default search: all moves meet the same determinizations, the worse half is dropped.

| file | what it holds |
| --- | --- |
| `moves_to_search.py` | the moves that a search begins with |
| `wasteful_moves.py` | moves that give something away |
| `halving_search.py` | the search of one decision, in threads |
| `sequential_halving.py` | the rules of both: rounds, determinizations of a round, a move's value |
| `simulation.py` | one simulation: a move played in one determinization, and on |
| `paired_values.py` | what moves lose, from the determinizations that both met |
| `move_figures.py` | from means to figures: calibrated, with loss and intervals |
| `wall_tree.py` | the tree of walls below a move |
| `workspace.py` | what the kernels read and write: decision, models, a thread's workspace |
"""
