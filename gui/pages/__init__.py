"""What pages say and are told.

| file | what it holds |
| --- | --- |
| `client_messages.py` | what a page may say |
| `error_messages.py` | what it is told of something that went wrong |
| `board_elements.py` | the board as SVG with an element for everything |
| `decision_choices.py` | what stands beside the board, and what can be chosen |
| `background.py` | long work beside the event loop |
"""
