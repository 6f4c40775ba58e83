"""A policy that plays by the net without a search, at about 10 microseconds per turn.

| file | content |
| --- | --- |
| `policy_workspace.py` | the workspace, and the indices of the slopes |
| `net_gradient.py` | the slopes: the derivatives of the net's value with respect to its inputs |
| `piece_slopes.py` | the value of walls, towers and houses |
| `card_slopes.py` | the value of points, and of cards in hand, drawn and played |
| `line_choice.py`, `piece_choice.py`, `card_choice.py` | the choices |
| `net_play.py` | a move, a turn, and a game played to its end |
"""
