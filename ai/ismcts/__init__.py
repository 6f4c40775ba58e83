"""Information-set MCTS: one tree over what a seat sees.

| file | what it holds |
| --- | --- |
| `kept_trees.py` | the trees of a seat, kept from decision to decision |
| `tree_search.py` | one tree and what one thread needs to grow it |
| `iteration.py` | select, expand, play out, back up |
| `selection.py` | which edge to follow |
| `tree.py` | nodes and edges in one arena |
| `tree_actions.py` | the moves that the tree looks at |
| `root_moves.py` | a root with some of its moves only |
| `node_lookup.py` | the node of a later view |
| `tree_reuse.py` | a tree cut down to one of its subtrees |
| `root_sums.py` | what all threads know of the root's moves |
| `tree_report.py` | moves and lines read out of a tree |
"""
