"""MEI, the text protocol: its messages, the engine's side, a client, and a compliance test.

| folder | what it holds |
| --- | --- |
| `messages/` | lines, events, replies, error codes |
| `client/` | any engine, driven in a process of its own |
| `server/` | our engine's side |
| `compliance/` | an engine tried step by step |
"""

if __name__ != "masons.protocol":
    raise ImportError(f"import this package as masons.protocol, not as {__name__}")
