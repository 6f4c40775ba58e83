"""Kernels that step environments.

| file | contents |
| --- | --- |
| `env_layout.py` | the layout of an environment's row and of an observation |
| `actions.py` | the numbers, the legality and the effects of actions |
| `observing.py` | observations of a seat as bytes |
| `batch_kernels.py` | entry points that handle many environments in one call |
| `shared_work.py` | threads that share the work on a batch of environments |
"""
