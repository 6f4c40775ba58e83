"""What parts of a search cost.

| file | what it answers |
| --- | --- |
| `iterations.py` | what the tree search adds to the playout in it |
| `simulation_cost.py` | where a simulation's time goes, and the least that its net could take |
| `clock_cost.py` | what a reading of the clock costs a kernel |
"""
