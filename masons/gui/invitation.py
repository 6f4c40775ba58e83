"""The invitation to a seat: its link, and the link as a QR code for the camera of a phone."""

from __future__ import annotations

from typing import Any, Final

_MARGIN: Final = 4  # modules of white around a QR code, as readers need


def invite_message(origin: str, token: str, seat: int) -> dict[str, Any]:
    """Return the `invite` message for a seat, whose pages begin with `origin`."""
    import segno

    link = f"{origin}/{token}/"
    code = segno.make_qr(link, error="m")
    picture = code.svg_data_uri(border=_MARGIN, light="#fff", omitsize=True)
    return {"type": "invite", "seat": seat, "path": f"/{token}/", "link": link, "qr": picture}
