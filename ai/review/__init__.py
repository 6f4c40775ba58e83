"""Reviews of finished games, decision by decision, with chance separated from play.

| file | content |
| --- | --- |
| `timeline.py` | a recorded game step by step |
| `decision_loss.py` | the loss of the move played against the best move |
| `open_values.py` | kernels: values of positions with open hands, and of each roll and draw |
| `luck.py` | the effect of deal, dice and cards on each seat |
| `performance.py` | sums over a player's decisions, ranks and ratings |
| `trends.py` | the trends of players over several reviewed games |
| `review_work.py` | the work of a review, piece by piece |
| `review_data.py` | a finished review as data, also as CSV |
"""
