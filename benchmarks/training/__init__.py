"""The fits of the models: games of the engine against itself, and the numbers fitted to them.

| file | content |
| --- | --- |
| `train.py` | the command: all stages in order, into `ai/models/data/learned.json` |
| `run_folder.py` | finished stages, shards of games and checkpoints, to continue after any end |
| `self_play_data.py` | games and hands to fit to |
| `evolution.py` | the heuristics, and the net of the policy, tuned by playing |
| `torch_fits.py` | the value net and the hand model, by PyTorch (the extra `train`) |
| `calibration.py` | the calibration of a search's results |
"""
