"""Information-set MCTS with one tree over a seat's view; this classic search is the baseline.

| file | content |
| --- | --- |
| `tree_search.py` | the search of one decision: a tree for each thread, and its results |
| `iteration.py` | select, expand, play out, back up |
| `selection.py` | the choice of the edge to follow |
| `tree.py` | nodes and edges in one arena, and the moves that they stand for |
"""
