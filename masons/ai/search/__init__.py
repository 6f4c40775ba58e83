"""Parts that both searches share.

| file | content |
| --- | --- |
| `search_options.py` | the method of a search and its options, and the strength of each level |
| `limits.py` | the limits that end a search, and their defaults for each use |
| `decision.py` | the checks of a view, and the decision in the form that kernels take |
| `results.py` | the result of a search and of a rollout |
| `executors.py` | what runs the games of rollouts and matches: threads, processes, a dask cluster |
| `threads.py` | simulations divided among threads, and a way to end them from another thread |
| `time_management.py` | how the time on a clock is divided among the decisions of a game |
"""
