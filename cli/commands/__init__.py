"""The commands, one file each, named like the command.

| file or folder | what it holds |
| --- | --- |
| `analysis/` | `analyze belief practice replay review show verify` |
| `games/` | `dataset gui match play selfplay` |
| `tools/` | `bench board compliance perft protocol warmup` |
"""
