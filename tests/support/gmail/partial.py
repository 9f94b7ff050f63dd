"""The ``fields`` parameter: only the parts of an answer that were asked for."""

from __future__ import annotations

from tests.support.gmail.errors import invalid

Tree = dict[str, "Tree"]


def chosen(value: object, wanted: str | None) -> object:
    """*value* with nothing but what *wanted* names: ``id,message(id,threadId),a/b``."""
    if not wanted or wanted == "*":
        return value
    tree, rest = _read(wanted)
    if rest:
        raise invalid(f"Invalid field selection {wanted}")
    return _cut(value, tree)


def _read(text: str) -> tuple[Tree, str]:
    tree: Tree = {}
    while text and text[0] != ")":
        length = next((at for at, sign in enumerate(text) if sign in ",/()"), len(text))
        name, text = text[:length].strip(), text[length:]
        if not name:
            raise invalid("Invalid field selection")
        inner: Tree = {}
        if text.startswith("("):
            inner, text = _read(text[1:])
            if not text.startswith(")"):
                raise invalid("Invalid field selection")
            text = text[1:]
        elif text.startswith("/"):
            end = next((at for at, sign in enumerate(text) if sign in ",)"), len(text))
            inner, _ = _read(text[1:end])
            text = text[end:]
        tree.setdefault(name, {}).update(inner)
        text = text.removeprefix(",")
    return tree, text


def _cut(value: object, tree: Tree) -> object:
    if isinstance(value, list):
        return [_cut(one, tree) for one in value]
    if not isinstance(value, dict) or not tree or "*" in tree:
        return value
    return {name: _cut(one, tree[name]) for name, one in value.items() if name in tree}
