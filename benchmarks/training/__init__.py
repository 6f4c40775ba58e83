"""The training of the models, in games that the engine plays against itself.

| file | content |
| --- | --- |
| `train.py` | the command that runs all stages and writes `ai/models/data/learned.json` |
| `run_folder.py` | the folder of a run: finished stages, shards of games, and checkpoints |
| `self_play_data.py` | the games and hands to which models are fitted |
| `evolution.py` | tunes the heuristics and the net of the policy by playing games |
| `torch_fits.py` | fits the value net and the hand model with PyTorch (the extra `train`) |
| `bias_fit.py` | fits the biases of the policy to games of searches |
| `calibration.py` | fits the calibration of a search's results |
"""
