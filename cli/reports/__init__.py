"""The output of commands: tables and words for people, JSON for programs."""
