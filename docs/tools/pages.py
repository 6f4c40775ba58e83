"""Pages of the site that stand elsewhere in the repository: a hook of MkDocs.

They keep their paths, seen from the top. So a link from docs/ to them begins with `../` in the
repository, and without it in the site.
"""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ELSEWHERE = ("CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md", "benchmarks/cost.svg")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files from elsewhere."""
    top = Path(config.config_file_path).parent
    for name in ELSEWHERE:
        files.append(File.generated(config, name, abs_src_path=str(top / name)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Links as the site needs them."""
    for name in ELSEWHERE:
        markdown = markdown.replace(f"](../{name}", f"]({name}")
    return markdown
