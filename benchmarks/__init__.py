"""Benchmarks and training. Run `python -m benchmarks.NAME` in a checkout (not in the wheel).

| file | content |
| --- | --- |
| `compare.py` | the speed compared with a C program and with OpenSpiel |
| `against.py` | the speed of this tree compared with another revision |
| `thread_speedup.py` | the gain of a second thread |
| `stopping.py` | the delay until a stopped search ends |
| `answering.py` | the delay of the protocol's answers |
| `decisions.py` | the number of decisions for which a clock must last |
| `startup.py` | the cost of starting, warm and cold |
| `environments.py` | the step rate of environments compared with other projects |
| `costs.py`, `clock_cost.py` | the cost of an iteration, of a simulation, of reading the clock |
| `test_suite.py`, `suite.py`, `plot.py` | the pytest-benchmark suite, and its tables and picture |
| `report.py` | repeats all measurements and writes them into `README.md` |
| `measuring.py`, `works.py`, `play_works.py`, `positions.py` | the clock and the measured works |
| `ruler/` | the value of an engine's choices, and the quality of an analysis |
| `training/` | the program that makes `ai/models/data/learned.json` (needs the extra `train`) |

`SIGNATURE` holds the bench signature (see `masons.cli.commands.bench`).
"""
