"""The commands; `COMMANDS` in `main.py` names the file of each."""
