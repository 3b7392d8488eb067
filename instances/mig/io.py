"""
The JSON Schemas of this family, and whether a document fits one.

JSON files of this family that name their format.

Columns of numbers from CSV files that a configuration names.

A place in a configuration: its value, its JSON pointer, and what it may refer to.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from hashlib import sha256
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.errors import InputError, described, escaped
from rsjs.core.types import Floats
from rsjs.instances.io.bounded_files import read_bytes, read_text
from rsjs.instances.io.csv_tables import read_rows
from rsjs.instances.io.json_schema import fit
from rsjs.instances.io.serialization import Document
from rsjs.instances.io.strict_json import read_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rsjs.instances.mig.job_generator.plugins import Plugins


def fitting(document: Any, kind: str, path: str | Path) -> Any:
    """Return the document if it fits the schema of this kind, e.g. "mig-jobs"."""
    fit(document, schema_text(kind), path)
    return document


@cache
def schema_text(kind: str) -> str:
    """Return the published JSON Schema (2020-12) of a kind of file, as text."""
    return (files("rsjs.instances.mig") / "data" / f"{kind}.schema.json").read_text("utf-8")


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


@dataclass(frozen=True, kw_only=True)
class ConfigContext:
    """
    What a configuration may refer to.

    Attributes
    ----------
    folder : Path
        Where relative names of data files begin.
    plugins : Plugins
    files : dict
        Filled while reading: name of each data file and its sha256.
    """

    folder: Path
    plugins: Plugins
    files: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a configuration that fits the schema."""

    value: Any
    pointer: str
    around: ConfigContext

    def __getitem__(self, key: str | int) -> Any:
        return self.value[key]

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def at(self, *keys: str | int) -> Node:
        """The place below."""
        value, pointer = self.value, self.pointer
        for key in keys:
            value, pointer = value[key], f"{pointer}/{escaped(str(key))}"
        return Node(value, pointer, self.around)

    def parts(self, key: str) -> list[Node]:
        """The entries of the array under a key."""
        return [self.at(key, i) for i in range(len(self.value[key]))]

    def error(self, expected: str, *, value: Any = None) -> InputError:
        """What is wrong here; `value` if it is not what stands here."""
        found = self.value if value is None else value
        if isinstance(found, dict):
            found = described("an object")
        return InputError(self.pointer, found, expected)


def nearest_first(word: str, known: Iterable[str]) -> str:
    """The known words, the one most like `word` first, for an error."""

    def likeness(name: str) -> float:
        return -SequenceMatcher(None, word.lower(), name).ratio()

    return ", ".join(sorted(known, key=likeness))


def numbers(node: Node) -> Floats:
    """
    The numbers in the column `column` of the file `file`, whose first line names the columns.

    The file and its sha256 are noted for the record of the set of jobs.
    """

    name, column = node["file"], node["column"]
    path = Path(node.around.folder, name)
    header = _header(node.at("file"), path)
    if header.count(column) != 1:
        known = nearest_first(column, header) or "it has none"
        raise node.at("column").error(f"a column of {name}: {known}")
    values = [row.number(column, signed=True) for row in read_rows(path, header)]
    node.around.files[name] = sha256(read_bytes(path)).hexdigest()
    return np.array(values)


def _header(node: Node, path: Path) -> list[str]:
    try:
        lines = StringIO(read_text(path, encoding="utf-8-sig"), newline="")
        return [name.strip() for name in next(csv.reader(lines), [])]
    except csv.Error as error:
        raise InputError("", described(str(error)), "CSV text", path) from None
    except InputError as error:
        raise node.error(f"a readable file: {error.value}") from None
