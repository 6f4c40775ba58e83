"""Any engine in a process of its own, driven through the protocol.

| file | what it holds |
| --- | --- |
| `engine_client.py` | `Engine`: commands out, answers in, with time-outs |
| `client_arguments.py` | command lines, time-outs, limits as words, board files |
| `engine_process.py` | the process: lines out and in, the wait for an answer, its certain end |
| `reaper.py` | a helper process that ends engines whose runner was killed |
"""

from masons.ai.search.limits import Limits
from masons.protocol.client.client_arguments import Timeouts
from masons.protocol.client.engine_client import Engine

__all__ = ["Engine", "Limits", "Timeouts"]
