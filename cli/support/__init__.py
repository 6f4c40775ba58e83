"""Parts of the command line that several commands use.

| file | what it holds |
| --- | --- |
| `process.py` | exit codes, signals, standard streams |
| `console.py` | consoles and progress bars |
| `precompile.py` | compiling kernels before they are used |
| `review_file.py` | files of unfinished reviews |
| `signature.py` | the bench signature and the runs that `bench` times |
"""
