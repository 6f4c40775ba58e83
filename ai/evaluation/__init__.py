"""What a finished game, a move and a whole position are worth.

| file | what it holds |
| --- | --- |
| `rewards.py` | the reward of a finished playout |
| `immediate_reward.py` | what a move brings at once |
| `position_value.py` | how games end that are played on from a position |
"""
