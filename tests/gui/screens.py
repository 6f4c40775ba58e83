"""Pictures of the page's main screens: `python -m tests.gui.screens FOLDER`.

Needs Playwright and a Chromium. Each screen is taken in each of four sizes, light and dark.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

from tests.support.browser import gui, launch
from tests.support.scenes import SCENES, save_games

SIZES: Final = {
    "1280x720": (1280, 720), "1366x650": (1366, 650), "390x844": (390, 844), "844x390": (844, 390),
}  # fmt: skip
_PHONE: Final = 500  # pixels of the shorter side of a phone


def look(size: str, **more: object) -> dict[str, object]:
    """Return the options of a browser's context with a window of one of SIZES."""
    width, height = SIZES.get(size) or map(int, size.split("x"))
    touch = min(width, height) < _PHONE
    return {
        "viewport": {"width": width, "height": height}, "has_touch": touch, "is_mobile": touch,
        "reduced_motion": "reduce", **more,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--screens", default=",".join(SCENES), help="default: %(default)s")
    parser.add_argument("--sizes", default=",".join(SIZES), help="default: %(default)s")
    parser.add_argument("--themes", default="light,dark", help="default: %(default)s")
    parser.add_argument("--languages", default="en", help="en, de or es; default: %(default)s")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    data = Path(tempfile.mkdtemp())
    save_games(data)
    with sync_playwright() as driver, gui(data) as running:
        browser = launch(driver)
        for size in options.sizes.split(","):
            for theme in options.themes.split(","):
                for language in options.languages.split(","):
                    context = browser.new_context(**look(size, color_scheme=theme, locale=language))
                    for screen in options.screens.split(","):
                        page = context.new_page()  # a tab comes back to what it showed
                        SCENES[screen](page, running.address)
                        name = f"{screen}-{size}-{theme}-{language}.png"
                        page.screenshot(path=options.folder / name)
                        page.close()
                    context.close()
        browser.close()


if __name__ == "__main__":
    main()
