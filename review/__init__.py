"""Reviews of finished games: what each decision cost, what luck gave, and why."""

if __name__ != "masons.review":
    # One file under two names would be two different packages to those who import it.
    raise ImportError(f"import this package as masons.review, not as {__name__}")
