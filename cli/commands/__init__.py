"""The commands, one file each, named like the command.

| file or folder | what it holds |
| --- | --- |
| `registry.py` | which commands there are: a new one is added here |
| `analysis/` | `analyze belief practice replay review show` |
| `games/` | `ladder match play selfplay` |
| `tools/` | `bench board compliance perft protocol warmup` |
"""
