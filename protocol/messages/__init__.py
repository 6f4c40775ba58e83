"""The words of the protocol.

| file | what it holds |
| --- | --- |
| `error_codes.py` | a command that is refused, and the codes that say why |
| `engine_faults.py` | what can go wrong with an engine's process |
| `line_streams.py` | lines in and out |
| `seat_events.py` | the events of a game as one seat sees them |
| `replies.py` | what an engine answers, as plain data |
| `game_over.py` | what is said when a game is over |
"""
