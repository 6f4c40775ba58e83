"""The messages of the protocol, as data and as text.

| file | what it holds |
| --- | --- |
| `error_codes.py` | exceptions: refused commands, failures of an engine's process |
| `line_streams.py` | lines in and out |
| `seat_events.py` | the events of a game as one seat sees them |
| `replies.py` | an engine's answers |
"""
