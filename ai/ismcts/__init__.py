"""Information-set MCTS: one tree over what a seat sees. The classic search, kept as the baseline.

| file | what it holds |
| --- | --- |
| `tree_search.py` | one decision searched: a tree for each thread, the figures of its moves |
| `iteration.py` | select, expand, play out, back up |
| `selection.py` | which edge to follow |
| `tree.py` | nodes and edges in one arena, and the moves that they stand for |
"""
