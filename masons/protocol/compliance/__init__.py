"""A test that checks step by step whether an engine complies with the protocol.

| file | what it holds |
| --- | --- |
| `sessions.txt` | the steps as data: what is sent, and what must come |
| `sessions.py` | reads the steps and runs them |
| `checks.py` | the parts of steps that depend on the engine's answers, such as whole games |
| `sample_games.py` | sample games and positions |
| `trial.py` | the processes of the tested engine |
"""
