"""The commands, one file each, named like the command.

| folder | commands |
| --- | --- |
| `analysis/` | `analyze belief replay review setup show` |
| `games/` | `ladder match play selfplay` |
| `tools/` | `bench board compliance perft protocol warmup` |
"""
