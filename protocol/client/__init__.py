"""Any engine in a process of its own, driven through the protocol.

| file | what it holds |
| --- | --- |
| `engine_client.py` | `Engine`: commands out, answers in, with time-outs |
| `client_arguments.py` | a caller's arguments as the words of commands; time-outs; board files |
| `engine_connection.py` | lines out and in, and the wait for an answer |
| `engine_process.py` | the process: lines to it and from it, and its certain end |
| `reaper.py` | a helper process that ends engines whose runner was killed |
"""

from masons.ai.search.limits import Limits
from masons.protocol.client.client_arguments import Timeouts
from masons.protocol.client.engine_client import Engine

__all__ = ["Engine", "Limits", "Timeouts"]
