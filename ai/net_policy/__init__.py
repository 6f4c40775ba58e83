"""A policy that plays with the value net but no search; a turn takes about 10 microseconds.

A *slope* is the derivative of the net's value with respect to one of its inputs. Slopes tell the
policy how much a piece, a card or a point is worth to a seat.

| file | content |
| --- | --- |
| `policy_workspace.py` | the workspace, and the indices of the slopes |
| `net_gradient.py` | the slopes with respect to the inputs of the net |
| `piece_slopes.py` | the value of walls, towers and houses |
| `card_slopes.py` | the value of points, and of cards in hand, drawn and played |
| `line_choice.py`, `piece_choice.py`, `card_choice.py` | the choices |
| `net_play.py` | a move, a turn, and a game played to its end |
"""
