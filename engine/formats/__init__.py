"""Moves, positions and events as text, and back.

| file | what it holds |
| --- | --- |
| `move_text.py` | moves, one word each |
| `position_text.py` | positions, one line each |
| `record_events.py` | the events of a game as a record has them |
| `event_moves.py` | from those events back to moves and rolls |
| `record_endings.py` | how a game was stopped, and who forfeited |
| `record_notes.py` | lines of a file of records that are no games |
"""
