"""The command `masons-engine` (`python -m masons.cli`), also where Ctrl-C comes as it loads."""

import sys


def run() -> int:
    """The whole program; its exit code."""
    try:
        from masons.cli.main import run as program

        return program()
    except KeyboardInterrupt:  # outside of what `program` guards
        from masons.cli.support.exit_codes import INTERRUPTED

        print("interrupted", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(run())
