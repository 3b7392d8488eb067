"""The JSON Schemas of this family, and whether a document fits one."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from rsjs.instances.io.json_schema import fit


def fitting(document: Any, kind: str, path: str | Path) -> Any:
    """Return the document if it fits the schema of this kind, e.g. "mig-jobs"."""
    fit(document, schema_text(kind), path)
    return document


@cache
def schema_text(kind: str) -> str:
    """Return the published JSON Schema (2020-12) of a kind of file, as text."""
    return (files("rsjs.instances.mig") / "data" / f"{kind}.schema.json").read_text("utf-8")
