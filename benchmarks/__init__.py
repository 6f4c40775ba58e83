"""Benchmarks and training. Run `python -m benchmarks.NAME` in a checkout (not in the wheel).

| file | content |
| --- | --- |
| `compare.py` | the speed compared with a C program and with OpenSpiel |
| `against.py` | the speed of this tree compared with another revision |
| `answering.py` | the delay of the protocol's answers |
| `startup.py` | the cost of starting, warm and cold |
| `test_suite.py`, `suite.py`, `plot.py` | the pytest-benchmark suite, and its tables and picture |
| `report.py` | repeats all measurements and writes them into `README.md` |
| `measuring.py` | the clock, the rounds, the options and the tables of all benchmarks |
| `measuring_process.py` | the process that measures one of the trees that `against.py` compares |
| `works.py`, `play_works.py` | the pieces of work that are measured, by name |
| `positions.py` | positions and boards for the measurements |
| `ladder.py` | the ratings of all named players; the scores that the default player must reach |
| `openings.py` | the games of a survey of first walls |
| `ruler/` | the value of an engine's choices, and the quality of an analysis |
| `training/` | the program that makes `ai/models/data/learned.json` (needs the extra `train`) |

`SIGNATURE` holds the bench signature (see `masons.cli.commands.bench`).
"""
