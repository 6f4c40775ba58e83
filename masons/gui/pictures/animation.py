"""Animated pictures of a game, as GIF. The extra `png` installs what they need."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from masons.engine.errors import MasonsError
from masons.engine.extras import install_command

if TYPE_CHECKING:
    from masons.engine.state.position import Position

_COLORS: Final = 255
_LAST_MS: Final = 3000  # for which the last picture is shown


def animated_gif(pictures: Iterable[bytes], ms: int) -> bytes:
    """Return PNG pictures of one size as an animated GIF, with `ms` milliseconds for each.

    All pictures have the colors of the last one, on which most pieces stand. Raises MasonsError if
    the extra is missing.
    """
    try:
        from PIL import Image
    except ImportError:
        raise MasonsError(f"GIF needs the extra png: {install_command('png')}") from None
    images = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    palette = images[-1].quantize(_COLORS, dither=Image.Dither.NONE)
    first, *others = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
    out = io.BytesIO()
    first.save(
        out, "GIF", save_all=True, append_images=others, loop=0, optimize=False,
        duration=[ms] * len(others) + [_LAST_MS],
    )  # fmt: skip
    return out.getvalue()


def pictured(positions: Sequence[Position], at: int, turns: int) -> list[Position]:
    """Return the positions of a line that an animated picture shows.

    These are all positions of the last `turns` up to position `at`, or the beginning of each turn
    of the whole line and its end if `turns` is 0.
    """
    if turns:
        first = positions[at].turn - turns
        return [position for position in positions[: at + 1] if position.turn >= first]
    begins = {position.turn: position for position in reversed(positions)}
    return [*sorted(begins.values(), key=lambda position: position.turn), positions[-1]]
