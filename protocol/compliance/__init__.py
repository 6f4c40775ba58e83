"""The compliance test: an engine tried against the protocol, step by step.

| file | what it holds |
| --- | --- |
| `trial.py` | the engine on trial, a step, and the run of all steps |
| `sample_games.py` | games and positions to try engines with |
| `steps_games.py` | steps about games, positions, events and queries |
| `steps_search.py` | steps about lines, options, searches; the list of all steps |
"""
