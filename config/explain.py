"""Pydantic's errors as problems that a person can act on.

Pydantic says what is wrong with a value at a place of a structure; here that becomes a path, a
message and a remedy. What was written is repeated only where it can be no secret: the name of a
key, a choice among known words. Pure: which file and line a path is, ``config.load`` finds out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

Path = tuple[str | int, ...]
Node = Mapping[str, object]

_NUMBER: Final = ("is no whole number", "write it without quotes, point or unit")
_YES_NO: Final = ("is neither true nor false", "write true or false, without quotes")
_TABLE: Final = ("is no table", "write a table: [{key}] with its keys below, or {{ ... }}")
_KNOWN: Final[Mapping[str, tuple[str, str]]] = {
    "bool_parsing": _YES_NO,
    "bool_type": _YES_NO,
    "dataclass_type": _TABLE,
    "greater_than_equal": ("is too small", "write {ge} or more"),
    "int_from_float": _NUMBER,
    "int_parsing": _NUMBER,
    "int_parsing_size": _NUMBER,
    "int_type": _NUMBER,
    "less_than_equal": ("is too large", "write {le} or less"),
    "model_attributes_type": _TABLE,
    "string_too_long": ("is too long", "write {max_length} characters or fewer"),
    "string_too_short": ("is empty", "write a value, or delete the line"),
    "string_type": ("is no text", 'put it in quotes, like "x"'),
    "too_long": ("has too many entries", "write {max_length} or fewer"),
    "too_short": ("is empty", "write at least {min_length}"),
    "tuple_type": ("is no list", "put it in brackets, like [...]"),
}
"""For each kind of error: what to say and what to do, with the fields of pydantic's context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong at one path of a structure."""

    path: Path
    message: str
    remedy: str


def problems(error: ValidationError, data: Node, schema: Node) -> tuple[Problem, ...]:
    """Every problem of *error*, raised over *data* of which *schema* is the JSON schema."""
    details = error.errors(include_url=False)
    return tuple(
        _problem(detail, data, schema)
        for detail in details
        if detail["type"] != "too_short" or not _follows(detail, details)
    )


def _follows(short: ErrorDetails, details: Sequence[ErrorDetails]) -> bool:
    """Whether a list is short only because its entries are wrong."""
    place = short["loc"]
    return any(len(other["loc"]) > len(place) and other["loc"][: len(place)] == place
               for other in details)  # fmt: skip


def _problem(detail: ErrorDetails, data: Node, schema: Node) -> Problem:
    kind, context = detail["type"], detail.get("ctx", {})
    path = _written_path(detail, data)
    match kind:
        case "refused":
            path += tuple(context["key"])
            return Problem(path=path, message=context["message"], remedy=context["remedy"])
        case "missing":
            remedy = _add(path, _node_at(schema, detail["loc"]))
            return Problem(path=path, message="is missing", remedy=remedy)
        case "unexpected_keyword_argument":
            return _unknown_key(path, _node_at(schema, detail["loc"][:-1]))
        case "literal_error" | "enum":
            return _choice(path, context["expected"], detail["input"])
        case "union_tag_invalid" | "union_tag_not_found":
            tags = _mapping(_node_at(schema, detail["loc"]).get("discriminator"))
            words = ", ".join(repr(tag) for tag in _mapping(tags.get("mapping")))
            return _choice((*path, "provider"), words, context.get("tag"))
        case "tuple_type" if "discriminator" in _mapping(_node_at(schema, path).get("items")):
            return Problem(
                path=path, message="is no list of tables", remedy=f"write [[{path[-1]}]]"
            )
        case _:
            return _known(kind, path, context)


def _known(kind: str, path: Path, context: Node) -> Problem:
    message, remedy = _KNOWN.get(kind, ("is not as it must be", "see fencepost schema"))
    return Problem(path=path, message=message, remedy=remedy.format(**{"key": path[-1], **context}))


def _written_path(detail: ErrorDetails, data: Node) -> Path:
    """The place of an error as it is in the file: without the tags of pydantic's unions."""
    node: object = data
    path: Path = ()
    *_, last = range(len(detail["loc"]) + 1)
    named = detail["type"] in {"missing", "unexpected_keyword_argument"}
    for count, part in enumerate(detail["loc"], start=1):
        if isinstance(node, Mapping) and part not in node and not (named and count == last):
            continue
        path = (*path, part)
        if isinstance(node, Mapping):
            node = node.get(part)
        elif isinstance(node, Sequence) and isinstance(part, int) and part < len(node):
            node = node[part]
    return path


def _add(path: Path, node: Node) -> str:
    description = node.get("description")
    return f"add {path[-1]}: {description}" if description else f"add {path[-1]}"


def _unknown_key(path: Path, node: Node) -> Problem:
    known = list(_mapping(node.get("properties")))
    return Problem(
        path=path, message="is unknown here", remedy=_nearest(str(path[-1]), known, "known are")
    )


def _choice(path: Path, expected: str, given: object) -> Problem:
    words = [word.strip("' ") for word in expected.replace(" or ", ", ").split(",")]
    if given is None:
        return Problem(path=path, message="is missing", remedy=f"write one of {', '.join(words)}")
    text = given if isinstance(given, str) else ""
    return Problem(
        path=path, message="is no known word here", remedy=_nearest(text, words, "write one of")
    )


def _nearest(word: str, known: Sequence[str], otherwise: str) -> str:
    near = get_close_matches(word.lower(), known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"{otherwise} {', '.join(known)}"


def _mapping(value: object) -> Node:
    return value if isinstance(value, Mapping) else {}


def _node_at(schema: Node, loc: Path) -> Node:
    """The part of a JSON schema that describes the place *loc*, empty if there is none."""
    node = _resolved(schema, schema)
    for part in loc:
        node = _resolved(_child(node, part), schema)
    return node


def _child(node: Node, part: str | int) -> Node:
    if isinstance(part, int):
        return _mapping(node.get("items"))
    if part in (properties := _mapping(node.get("properties"))):
        return _mapping(properties[part])
    tags = _mapping(_mapping(node.get("discriminator")).get("mapping"))
    return {"$ref": tags[part]} if part in tags else {}


def _resolved(node: Node, schema: Node) -> Node:
    """Follow references, and the one branch of a choice that is not null."""
    branches = node.get("anyOf")
    if isinstance(branches, Sequence):
        filled = (branch for branch in branches if _mapping(branch).get("type") != "null")
        node = {**_mapping(next(filled, None)), **_without(node, "anyOf")}
    reference = node.get("$ref")
    if isinstance(reference, str):
        target = _mapping(_mapping(schema.get("$defs")).get(reference.rpartition("/")[2]))
        return {**target, **_without(node, "$ref")}
    return node


def _without(node: Node, key: str) -> Node:
    return {name: value for name, value in node.items() if name != key}
