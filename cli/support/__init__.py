"""What commands need beside their subject.

| file | what it holds |
| --- | --- |
| `console.py` | output, messages, progress bars |
| `streams.py` | standard input, output and error, closed or broken |
| `output_files.py` | files that are written: none that is read, no two of one name |
| `exit_codes.py` | the exit codes of the program |
| `review_file.py` | unfinished reviews |
| `interrupt.py` | Ctrl-C during kernels |
| `random_runs.py` | searches, random games and playouts of a fixed seed |
| `signature.py` | the bench signature |
| `precompile.py` | kernels compiled before they are needed |
| `version_text.py` | what `--version` says |
"""
