"""What is measured: pieces of work by name, and the positions and boards that they need.

| file | what it holds |
| --- | --- |
| `measured_positions.py` | an example in mid-game, and positions from random games |
| `strip_boards.py` | boards of any size, in the manner of `classic` |
| `play_works.py` | games, playouts and tree searches |
| `kernel_works.py` | each kernel by itself |
| `env_works.py` | those of environments |
| `text_works.py` | states, moves, positions, records and boards, read and written |
| `start_works.py` | whole processes |
| `all_works.py` | all of it by name |
"""
