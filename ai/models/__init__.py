"""What was learned from games.

| file | what it holds |
| --- | --- |
| `exponential.py` | the exponential function |
| `features.py` | the features of a position |
| `value_net.py` | the net that evaluates them |
| `hand_model.py` | who holds which card, by what was chosen |
| `calibration.py` | from sums of a search to calibrated win probabilities |
| `model_data.py` | the weights of all of them |
| `data/` | the weights as they are shipped |
"""
