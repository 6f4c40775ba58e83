"""Arguments and options that several commands take.

| file | what it holds |
| --- | --- |
| `shared_options.py` | seed, board, search options and limits |
| `position_argument.py` | the position that an argument names |
| `engine_names.py` | the engines of a match |
| `backend_options.py` | where games are played |
"""
