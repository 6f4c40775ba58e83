"""What things cost: everything here is run by `python -m benchmarks.NAME` in the checkout.

| file | what it answers |
| --- | --- |
| `compare.py` | how fast beside a C program and beside OpenSpiel |
| `against.py` | whether this tree is slower than another revision |
| `thread_speedup.py` | what a second thread brings |
| `stopping.py` | how soon a search stops |
| `answering.py` | how soon the protocol answers |
| `decisions.py` | how many decisions a clock must pay for |
| `startup.py` | what it costs to start, warm and cold |
| `environments.py` | how fast environments are stepped beside others |
| `plot.py` | the picture of cost against size, from saved figures |
| `report.py` | all of this again, into `README.md` |

| folder | what it holds |
| --- | --- |
| `costs/` | what parts of a search cost: an iteration, a simulation, a reading of the clock |
| `ruler/` | what an engine's choices are worth: decisions with the values of their moves |
| `harness/` | measuring, and what the commands share |
| `workloads/` | what is measured |
| `rivals/` | what we are compared with |
| `saved_suite/` | the suite for pytest-benchmark, and its saved figures |
| `baselines/` | the saved figures themselves |

`SIGNATURE` holds the bench signature (see `masons.cli.support.signature`).
"""
