"""Parts that both searches share.

| file | what it holds |
| --- | --- |
| `search_options.py` | the method of a search and its options |
| `limits.py` | what ends a search, and the default of each use |
| `levels.py` | how strong each level plays |
| `decision_view.py` | the view that a search begins with |
| `results.py` | what a search found out |
| `control.py` | the control array of a running search |
| `stop.py` | ending a search from another thread |
| `threads.py` | simulations shared out among threads |
| `time_management.py` | a clock shared out among decisions |
| `ucb.py` | the logarithm in upper confidence bounds |
"""
