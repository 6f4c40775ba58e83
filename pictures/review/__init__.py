"""The page of a review.

| file | what it holds |
| --- | --- |
| `review_page.py` | the page |
| `win_graph.py` | win probability over the game |
| `mistake_pictures.py` | pictures of decisions that went wrong |
| `review_style.py` | how the page looks |
"""
