"""The named players: what decides for a seat, from that seat's view alone.

| file | what it holds |
| --- | --- |
| `player_names.py` | all names, and which of them search |
| `player.py` | the protocol of a player |
| `simple_players.py` | `random`, `busy`, `greedy`, `heuristic`, `policy`: no search |
| `named_players.py` | the player that a text names; `default`, `ismcts`: a search |
"""
