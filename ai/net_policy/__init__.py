"""A policy by the net without a search: some 7 microseconds a turn.

| file | what |
| --- | --- |
| `policy_workspace.py` | what it works with, and where its slopes stand |
| `net_gradient.py` | the slopes of the net: how its value changes with each input |
| `piece_slopes.py` | what walls, towers and houses are worth |
| `card_slopes.py` | the value of cards in hand, drawn and played, and of their points |
| `line_choice.py`, `piece_choice.py`, `card_choice.py` | the choices |
| `net_play.py` | a move, a turn, a game played on |
"""
