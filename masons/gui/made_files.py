"""Files of the page that take a while to make, kept in the user's cache folder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256

from platformdirs import user_cache_path

from masons.engine.files import write_atomic


def made(name: str, source: bytes, make: Callable[[], bytes]) -> bytes:
    """Return what `make` makes of a source, from the cache folder if it was made before.

    Only the last file of each name is kept. Without a folder that can be written, nothing is kept.
    """
    folder = user_cache_path("masons-engine") / "page"
    path = folder / f"{name}-{sha256(source).hexdigest()[:16]}"
    with suppress(OSError):
        return path.read_bytes()
    content = make()
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content)
        for other in folder.glob(f"{name}-*"):
            if other != path:
                other.unlink(missing_ok=True)
    return content
