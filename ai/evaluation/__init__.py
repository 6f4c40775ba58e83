"""The value of a finished game, of a move at once, and of a whole position.

| file | what it holds |
| --- | --- |
| `rewards.py` | the reward of a finished playout |
| `immediate_reward.py` | what a move brings at once |
| `position_value.py` | how games end that are played on from a position |
"""
