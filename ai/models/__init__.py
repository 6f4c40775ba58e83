"""Models that were fitted to games.

| file | content |
| --- | --- |
| `exponential.py` | the exponential function, with the same bits on every machine |
| `features.py` | the features of a position |
| `net_shapes.py` | the sizes of the nets' parts, and the indices at which the parts begin |
| `hand_sums.py` | a cache of the sums that the cards in hand add to a net's hidden units |
| `value_net.py` | the net that evaluates a position from its features |
| `hand_model.py` | the net that predicts which seat holds which card, from the seats' choices |
| `calibration.py` | the correction that removes the bias from the default search's figures |
| `model_data.py` | the weights of all models |
| `data/` | the shipped weights |
"""
