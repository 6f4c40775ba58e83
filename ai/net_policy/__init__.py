"""A policy that plays by the net without a search, in some 7 microseconds a turn.

| file | content |
| --- | --- |
| `policy_workspace.py` | the workspace, and the places of the slopes |
| `net_gradient.py` | the slopes of the net: the derivatives of its value by its inputs |
| `piece_slopes.py` | the value of walls, towers and houses |
| `card_slopes.py` | the value of cards in hand, drawn and played, and of points |
| `line_choice.py`, `piece_choice.py`, `card_choice.py` | the choices |
| `net_play.py` | a move, a turn, a game played to its end |
"""
