"""A policy by the net without a search: some 7 microseconds a turn.

| file | what |
| --- | --- |
| `policy_workspace.py` | what it works with, and where its slopes stand |
| `net_gradient.py` | the slopes of the net: how its value changes with each input |
| `land_slopes.py`, `end_slopes.py` | what points of land cards are worth, also at the end |
| `piece_slopes.py` | what walls, towers and houses are worth |
| `card_slopes.py` | what cards in hand, drawn and played are worth |
| `line_choice.py`, `piece_choice.py`, `card_choice.py` | the choices |
| `net_play.py` | a move, a turn, a game played on |
"""
