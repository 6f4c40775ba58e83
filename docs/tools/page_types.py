"""Write `masons/gui/types/messages.d.ts`, the types of the messages between page and server.

    python docs/tools/page_types.py

They are those of the classes in `masons/gui/messages.py` and `sent_messages.py`, for the check of
the page's scripts. `tests/gui/test_page_script.py` checks that the file is up to date.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import NODEFAULT, Struct, inspect

from masons.gui.messages import MESSAGES
from masons.gui.sent_messages import SENT

PAGE: Final = Path(__file__).parents[2] / "masons/gui/types/messages.d.ts"
_HEAD: Final = """\
// The messages between page and server. `python docs/tools/page_types.py` writes this file from the
// classes in masons/gui/messages.py and sent_messages.py; their meaning is in messages.md.
"""
_PLAIN: Final = {
    inspect.AnyType: "unknown",
    inspect.BoolType: "boolean",
    inspect.FloatType: "number",
    inspect.IntType: "number",
    inspect.NoneType: "null",
    inspect.StrType: "string",
}


def page() -> str:
    """Return the text of the file."""
    said, sent = (inspect.multi_type_info(kinds) for kinds in (MESSAGES.values(), SENT))
    written: dict[str, str] = {}
    for each in (*said, *sent):
        _collect(each, written)
    requests = {_tag(each): [each.cls.__name__] for each in said}  # type: ignore[attr-defined]
    answers: dict[str, list[str]] = defaultdict(list)
    for each in sent:
        answers[_tag(each)].append(each.cls.__name__)  # type: ignore[attr-defined]
    return "\n".join(
        [_HEAD, _map("Requests", requests), _map("Answers", answers), *written.values()]
    )


def _map(name: str, kinds: dict[str, list[str]]) -> str:
    """Return an interface from the types of messages to their fields."""
    rows = "".join(f'  "{tag}": {" | ".join(names)};\n' for tag, names in kinds.items())
    return f"interface {name} {{\n{rows}}}\n"


def _tag(kind: Any) -> str:
    return str(kind.tag)


def _collect(kind: inspect.Type, written: dict[str, str]) -> None:
    """Write the interfaces of a type and of all types of its fields."""
    if isinstance(kind, inspect.StructType | inspect.DataclassType):
        name = kind.cls.__name__
        if name not in written:
            written[name] = ""  # the place in the order
            base = _base(kind)
            for each in (*((base,) if base else ()), *(field.type for field in kind.fields)):
                _collect(each, written)
            written[name] = _interface(kind, base)
    for part in _parts(kind):
        _collect(part, written)


def _parts(kind: inspect.Type) -> Sequence[inspect.Type]:
    match kind:
        case inspect.UnionType():
            return kind.types
        case inspect.TupleType():
            return kind.item_types
        case inspect.VarTupleType() | inspect.ListType():
            return (kind.item_type,)
        case inspect.DictType():
            return (kind.value_type,)
    return ()


def _base(kind: inspect.StructType | inspect.DataclassType) -> inspect.StructType | None:
    """Return the nearest class with fields that a type is derived from, or None."""
    for cls in kind.cls.__mro__[1:]:
        if issubclass(cls, Struct) and cls.__struct_fields__:
            base = inspect.type_info(cls)
            assert isinstance(base, inspect.StructType)
            return base if base.tag is None else None  # each tag is of one message
    return None


def _interface(
    kind: inspect.StructType | inspect.DataclassType, base: inspect.StructType | None = None
) -> str:
    rows = []
    inherited = {field.name for field in base.fields} if base else set()
    # What the page sends has its type as an argument of `say`.
    is_request = kind.cls in MESSAGES.values()
    if isinstance(kind, inspect.StructType) and kind.tag is not None and not is_request:
        rows.append(f'  {kind.tag_field}: "{kind.tag}";')
    is_sent = kind.cls.__module__ != "masons.gui.messages"
    for field in kind.fields:
        if field.name in inherited:
            continue
        # A page may leave out fields that have a default. The server leaves out those it says.
        is_left = is_sent and not _may_be_missing(field, kind)
        mark = "" if field.required or is_left else "?"
        rows.append(f"  {field.encode_name}{mark}: {type_text(field.type)};")
    extends = f" extends {base.cls.__name__}" if base else ""
    return (
        f"interface {kind.cls.__name__}{extends} {{\n" + "".join(f"{row}\n" for row in rows) + "}\n"
    )


def _may_be_missing(field: inspect.Field, kind: inspect.StructType | inspect.DataclassType) -> bool:
    omits = isinstance(kind, inspect.StructType) and kind.cls.__struct_config__.omit_defaults
    # The inspection of msgspec shows UNSET as no default.
    is_unset = field.default is NODEFAULT and field.default_factory is NODEFAULT
    return is_unset or omits


def type_text(kind: inspect.Type) -> str:
    """Return a type as TypeScript writes it."""
    match kind:
        case inspect.LiteralType():
            return _either(
                f'"{each}"' if isinstance(each, str) else str(each).lower() for each in kind.values
            )
        case inspect.UnionType():
            return _either(type_text(each) for each in kind.types)
        case inspect.StructType() | inspect.DataclassType():
            return kind.cls.__name__
        case inspect.VarTupleType() | inspect.ListType():
            item = type_text(kind.item_type)
            return f"({item})[]" if " | " in item else f"{item}[]"
        case inspect.TupleType():
            return f"[{', '.join(type_text(each) for each in kind.item_types)}]"
        case inspect.DictType():
            return f"Record<string, {type_text(kind.value_type)}>"
    return _PLAIN[type(kind)]


def _either(texts: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(texts))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
