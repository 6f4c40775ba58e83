"""How even the board is on a phone: `python -m tests.gui.frames`; needs Playwright and a Chromium.

A phone's page plays, steps through a game, analyzes and zooms, while Chromium's trace is taken.
Printed are the page's tasks that take more than a frame (16.7 ms) and what they did: script, style,
layout, paint. Times are those of the processor, times four, as browsers' own tools take a phone of
the middle range to be, so what else runs here counts little.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

from tests.support.browser import Gui, begin, gui, launch
from tests.support.paths import EXAMPLES

FRAME: Final = 1000 / 60
PHONE: Final = {
    "viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True,
    "has_touch": True,
}  # fmt: skip
CATEGORIES: Final = "devtools.timeline,toplevel,blink,v8"
# What the time of a task is spent on, by the names of the trace.
KINDS: Final = {
    "FunctionCall": "script",
    "UpdateLayoutTree": "style", "Document::updateStyle": "style", "Layout": "layout",
    "PrePaint": "paint", "Paint": "paint", "Layerize": "paint", "Commit": "commit",
    "ParseHTML": "parse", "HitTest": "hit test", "MinorGC": "garbage", "MajorGC": "garbage",
}  # fmt: skip

# Plays in the page itself, twice a second: to be asked from outside would cost the page time.
PLAYER: Final = """() => new Promise((done) => {
  const one = (query) => document.querySelector(query);
  const end = performance.now() + 20000;
  const act = () => {
    if (performance.now() > end) { done(); return; }
    const lines = document.querySelectorAll("#board.lines:not(.locked) .line.live");
    const card = one("#hand .guild:not(:disabled)");
    const target = !one("#task.mine") ? null
      : one("#popover:not([hidden]) button") || one("#choices button.main:not(:disabled)")
      || lines[(document.querySelectorAll("#news li").length * 37) % (lines.length || 1)]
      || card || one("#choices .option:not([aria-pressed=true]):not(:disabled)")
      || one("#board:not(.locked) :is(.tower, .space).live:not(.chosen)");
    if (target) target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    setTimeout(act, 500);
  };
  act();
})"""

# Clicks as the page would: what Playwright itself clicks costs the page time.
PRESS: Final = "document.querySelector('#tools button[aria-pressed].main').click()"


def play(page: Any) -> None:
    """Play a game with animations, by taps."""
    begin(page)
    page.evaluate(PLAYER)


def walk(page: Any) -> None:
    """Go through a game, ten steps a second."""
    open_record(page)
    for _ in range(60):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(100)


def analyze(page: Any) -> None:
    """Rank the moves while the search runs."""
    open_record(page)
    for _ in range(4):
        page.evaluate(PRESS)  # Analyze
        page.wait_for_timeout(2500)
        page.evaluate(PRESS)  # Stop
        for _ in range(3):
            page.keyboard.press("ArrowRight")


def zoom(page: Any) -> None:
    """Enlarge and move the board."""
    open_record(page)
    page.keyboard.press("End")
    for key in "+++---" * 4:
        page.keyboard.press(key)
        page.wait_for_timeout(100)


def open_record(page: Any) -> None:
    record = (EXAMPLES / "games.jsonl").read_text(encoding="utf-8").splitlines()[0]
    page.click("#do-analyze")
    page.locator("#start textarea").fill(record)
    page.locator("#analyze-panel").get_by_role("button", name="Analyze").click()
    page.wait_for_selector(".steps li")


SCENES: Final[dict[str, Callable[[Any], None]]] = {
    "play": play, "walk": walk, "analyze": analyze, "zoom": zoom,
}  # fmt: skip


def traced(browser: Any, running: Gui, scene: str) -> list[dict[str, Any]]:
    """Return the events of the trace of a scene."""
    context = browser.new_context(**PHONE)
    page = context.new_page()
    line = context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    done: list[bool] = []
    line.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    line.on("Tracing.tracingComplete", lambda _: done.append(True))
    line.send("Tracing.start", {"categories": CATEGORIES, "transferMode": "ReportEvents"})
    page.goto(running.address)
    page.wait_for_selector("#do-play")
    SCENES[scene](page)
    line.send("Tracing.end")
    while not done:
        page.wait_for_timeout(50)
    context.close()
    return events


def long_tasks(events: list[dict[str, Any]], slow: float) -> list[tuple[float, Counter[str]]]:
    """Return the long tasks of the main thread, the longest first: ms, and what they did."""
    busy = Counter((e["pid"], e["tid"]) for e in events if e["name"] == "FunctionCall")
    main = max(
        ((e["pid"], e["tid"]) for e in events
         if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"),
        key=lambda thread: busy[thread],
    )  # fmt: skip
    timed = [e for e in events if (e["pid"], e["tid"]) == main and e.get("tdur")]
    tasks = []
    for top in timed:
        milliseconds = slow * top["tdur"] / 1000
        if milliseconds <= FRAME or not top["name"].endswith("RunTask"):
            continue
        kinds: Counter[str] = Counter()
        for event in timed:
            is_inside = top["ts"] <= event["ts"] <= top["ts"] + top["dur"] - event["dur"]
            if is_inside and event["name"] in KINDS:
                kinds[KINDS[event["name"]]] += slow * event["tdur"] / 1000
        tasks.append((milliseconds, kinds))
    return sorted(tasks, key=lambda task: -task[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("scenes", nargs="*", default=list(SCENES), help=", ".join(SCENES))
    parser.add_argument("--slow", type=float, default=4, help="how much slower a phone is")
    parser.add_argument("--tasks", type=int, default=6, help="how many long tasks are printed")
    options = parser.parse_args()
    with sync_playwright() as driver, gui(Path(tempfile.mkdtemp())) as running:
        browser = launch(driver)
        for scene in options.scenes:
            tasks = long_tasks(traced(browser, running, scene), options.slow)
            over = {f"over {n} frames": sum(ms > n * FRAME for ms, _ in tasks) for n in (1, 2, 3)}
            total = {"scene": scene, **over, "ms in them": round(sum(ms for ms, _ in tasks))}
            print(json.dumps(total))
            for ms, kinds in tasks[: options.tasks]:
                spent = ", ".join(f"{kind} {time:.0f}" for kind, time in kinds.most_common(5))
                print(f"    {ms:6.1f} ms: {spent}")
        browser.close()


if __name__ == "__main__":
    main()
