"""The advice of how to install an extra names what is there: an index, a checkout, a file."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from masons.engine import extras
from tests.support.paths import ROOT


class Installed:
    def __init__(self, about: Any) -> None:
        self.about = about

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self.about is None else json.dumps(self.about)


@pytest.mark.parametrize(
    ("about", "words"),
    [
        (None, "'masons-engine[png]'"),
        ({"url": "file:///a/b", "dir_info": {}}, "'masons-engine[png] @ file:///a/b'"),
        (
            {"url": "https://x/y", "vcs_info": {"vcs": "git"}},
            "'masons-engine[png] @ git+https://x/y'",
        ),
        ([], "'masons-engine[png]'"),
    ],
)
def test_an_installation_names_its_origin(
    about: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "_ROOT", Path("/nowhere"))
    monkeypatch.setattr(metadata, "distribution", lambda _: Installed(about))
    assert extras.install_command("png") == f"pip install {words}"


def test_a_checkout_names_its_folder() -> None:
    command = extras.install_command("png")
    assert command in (f"pip install -e {ROOT}[png]", f"pip install -e '{ROOT}[png]'")
