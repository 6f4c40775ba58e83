"""A policy that plays with the value net but without search; a turn takes about 10 microseconds.

A *slope* is the derivative of the net's value with respect to one of its inputs. Slopes tell the
policy how much a piece, a card or a point is worth to a seat.

| file | content |
| --- | --- |
| `policy_workspace.py` | the workspace, and the indices of the slopes |
| `net_gradient.py` | the slopes with respect to the inputs of the net |
| `piece_slopes.py` | the value of walls, towers and houses |
| `card_slopes.py` | the value of a point, and of cards that are held, drawn or played |
| `line_choice.py` | the choice of the line for a wall |
| `piece_choice.py` | the choice of towers and houses |
| `card_choice.py` | the choice of cards to score and to swap |
| `net_play.py` | a move, a turn, and a game played to its end |
"""
