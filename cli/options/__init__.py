"""Arguments and options that several commands take.

| file | what it holds |
| --- | --- |
| `shared_options.py` | seed, board, search, limits, engines' processes, output files |
| `position_argument.py` | the position or game that an argument names |
| `engine_names.py` | the engines of a match |
"""
