"""Pictures of positions and games: SVG with the engine's opinion, PNG, and stepped HTML pages."""

if __name__ != "masons.pictures":
    raise ImportError(f"import this package as masons.pictures, not as {__name__}")
