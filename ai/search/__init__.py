"""Parts that both searches share.

| file | what it holds |
| --- | --- |
| `search_options.py` | the method of a search and its options |
| `limits.py` | what ends a search, and the default of each use |
| `levels.py` | how strong each level plays |
| `decision.py` | the view that a search begins with, and the decision as kernels take it |
| `results.py` | the result of a search and of a rollout |
| `threads.py` | simulations shared out among threads; how another thread ends them |
| `time_management.py` | a clock shared out among decisions |
| `ucb.py` | the logarithm in upper confidence bounds |
"""
