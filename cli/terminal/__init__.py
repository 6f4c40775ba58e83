"""A game at a terminal.

| folder | what it holds |
| --- | --- |
| `drawing/` | the board and its panels as text |
| `dialogue/` | a person's side of a game |
"""
