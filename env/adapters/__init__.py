"""Environments for other tools; each file needs its tool, an extra of the package.

| file | contents |
| --- | --- |
| `gymnasium_env.py` | Gymnasium: one seat against a named player, one game or many |
| `pettingzoo_env.py` | PettingZoo: every seat an agent |
| `openspiel_game.py` | OpenSpiel: the game `python_masons` |
| `spaces.py` | spaces and checks that Gymnasium and PettingZoo share |
"""
