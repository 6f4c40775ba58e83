"""The program `masons-engine`, which `python -m masons.cli` also runs."""

import sys


def run() -> int:
    """Run the program and return its exit code, even if Ctrl-C is pressed during the import."""
    try:
        from masons.cli.main import run as program

        return program()
    except KeyboardInterrupt:  # during the import, where `program` cannot catch it
        print("interrupted", file=sys.stderr)
        return 130
    finally:
        # If Ctrl-C comes while `exec` or `eval` runs a text, as dataclasses and named tuples do
        # when a module is imported, Python notes it, and `python -m` ends by SIGINT even if the
        # exception was caught. The next `exec` of a text clears the note.
        exec("")


if __name__ == "__main__":
    sys.exit(run())
