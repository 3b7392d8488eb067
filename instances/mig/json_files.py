"""JSON files of this family: what is in one, and whether it fits its schema."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from rsjs.instances.json_reader import Reader
from rsjs.instances.json_schemas import fit

_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])')


class _AnyReader(Reader):
    """Reads any JSON document as strictly as instances are read."""

    def any(self) -> Any:
        parsed = self._parse()
        if self.odd or "\\u" in self.text:
            self._refuse_odd(parsed)
        return parsed


def read_json(path: str | Path, *, lenient: bool = False) -> Any:
    """
    The JSON document in a file, .gz or not; an InputError tells what is wrong with it.

    Parameters
    ----------
    lenient : bool
        Allow a comma before a closing bracket, as the published program does.
    """
    reader = _AnyReader(Path(path))
    if lenient:
        reader.text = _STRING_OR_COMMA.sub(_without_comma, reader.text)
    return reader.any()


def fitting(document: Any, kind: str, path: str | Path) -> Any:
    """The document, if it fits the schema of this kind, e.g. "mig-jobs"."""
    fit(document, schema_text(kind), path)
    return document


@cache
def schema_text(kind: str) -> str:
    """The published JSON Schema (2020-12) of a kind of file, as text."""
    return (files("rsjs.instances.mig") / "data" / f"{kind}.schema.json").read_text("utf-8")


def _without_comma(found: re.Match[str]) -> str:
    return " " if found[0] == "," else found[0]
