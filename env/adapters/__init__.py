"""Environments for other tools. Each tool is installed as an extra of the package.

| file | contents |
| --- | --- |
| `gymnasium_env.py` | Gymnasium: one seat against a named player, in one game or many |
| `pettingzoo_env.py` | PettingZoo: every seat is an agent |
| `openspiel_game.py` | OpenSpiel: the game `python_masons` |
| `spaces.py` | spaces and checks shared by Gymnasium and PettingZoo |
"""
