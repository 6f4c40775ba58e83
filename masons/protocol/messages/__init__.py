"""The messages of the protocol as data and as text.

| file | what it holds |
| --- | --- |
| `error_codes.py` | error codes, and exceptions for refused commands and failed engines |
| `line_streams.py` | streams that read and write lines |
| `seat_events.py` | the events of a game as one seat sees them |
| `replies.py` | an engine's answers |
"""
