"""How the models are fitted: one module for each fit.

| file | what it holds |
| --- | --- |
| `train.py` | the command: all stages in order, into `ai/models/data/learned.json` |
| `training_folder.py` | what is done, games in shards and checkpoints, to go on after any end |
| `train_heuristic.py` | the heuristics, by an evolution strategy |
| `train_value_net.py` | the net, fitted to how games ended |
| `train_policy.py` | the net of the policy, tuned by playing |
| `net_changes.py` | the ways in which that net is changed |
| `train_hand_model.py` | the model of hidden hands, fitted to hands that were held |
| `train_calibration.py` | the calibration of what a search finds |
| `gradient_descent.py` | down a loss by PyTorch, epoch by epoch with checkpoints |
| `training_games.py` | games to fit the net to |
| `training_hands.py` | hands to fit the model of hidden hands to |

PyTorch comes with the extra `train`, and is loaded by the fits alone.
"""

from __future__ import annotations
