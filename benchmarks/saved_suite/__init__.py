"""The suite for pytest-benchmark: `pytest benchmarks --benchmark-enable`.

| file | what it holds |
| --- | --- |
| `test_suite.py` | every piece of work as a benchmark |
| `conftest.py` | what is saved of the machine |
| `saved_figures.py` | reading what was saved |
| `suite_tables.py` | tables of what was saved |
"""
