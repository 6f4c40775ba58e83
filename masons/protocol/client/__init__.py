"""A client that runs any engine in a separate process and speaks the protocol with it.

| file | what it holds |
| --- | --- |
| `engine_client.py` | `Engine`, which sends commands and waits for the answers |
| `client_arguments.py` | checks of arguments, time-outs, the words of `go`, and board files |
| `engine_process.py` | an engine's process, and the time limits for its answers |
| `reaper.py` | a helper process that kills the engines if the program that runs them is killed |
"""
