"""The kernels that step environments.

| file | contents |
| --- | --- |
| `env_layout.py` | where a row and an observation hold what |
| `actions.py` | the numbers of the actions, which are legal, what they do |
| `hand_odds.py` | expected cards in hidden hands |
| `observing.py` | what a seat sees, as bytes |
| `batch_kernels.py` | the entry points: many environments in one call |
| `shared_work.py` | threads that share a batch |
"""
