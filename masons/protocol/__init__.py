"""The text protocol MEI, with a server (our engine's side), a client and a compliance test.

| folder | what it holds |
| --- | --- |
| `messages/` | the lines, events, replies and error codes of the protocol |
| `client/` | a client that runs any engine in a separate process |
| `server/` | our engine's side of the protocol |
| `compliance/` | a test of any engine against the specification |
"""

if __name__ != "masons.protocol":
    raise ImportError(f"import this package as masons.protocol, not as {__name__}")
