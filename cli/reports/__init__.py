"""The output of commands, as tables and words for people and as JSON for programs."""
