"""Adapters: Masons as an environment of other tools, each of which is an extra of the package.

| file | contents |
| --- | --- |
| `gymnasium_env.py` | Gymnasium: one seat against a named player, in one game or many |
| `pettingzoo_env.py` | PettingZoo: every seat is an agent |
| `openspiel_game.py` | OpenSpiel: the game `python_masons` |
| `spaces.py` | spaces of actions and observations, shared by Gymnasium and PettingZoo |
"""
