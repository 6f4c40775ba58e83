"""Benchmarks and training: run by `python -m benchmarks.NAME` in the checkout, not in the wheel.

| file | answers |
| --- | --- |
| `compare.py` | how fast beside a C program and beside OpenSpiel |
| `against.py` | is this tree slower than another revision |
| `thread_speedup.py` | the gain of a second thread |
| `stopping.py` | how soon a search stops |
| `answering.py` | how soon the protocol answers |
| `decisions.py` | how many decisions a clock must pay for |
| `startup.py` | the cost of starting, warm and cold |
| `environments.py` | how fast environments are stepped beside others |
| `costs.py`, `clock_cost.py` | the cost of an iteration, a simulation, a reading of the clock |
| `test_suite.py`, `suite.py`, `plot.py` | all work under pytest-benchmark, its tables and picture |
| `report.py` | all of this again, into `README.md` |
| `measuring.py`, `works.py`, `play_works.py`, `positions.py` | how and what is measured |
| `ruler/` | the value of an engine's choices, and of what an analysis says |
| `training/` | the fits of `ai/models/data/learned.json` (the extra `train`) |

`SIGNATURE` holds the bench signature (see `masons.cli.commands.bench`).
"""
