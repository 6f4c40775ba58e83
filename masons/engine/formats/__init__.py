"""Conversions of moves, positions and record events to text and data, and back; drawings as text.

| file | content |
| --- | --- |
| `move_text.py` | moves |
| `position_text.py` | positions, as one line of text |
| `record_events.py` | the events of a game record |
| `text_board.py` | drawings of the board as text |
| `record_endings.py` | why a recorded game was stopped, and which seat forfeited |
"""
