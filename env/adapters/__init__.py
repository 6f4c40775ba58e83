"""The environments as other tools know them; each file wants its tool, an extra of the package.

| file | what it holds |
| --- | --- |
| `adapter_arguments.py` | what callers give, looked at |
| `legal_space.py` | Gymnasium's space of actions, which samples legal ones |
| `pettingzoo_env.py` | PettingZoo: every seat an agent |
| `gymnasium_env.py` | Gymnasium: one seat against a named player, one game or many |
| `single_game.py` | a game whose chance comes from outside, and what each seat has seen |
| `openspiel_game.py` | OpenSpiel: the game `python_masons` |
"""
