"""Run the engine COMMAND, and append its input to FILE: `logged_engine.py FILE COMMAND...`."""

import subprocess
import sys
from pathlib import Path

with (
    Path(sys.argv[1]).open("a", encoding="utf-8") as log,
    subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, text=True) as engine,
):
    assert engine.stdin is not None
    for line in sys.stdin:
        log.write(line)
        log.flush()
        try:
            engine.stdin.write(line)
            engine.stdin.flush()
        except BrokenPipeError:
            break
    engine.stdin.close()
