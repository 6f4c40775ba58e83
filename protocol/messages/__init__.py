"""The words of the protocol.

| file | what it holds |
| --- | --- |
| `error_codes.py` | refused commands with their codes, and failures of an engine's process |
| `line_streams.py` | lines in and out |
| `seat_events.py` | the events of a game as one seat sees them |
| `replies.py` | an engine's answers as plain data |
"""
