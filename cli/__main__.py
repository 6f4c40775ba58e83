"""`python -m masons.cli` is the command `masons-engine`."""

import sys

from masons.cli.main import run

if __name__ == "__main__":
    sys.exit(run())
