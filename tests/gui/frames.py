"""How even the board is on a phone: `python -m tests.gui.frames`; needs Playwright and a Chromium.

A phone's page plays, steps through a game, analyses and zooms, while Chromium's trace is taken.
Told are the page's tasks and what they did: script, style, layout, paint. Times are those of the
processor, times four, as browsers' own tools take a phone of the middle range to be, so what else
runs here counts little. A task of more than a frame (16.7 ms) is a frame lost. `--throttle` makes
Chromium itself slow, and tells the times between frames: for a machine on which nothing else runs.
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

from tests.support.browser import QUIET, Gui, begin, chromium, gui
from tests.support.paths import EXAMPLES

FRAME: Final = 1000 / 60
PHONE: Final = {
    "viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True,
    "has_touch": True,
}  # fmt: skip
CATEGORIES: Final = ("devtools.timeline", "toplevel", "blink", "v8")
# What the time of a task is spent on, by the names of the trace.
KINDS: Final = {
    "FunctionCall": "script",
    "UpdateLayoutTree": "style", "Document::updateStyle": "style", "Layout": "layout",
    "PrePaint": "paint", "Paint": "paint", "Layerize": "paint", "Commit": "commit",
    "ParseHTML": "parse", "HitTest": "hit test", "MinorGC": "garbage", "MajorGC": "garbage",
}  # fmt: skip
COUNT: Final = """() => {
  window.frames_ = []; let last = performance.now();
  const next = (now) => {
    window.frames_.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}"""

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
      || card || one("#board:not(.locked) :is(.tower, .space).live:not(.chosen)");
    if (target) target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    setTimeout(act, 500);
  };
  act();
})"""

# Clicks as the page would: what Playwright itself clicks costs the page time.
PRESS: Final = "document.querySelector('#study button[aria-pressed].main').click()"


def play(page: Any, running: Gui) -> None:
    """A game with animations, by taps."""
    page.goto(running.address)
    page.wait_for_selector("#begin")
    begin(page)
    page.evaluate(COUNT)
    page.evaluate(PLAYER)


def walk(page: Any, running: Gui) -> None:
    """Through a game, ten steps a second."""
    open_record(page, running)
    page.evaluate(COUNT)
    for _ in range(60):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(100)


def analyze(page: Any, running: Gui) -> None:
    """The moves are ranked while the search runs."""
    open_record(page, running)
    page.evaluate(COUNT)
    for _ in range(4):
        page.evaluate(PRESS)  # Analyze
        page.wait_for_timeout(2500)
        page.evaluate(PRESS)  # Stop
        for _ in range(3):
            page.keyboard.press("ArrowRight")


def zoom(page: Any, running: Gui) -> None:
    """The board is enlarged and moved."""
    open_record(page, running)
    page.keyboard.press("End")
    page.evaluate(COUNT)
    for _ in range(4):
        for key in "+++---":
            page.keyboard.press(key)
            page.wait_for_timeout(100)


def open_record(page: Any, running: Gui) -> None:
    page.goto(running.address)
    page.wait_for_selector("#begin")
    record = (EXAMPLES / "games.jsonl").read_text(encoding="utf-8").splitlines()[0]
    page.locator("#start textarea").fill(record)
    page.get_by_role("button", name="Analyze", exact=True).click()
    page.wait_for_selector(".steps li")


SCENES: Final[dict[str, Callable[[Any, Gui], None]]] = {
    "play": play, "walk": walk, "analyze": analyze, "zoom": zoom,
}  # fmt: skip


def measured(
    browser: Any, running: Gui, scene: str, throttle: float
) -> tuple[list[float], list[Any]]:
    """Milliseconds between frames, and the tasks of the page: milliseconds and what they did."""
    context = browser.new_context(**PHONE)
    page = context.new_page()
    line = context.new_cdp_session(page)
    line.send("Emulation.setCPUThrottlingRate", {"rate": throttle})
    events: list[dict[str, Any]] = []
    done: list[bool] = []
    line.on("Tracing.dataCollected", lambda got: events.extend(got["value"]))
    line.on("Tracing.tracingComplete", lambda _: done.append(True))
    line.send("Tracing.start", {"categories": ",".join(CATEGORIES), "transferMode": "ReportEvents"})
    page.evaluate("performance.mark('begun')")
    SCENES[scene](page, running)
    frames = page.evaluate("window.frames_")
    line.send("Tracing.end")
    while not done:
        page.wait_for_timeout(50)
    context.close()
    return frames, tasks_of(events)


def tasks_of(events: list[dict[str, Any]]) -> list[Any]:
    """The tasks of the page's main thread, the longest first."""
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    busy = Counter((e["pid"], e["tid"]) for e in events if e["name"] == "FunctionCall")
    main = max(mains, key=lambda each: busy[each])
    events_of_main = [e for e in events if (e["pid"], e["tid"]) == main and e.get("tdur")]
    tops = [e for e in events_of_main if e["name"] in ("RunTask", "ThreadControllerImpl::RunTask")]
    tops.sort(key=lambda event: -event["tdur"])
    tasks = []
    for top in tops[:600]:
        begun, end = top["ts"], top["ts"] + top["dur"]
        kinds: Counter[str] = Counter()
        for event in events_of_main:
            kind = KINDS.get(event["name"])
            if kind and begun <= event["ts"] and event["ts"] + event["dur"] <= end:
                kinds[kind] += event["tdur"]
        tasks.append((top["tdur"] / 1000, {kind: ms / 1000 for kind, ms in kinds.most_common(5)}))
    return tasks


def share(values: list[float], part: float) -> float:
    return sorted(values)[min(int(part * len(values)), len(values) - 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("scenes", nargs="*", default=list(SCENES), help=", ".join(SCENES))
    parser.add_argument("--slow", type=float, default=4, help="how much slower a phone is")
    parser.add_argument("--throttle", action="store_true", help="make the browser so slow")
    parser.add_argument("--tasks", type=int, default=6, help="how many long tasks are told")
    options = parser.parse_args()
    with sync_playwright() as driver, gui(Path(tempfile.mkdtemp())) as running:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(QUIET))
        for scene in options.scenes:
            rate = options.slow if options.throttle else 1
            frames, tasks = measured(browser, running, scene, rate)
            factor = options.slow / rate
            tasks = [(factor * ms, {k: factor * t for k, t in ks.items()}) for ms, ks in tasks]
            long = [ms for ms, _ in tasks if ms > FRAME]
            figures = {
                "scene": scene, "tasks": len(tasks), "over a frame": len(long),
                "ms in them": round(sum(long)), "over two": sum(ms > 2 * FRAME for ms in long),
                "over three": sum(ms > 3 * FRAME for ms in long), "longest": round(tasks[0][0], 1),
            }  # fmt: skip
            if options.throttle:
                figures["ms between frames: 50, 95, 99 %"] = [
                    round(share(frames, part), 1) for part in (0.5, 0.95, 0.99)
                ]
            print(json.dumps(figures))
            spent: Counter[str] = Counter()
            for ms, kinds in tasks:
                spent.update(kinds if ms > FRAME else {})
            print("    " + ", ".join(f"{kind} {time:.0f}" for kind, time in spent.most_common()))
            for ms, kinds in tasks[: options.tasks]:
                told = ", ".join(f"{kind} {time:.0f}" for kind, time in kinds.items())
                print(f"    {ms:6.1f} ms: {told}")
        browser.close()


if __name__ == "__main__":
    main()
