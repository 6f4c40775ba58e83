"""The engine's side of the protocol.

| file | what it holds |
| --- | --- |
| `command_loop.py` | commands in, answers out |
| `engine_options.py` | the options that `mei` lists |
| `go_request.py` | what a `go` asks for |
| `followed_game.py` | the game that the engine follows |
| `thinker.py` | what decides for its seat |
| `overhead.py` | the time that passes beside a search |
| `jobs.py` | one piece of long work at a time |
| `preparation.py` | getting ready in the background |
| `rehearsal.py` | a first decision that nobody asked for |
| `belief_lines.py` | what `belief` says |
"""
