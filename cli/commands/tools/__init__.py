"""Commands for engines, boards and speed.

| file | what it holds |
| --- | --- |
| `bench.py` | speed in CPU time, and the signature that only a change of behavior changes |
| `board.py` | what a board is, as a table, as its description, or as a picture |
| `compliance.py` | tries any engine against the protocol |
| `perft.py` | counts of decision sequences, to compare rule implementations |
| `protocol.py` | the engine on standard input and output, for a GUI or a referee |
| `warmup.py` | compile everything now, so that no later command has to |
"""
