"""The value of a finished game, and of a move at once.

| file | what it holds |
| --- | --- |
| `rewards.py` | the reward of a finished playout, and the value by which moves are ranked |
| `immediate_reward.py` | what a move brings at once |
"""
