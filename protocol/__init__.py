"""MEI, the text protocol: its messages, the engine's side, a client, and a compliance test.

| folder | what it holds |
| --- | --- |
| `messages/` | lines, events, replies, error codes |
| `client/` | a client that runs any engine in a separate process |
| `server/` | our engine's side |
| `compliance/` | tests of any engine against the specification |
"""

if __name__ != "masons.protocol":
    raise ImportError(f"import this package as masons.protocol, not as {__name__}")
