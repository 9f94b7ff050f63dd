"""The schema describes the files as they are checked."""

from __future__ import annotations

import json
from collections.abc import Iterator

from config.schema import json_schema

SECRETS = {
    "installation", "password", "api_key", "client", "token", "webhook_secret",
}  # fmt: skip


def properties(node: object) -> Iterator[tuple[str, dict[str, object]]]:
    """Every property of every table of a schema."""
    if isinstance(node, dict):
        for name, child in node.get("properties", {}).items():
            yield name, child
        for child in node.values():
            yield from properties(child)
    elif isinstance(node, list):
        for child in node:
            yield from properties(child)


def test_both_files_have_a_schema_that_is_json() -> None:
    schema = json_schema()

    assert list(schema) == ["fencepost.toml", "users/NAME.toml"]
    assert json.loads(json.dumps(schema)) == schema


def test_every_setting_is_described() -> None:
    undescribed = [name for name, node in properties(json_schema()) if not node.get("description")]

    assert undescribed == []


def test_every_secret_is_write_only_and_a_reference() -> None:
    marked = {name for name, node in properties(json_schema()) if node.get("writeOnly")}
    references = {
        name for name, node in properties(json_schema()) if node.get("$ref") == "#/$defs/SecretRef"
    }

    assert marked == references == SECRETS


def test_nothing_unknown_is_allowed_anywhere() -> None:
    for document in json_schema().values():
        assert isinstance(document, dict)
        tables = [document, *document["$defs"].values()]
        assert all(
            table["additionalProperties"] is False for table in tables if table["type"] == "object"
        )


def test_null_is_nowhere_for_toml_has_none() -> None:
    assert "null" not in json.dumps(json_schema())


def test_a_default_is_written_as_a_person_would() -> None:
    daemon = json_schema()["fencepost.toml"]
    assert isinstance(daemon, dict)
    runtime = daemon["$defs"]["Runtime"]["properties"]
    secrets = daemon["$defs"]["Secrets"]["properties"]

    assert runtime["lease_ttl"]["default"] == "1m"
    assert secrets["installation"]["default"] == {"file": "installation.key"}


def test_the_name_and_the_hash_of_a_file_are_no_settings() -> None:
    user = json_schema()["users/NAME.toml"]
    assert isinstance(user, dict)

    assert not {"user", "hash"} & set(user["properties"])
