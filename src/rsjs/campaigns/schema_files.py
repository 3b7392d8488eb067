"""The files of a campaign and their formats: `rsjs-KIND/VERSION`, each with a JSON Schema."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, NewerFormat, described
from rsjs.instances.io.json_schema import fit, schema_text
from rsjs.instances.io.strict_json import read_json

VERSIONS = {"best-known": 2}  # of a kind of file; 1 of any other
schema = partial(schema_text, package="rsjs.campaigns")  # of a kind of file

Document = dict[str, Any]


def name(kind: str) -> str:
    """Return the current format of a kind of file."""
    return f"rsjs-{kind}/{VERSIONS.get(kind, 1)}"


def read(path: Path, kind: str) -> Document:
    """Return the document in a JSON file; errors as in `checked`."""
    return checked(read_json(path), kind, path)


def checked(document: Any, kind: str, path: str | Path) -> Document:
    """
    Return the document if its kind and version can be read and it fits its schema.

    InputError names the file; `NewerFormat` for a newer version.
    """
    if not isinstance(document, dict):
        raise InputError("", described("no object"), f"a document of format {name(kind)}", path)
    found = document.get("format")
    stem, _, version = str(found).partition("/")
    if stem != f"rsjs-{kind}" or not version.isdecimal() or int(version) < 1:
        raise InputError("/format", found, repr(name(kind)), path)
    if int(version) > VERSIONS.get(kind, 1):
        expected = f"{name(kind)}, or a newer rsjs-bench, which reads this"
        raise NewerFormat("/format", found, expected, path)
    fit(document, schema(kind), path)
    return document
