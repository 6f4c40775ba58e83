"""The named players, which decide for a seat from that seat's view alone.

| file | content |
| --- | --- |
| `player_names.py` | all names, and the players that search |
| `player.py` | the protocol of a player |
| `simple_players.py` | `random`, `busy`, `greedy`, `heuristic`, `policy`: no search |
| `named_players.py` | the player that a text names; `default`, `ismcts`: a search |
"""
