"""JSON Schema of the configuration files, for editors and for the documentation.

Made from the very models that check the files, so that the two can't differ. Each document stands
alone. TOML has no null, so none is allowed; a secret is marked writeOnly.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import override

from config.daemon import DaemonConfig
from config.durations import format_duration
from config.secrets import SecretRef
from config.user import UserFile

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, object]:
    """A schema for each kind of file, by its name: ``fencepost.toml`` and ``users/NAME.toml``."""
    models: tuple[tuple[str, TypeAdapter[DaemonConfig] | TypeAdapter[UserFile]], ...] = (
        ("fencepost.toml", TypeAdapter(DaemonConfig)),
        ("users/NAME.toml", TypeAdapter(UserFile)),
    )
    return {
        name: _document(model.json_schema(schema_generator=_AsWritten), name)
        for name, model in models
    }


class _AsWritten(GenerateJsonSchema):
    """Defaults as a person would write them."""

    @override
    def encode_default(self, dft: object) -> object:
        match dft:
            case timedelta():
                return format_duration(dft)
            case ZoneInfo() | Path():
                return str(dft)
            case SecretRef():
                return {"file": str(dft.file)}
            case tuple():
                return [self.encode_default(item) for item in dft]
            case _:
                return super().encode_default(dft)


def _document(schema: Mapping[str, object], title: str) -> dict[str, object]:
    plain = _plain(schema)
    if not isinstance(plain, dict):
        raise TypeError("a schema is an object")
    return {"$schema": _DIALECT, "title": title, **plain}


def _plain(node: object) -> object:
    """*node* without null and without the titles that pydantic makes of names."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    rest = {
        key: {name: _plain(child) for name, child in value.items()}
        if key in {"properties", "$defs"} and isinstance(value, dict)
        else _plain(value)
        for key, value in node.items()
        if key != "title" and not (key == "default" and value is None)
    }
    branches = rest.get("anyOf")
    if isinstance(branches, list) and {"type": "null"} in branches:
        filled = [branch for branch in branches if branch != {"type": "null"}]
        rest.pop("anyOf")
        rest = {**filled[0], **rest} if len(filled) == 1 else {**rest, "anyOf": filled}
    return rest
