"""A client that runs any engine in a separate process and speaks the protocol with it.

| file | what it holds |
| --- | --- |
| `engine_client.py` | `Engine`: commands out, answers in, with time-outs |
| `client_arguments.py` | command lines, time-outs, limits as words of `go`, board files |
| `engine_process.py` | the process: lines to and from it, the wait for an answer, its end |
| `reaper.py` | a helper process that kills engines whose runner was killed |
"""

from masons.ai.search.limits import Limits
from masons.protocol.client.client_arguments import Timeouts
from masons.protocol.client.engine_client import Engine

__all__ = ["Engine", "Limits", "Timeouts"]
