"""Models that were fitted to games.

| file | content |
| --- | --- |
| `features.py` | the features of a position |
| `value_net.py` | the net that evaluates a position from its features |
| `packed_net.py` | the form of its weights that kernels read |
| `choice_biases.py` | what the policy adds to the values of kinds of choices |
| `hand_model.py` | the net that predicts which seat holds which card, from the seats' choices |
| `calibration.py` | the correction that removes the bias from the default search's figures |
| `model_data.py` | the weights of all models |
| `data/` | the shipped weights |
"""
