"""Reviews of finished games, decision by decision, with chance separated from play.

| file | content |
| --- | --- |
| `timeline.py` | a recorded game step by step |
| `decision_loss.py` | the loss of a decision: what the move played gives away |
| `worth.py` | why the points and the win probability of a loss may not seem to fit |
| `loss_rollout.py` | a rollout whose halves select and measure the best move |
| `open_values.py` | kernels that evaluate a position with open hands, and each roll or draw in it |
| `luck.py` | the effect of deal, dice and cards on each seat |
| `performance.py` | a player's total losses, rank and rating |
| `trends.py` | the ratings and the trends of players over several reviewed games |
| `review_work.py` | the work of a review, piece by piece |
| `review_data.py` | a finished review as JSON data or as CSV |
"""
