"""The named players, each of which decides for a seat from that seat's view alone.

| file | content |
| --- | --- |
| `player_names.py` | all names, and the players that search |
| `player.py` | the interface of all players |
| `simple_players.py` | players without search: `random`, `busy`, `greedy`, `heuristic`, `policy` |
| `named_players.py` | a player made from its name; players with search: `default`, `ismcts` |
"""
