"""The commands of the program, which `COMMANDS` in `main.py` lists."""
