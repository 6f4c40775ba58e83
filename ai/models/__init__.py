"""Models that were fitted to games.

| file | what it holds |
| --- | --- |
| `exponential.py` | the exponential function |
| `features.py` | the features of a position |
| `net_shapes.py` | how many weights the nets have, and where |
| `hand_sums.py` | what the cards in hand add to a net's hidden units, kept |
| `value_net.py` | the net that evaluates them |
| `hand_model.py` | who holds which card, by what was chosen |
| `calibration.py` | from sums of a search to calibrated win probabilities |
| `model_data.py` | the weights of all of them |
| `data/` | the weights as they are shipped |
"""
