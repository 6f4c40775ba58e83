"""The engine's side of the protocol.

| file | what it holds |
| --- | --- |
| `command_loop.py` | the loop that reads commands and answers them |
| `parsed_commands.py` | options, and the words of `setoption`, `go` and `gameover` |
| `followed_game.py` | the game as the engine knows it |
| `thinker.py` | the search or player that decides for the engine's seat |
| `jobs.py` | background work: searches, benchmarks, and loading the kernels |
"""
