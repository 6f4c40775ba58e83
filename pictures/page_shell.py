"""What all pages written into a file have in common: the head, and what they may do.

A page asks the network for nothing, and a browser runs no script and takes no style but its own,
whose hashes it names. So no element can have a style of its own either.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape


def whole_page(title: str, style: str, body: str, script: str) -> str:
    """A page that needs nothing but itself; only the title is escaped here."""
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
"""


def _hash(text: str) -> str:
    """What a content security policy calls an inline text by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
