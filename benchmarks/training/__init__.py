"""The fits of the models to games of the engine against itself.

| file | content |
| --- | --- |
| `train.py` | the command that runs all stages and writes `ai/models/data/learned.json` |
| `run_folder.py` | finished stages, shards of games and checkpoints of a run |
| `self_play_data.py` | the games and hands to which models are fitted |
| `evolution.py` | the heuristics, and the net of the policy, tuned by playing |
| `torch_fits.py` | the value net and the hand model, fitted by PyTorch (the extra `train`) |
| `calibration.py` | the calibration of a search's results |
"""
