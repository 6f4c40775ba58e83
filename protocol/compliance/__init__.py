"""The compliance test of any engine against the protocol, step by step.

| file | what it holds |
| --- | --- |
| `trial.py` | the tested engine, a step, and the run of all steps |
| `sample_games.py` | sample games and positions |
| `steps_games.py` | steps about games, positions, events and queries |
| `steps_search.py` | steps about lines, options, searches; the list of all steps |
"""
