"""The text protocol: its language, the engine's side, and a client that drives any engine."""

if __name__ != "masons.protocol":
    raise ImportError(f"import this package as masons.protocol, not as {__name__}")
