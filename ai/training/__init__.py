"""How the models are fitted: self-play, and one module for each fit.

| file | what it holds |
| --- | --- |
| `train.py` | the command: all steps in order, into `ai/models/data/learned.json` |
| `train_heuristic.py` | the heuristics, by an evolution strategy |
| `train_value_net.py` | the net, fitted to how games ended |
| `train_hand_model.py` | the model of hidden hands, fitted to hands that were held |
| `train_calibration.py` | the calibration of what a search finds |
| `training_games.py` | games to fit to, in several processes |
| `self_play.py` | whole games between searches, in one kernel |
| `seat_choices.py` | how a seat chooses in such a game |
| `self_play_search.py` | sequential halving as one kernel, one thread, by simulations |
| `adam.py` | Adam, for the fits by gradients |
"""
