"""JSON files of this family: each names its format and fits the JSON Schema of its kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_document
from rsjs.instances.io.json_schema import fit
from rsjs.instances.io.serialization import Document
from rsjs.instances.io.strict_json import read_json

T = TypeVar("T")
REFERS = {"mig-scheduling": "mig-jobs"}  # a kind whose schema refers to that of another one


def read(path: str | Path, format_: str, kind: str, build: Callable[[Document], T]) -> T:
    """
    Read a file of a format and build what is in it.

    Parameters
    ----------
    kind : str
        The schema it has to fit, e.g. "mig-gpus".
    build : callable
        From the document; its errors name the JSON pointer.

    Raises
    ------
    InputError
        Naming the file, the JSON pointer, the value found and what was expected.
    """
    return built(checked(read_json(path), format_, kind, path), build, path)


def checked(document: Any, format_: str, kind: str, path: str | Path) -> Document:
    """Return the document of a file if it is one of this format and fits the schema of its kind."""
    if not isinstance(document, dict):
        raise InputError("", described("no object"), f"a file of format {format_}", path)
    if document.get("format") != format_:
        raise InputError("/format", document.get("format"), repr(format_), path)
    fit(document, schema_text(kind), path)
    return document


def built(document: Any, build: Callable[[Any], T], path: str | Path) -> T:
    """Build what is in the document of a file; errors name the file."""
    try:
        return build(document)
    except InputError as error:
        raise error if error.file else error.at(path) from None


def read_solution(
    kind: type[T], problem: Any, path: str | Path, format_: str, schema: str, head: str, rows: str
) -> tuple[T, Document]:
    """
    Read a solution of a problem with a GPU, and what its file claims about it.

    Parameters
    ----------
    kind : dataclass
        With an array for each column of the rows; profiles are places on the GPU.
    head, rows : str
        Keys of the problem's sha256 and of the rows.
    """

    def build(document: Document) -> tuple[T, Document]:
        claims = {key: value for key, value in document.items() if key != "format"}
        digest, entries = claims.pop(head), claims.pop(rows)
        if digest != problem.digest:
            expected = f"{problem.digest}, the sha256 of {problem.name}"
            raise InputError(f"/{head}", digest, expected)
        if len(entries) != len(problem):
            shown = described(f"an array of {len(entries)}")
            raise InputError(f"/{rows}", shown, f"{len(problem)} entries")
        for i, entry in enumerate(entries):
            entry["profile"] = problem.gpu.index(entry["profile"], f"/{rows}/{i}/profile")
        names = [column.name for column in fields(kind)]  # type: ignore[arg-type]
        columns = {name: [entry[name] for entry in entries] for name in names}
        arrays = {name: np.array(values, dtype=np.int64) for name, values in columns.items()}
        return kind(**arrays), claims

    return read(path, format_, schema, build)


def write_solution(
    solution: Any, problem: Any, path: str | Path, format_: str, head: str, rows: str, claims: Any
) -> None:
    """Write a solution that `read_solution` reads, with what is claimed about it."""
    columns = {name: array.tolist() for name, array in vars(solution).items()}
    columns["profile"] = [problem.gpu.profiles[p].name for p in columns["profile"]]
    entries = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    write_document({"format": format_, head: problem.digest, **claims, rows: entries}, path)


@cache
def schema_text(kind: str) -> str:
    """Return the JSON Schema (2020-12) of a kind of file, with the one that it refers to."""
    text = (files("rsjs.instances.mig") / "data" / f"{kind}.schema.json").read_text("utf-8")
    if kind not in REFERS:
        return text
    schema, other = json.loads(text), REFERS[kind]
    inner = json.loads(schema_text(other)) | {"$id": f"{other}.schema.json"}
    return json.dumps(schema | {"$defs": schema["$defs"] | {other: inner}})


def nearest_first(word: str, known: Iterable[str]) -> str:
    """Return the known words, the one most like `word` first, for an error."""
    word = word.lower()
    return ", ".join(sorted(known, key=lambda name: -SequenceMatcher(None, word, name).ratio()))
