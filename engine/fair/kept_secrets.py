"""Where the secret of a fair game that goes on is kept.

Not in the game's file, which people open, copy and send: in a file of its own, named by the
commitment, that only the user's account can read (in the folder `secrets` of the user's data
folder). It is removed once the record that reveals it is on the disk.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from platformdirs import user_data_path

from masons.engine.errors import MasonsError
from masons.engine.fair.fair_luck import Fair
from masons.engine.fair.fair_scheme import commitment_of
from masons.engine.fair.fair_terms import FairTerms

_OWN_FILE: Final = 0o600
_OWN_FOLDER: Final = 0o700


def _path_of(commitment: str) -> Path:
    return user_data_path("masons-engine", appauthor=False) / "secrets" / f"{commitment}.secret"


def keep_secret(fair: Fair) -> None:
    """Keep a game's secret, on the disk before this returns. Raises OSError."""
    path = _path_of(fair.terms.commitment)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.parent.chmod(_OWN_FOLDER)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWN_FILE)
    with os.fdopen(handle, "wb") as file:
        file.write(f"{fair.secret.hex()}\n".encode("ascii"))
        file.flush()
        os.fsync(file.fileno())


def kept_fair(terms: FairTerms, first: int) -> Fair:
    """The chance of a game that seat `first` begins, with the secret that was kept.

    Raises MasonsError where the secret is not there, or another seat was drawn to begin.
    """
    path = _path_of(terms.commitment)
    try:
        secret = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        raise MasonsError(
            f"the secret of this fair game is not in {path.parent}: the game goes on only where it "
            "was begun, by the same user, and only until its record reveals the secret"
        ) from None
    except OSError as error:
        raise MasonsError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        secret = b""
    if commitment_of(secret) != terms.commitment:
        raise MasonsError(f"{path} does not hold the secret that this fair game committed to")
    fair = Fair(secret, terms.nonces, terms.draws_first)
    if fair.first not in (None, first):
        raise MasonsError(f"seat {first} begins this fair game, but seat {fair.first} was drawn")
    return fair


def forget_secret(commitment: str) -> None:
    """Remove a secret that is revealed. What cannot be removed stays: it is no secret any more."""
    with suppress(OSError):
        _path_of(commitment).unlink(missing_ok=True)
