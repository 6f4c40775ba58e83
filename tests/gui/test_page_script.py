"""The page's scripts: how they are joined, and the types of the messages.

`npm --prefix tests/gui/script test` checks their types and their style.
"""

from __future__ import annotations

import re
from graphlib import CycleError

import pytest
from rcssmin import cssmin

from masons.gui.page_files import joined_script, page_files
from tests.support.doc_tools import doc_tool
from tests.support.paths import PACKAGE

STATIC = PACKAGE / "gui" / "static"


def test_the_types_of_the_messages_are_those_of_the_classes() -> None:
    """If they are not, `python docs/tools/page_types.py` writes them anew."""
    types = (PACKAGE / "gui/types/messages.d.ts").read_text(encoding="utf-8")
    assert types == doc_tool("page_types").page()


def test_every_script_and_style_is_sent() -> None:
    loaded = page_files().loaded
    joined = set(re.findall(r'"([\w-]+\.js)":\$', loaded["main.js"].decode()))
    styles = loaded["style.css"] + loaded["style-dark.css"]
    for path in STATIC.iterdir():
        content = path.read_bytes()
        if path.suffix == ".css":
            assert cssmin(content.decode()).encode() in styles, path.name
        elif path.suffix not in (".html", ".webmanifest") and path.name not in joined:
            assert loaded[path.name] == content


def test_the_page_names_the_version_of_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = page_files()
    page, manifest = (sent.file("", name) or b"" for name in ("index.html", "app.webmanifest"))
    assert f'src="{sent.version}/main.js"'.encode() in page
    assert f'"src": "{sent.version}/icon-192.png"'.encode() in manifest
    assert b'href="app.webmanifest"' in page
    assert sent.file(sent.version, "main.js") == sent.loaded["main.js"]
    assert sent.file("0" * 16, "main.js") is None
    monkeypatch.setattr("masons.gui.page_files.joined_script", lambda *_: "another script")
    assert page_files().version != sent.version


def test_modules_are_joined_in_the_order_of_their_imports() -> None:
    modules = {
        "main.js": '/* P */\nimport { f } from "./a.js";\nimport * as b from "./b-c.js";\nf(b)\n',
        "a.js": 'import { one } from "./b-c.js";\n/** 1\n */\nexport const f = () => one;\n',
        "b-c.js": "const one = 1;\nexport function x() {}\n\nexport { one };\n",
    }
    assert joined_script(modules, "main.js") == (
        "const $b_c=await(async()=>{const one=1;function x(){}\nreturn{x,one};})();"
        "const $a=await(async()=>{const{one}=$b_c;const f=()=>one;return{f};})();"
        "const $main=await(async()=>{const{f}=$a;const b=$b_c;f(b)\nreturn{};})();"
        'export const modules={"b-c.js":$b_c,"a.js":$a,"main.js":$main};'
    )


def test_what_cannot_be_joined_is_refused() -> None:
    with pytest.raises(ValueError, match=r"main\.js has an import or export"):
        joined_script({"main.js": "export default 1;\n"}, "main.js")
    modules = {"main.js": 'import { a } from "./b.js";', "b.js": 'import { c } from "./main.js";'}
    with pytest.raises(CycleError):
        joined_script(modules, "main.js")
