"""The kernels that step environments, and what they read and write.

| file | what it holds |
| --- | --- |
| `env_row.py` | one environment as a row of words |
| `action_numbers.py` | which number is which action |
| `legal_actions.py` | the legal actions of the step that is due |
| `sub_steps.py` | what an action does, and what follows it |
| `observation_words.py` | where an observation has what |
| `hand_odds.py` | what the engine predicts of hidden hands |
| `observing.py` | what the seat to move sees, as bytes |
| `batch_kernels.py` | the entry points: many environments at once |
| `shared_work.py` | threads that share them |
"""
