"""A test that checks step by step whether an engine complies with the protocol.

| file | what it holds |
| --- | --- |
| `trial.py` | the tested engine, the steps, and the function that runs them |
| `sample_games.py` | sample games and positions |
| `steps_games.py` | steps about games, positions, events and queries |
| `steps_search.py` | steps about lines, options and searches, and the list of all steps |
"""
