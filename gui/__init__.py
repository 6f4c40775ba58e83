"""The board in a browser.

| folder | what it holds |
| --- | --- |
| `pages/` | what pages say and are told |
| `study/` | positions and records to analyse |
| `server/` | the web server: the game, who may see what, messages in and out |
| `static/` | the page: HTML, styles, scripts; nothing of Python |
"""

if __name__ != "masons.gui":
    raise ImportError(f"import this package as masons.gui, not as {__name__}")
