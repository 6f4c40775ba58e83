"""The compliance test: an engine tried against the protocol, step by step.

| file | what it holds |
| --- | --- |
| `compliance_run.py` | all steps and their outcome |
| `compliance_step.py` | one step and the engine that it is tried on |
| `tested_engine.py` | the engine on trial, its answers held against the protocol |
| `sample_games.py` | games and positions to try engines with |
| `steps_lines.py`, `steps_games.py`, `steps_search.py` | the steps |
"""
