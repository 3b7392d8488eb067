"""JSON files of this family that name their format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rsjs.instances.errors import InputError, described
from rsjs.instances.io.serialization import Document
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.mig.io import fitting


def read_document(path: str | Path, kind: str, schema: str) -> Document:
    """
    The document in a file of this format, if it fits its schema, e.g. "mig-gpus".

    Raises
    ------
    InputError
        Naming the file, the JSON pointer, the value found and what was expected.
    """
    found: Document = fitting(of_format(read_json(path), kind, path), schema, path)
    return found


def of_format(document: Any, kind: str, path: str | Path) -> Document:
    """The document of a file, if it names this format; InputError otherwise."""
    if not isinstance(document, dict):
        raise InputError("", described("no object"), f"a file of format {kind}", path)
    if document.get("format") != kind:
        raise InputError("/format", document.get("format"), repr(kind), path)
    return document
