"""What both searches share.

| file | what it holds |
| --- | --- |
| `search_options.py` | the options of a search and its limits |
| `levels.py` | how strong each level plays |
| `results.py` | what a search found out |
| `control.py` | the control array of a running search |
| `stop.py` | ending a search from another thread |
| `threads.py` | simulations shared out among threads |
| `time_management.py` | a clock shared out among decisions |
| `ucb.py` | the logarithm in upper confidence bounds |
| `base_session.py` | decisions searched one after the other, by any method |
"""
