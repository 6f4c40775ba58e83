"""Any engine in a process of its own, driven through the protocol.

| file | what it holds |
| --- | --- |
| `engine_client.py` | `Engine`: commands out, answers in, with time-outs |
| `engine_connection.py` | lines out and in; an engine that breaks the protocol is ended |
| `pending_search.py` | a search that was asked for, and what has come of it |
| `client_arguments.py` | what a caller gives, as the words of commands |
| `client_limits.py` | how long a search may take and an engine is waited for |
| `waiting.py` | the wait for one answer |
| `board_files.py` | boards that are not built in, as files for engines |
| `engine_process.py` | the process: lines to it and from it, and its certain end |
| `reaper.py` | engines end with their runner |
"""

from masons.ai.search.limits import Limits
from masons.protocol.client.client_limits import Timeouts
from masons.protocol.client.engine_client import Engine

__all__ = ["Engine", "Limits", "Timeouts"]
