"""Arguments and options that several commands take.

| file | what it holds |
| --- | --- |
| `command_options.py` | all that a command is asked for as one object |
| `shared_options.py` | seed, board, search options and limits |
| `position_argument.py` | the position that an argument names |
| `record_argument.py` | the game of a file of records that an argument names |
| `engine_names.py` | the engines of a match |
| `backend_options.py` | where games are played |
"""
