"""Games of named players as data for learning: shards of arrays in a folder, with a card.

| file | what it holds |
| --- | --- |
| `shard_games.py` | games played and noted step by step |
| `shard_forms.py` | the forms of shards, how many games at most |
| `shard_files.py` | shards as npz or Parquet, and back |
| `dataset_folder.py` | a folder of shards: its card, what is missing, reading |
"""
