"""Reading and writing the files of the suite: `.json` or `.json.gz`, checked on the way in."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import jsonschema_rs

from rsjs.instances import documents
from rsjs.instances.documents import INSTANCE, SOLUTION, WORKLOAD, Document
from rsjs.instances.errors import InputError, described
from rsjs.instances.schema import Instance, Workload
from rsjs.instances.schema_errors import explain
from rsjs.instances.solution import Solution

T = TypeVar("T")

LONGEST_INTEGER = 18  # digits: what fits 64 bits

SCHEMAS = {INSTANCE: "instance", WORKLOAD: "workload", SOLUTION: "solution"}


@dataclass(frozen=True, kw_only=True)
class SolutionFile:
    """A decision and what its file claims about it; see `documents.of_solution`."""

    solution: Solution
    instance_digest: str
    method: str | None = None
    objective: float | None = None
    bound: float | None = None


def read_instance(path: str | Path) -> Instance:
    """
    Read an `rsjs-instance/1` file.

    Raises
    ------
    InputError
        Naming the file, the JSON pointer, the value found and what was expected.
    """
    return _build(path, documents.to_instance, INSTANCE)


def read_workload(path: str | Path) -> Workload:
    """Read an `rsjs-workload/1` file; errors as in `read_instance`."""
    return _build(path, documents.to_workload, WORKLOAD)


def read_solution(path: str | Path) -> SolutionFile:
    """Read an `rsjs-solution/1` file; errors as in `read_instance`."""

    def build(document: Document) -> SolutionFile:
        return SolutionFile(
            solution=documents.to_solution(document),
            instance_digest=document["instance"],
            method=document.get("method"),
            objective=document.get("objective"),
            bound=document.get("bound"),
        )

    return _build(path, build, SOLUTION)


def read_any(path: str | Path) -> Instance | Workload | SolutionFile:
    """Read whichever kind of file this is."""
    kind = read_document(path)["format"]
    if kind == INSTANCE:
        return read_instance(path)
    return read_workload(path) if kind == WORKLOAD else read_solution(path)


def write_instance(instance: Instance, path: str | Path) -> None:
    """Write an instance; a `.gz` name compresses."""
    write_document(documents.of_instance(instance), path)


def write_workload(workload: Workload, path: str | Path) -> None:
    """Write a workload."""
    write_document(documents.of_workload(workload), path)


def write_solution(
    solution: Solution,
    instance_digest: str,
    path: str | Path,
    *,
    method: str | None = None,
    objective: float | None = None,
    bound: float | None = None,
) -> None:
    """Write a solution with what is claimed about it."""
    document = documents.of_solution(
        solution, instance_digest, method=method, objective=objective, bound=bound
    )
    write_document(document, path)


def write_document(document: Document, path: str | Path) -> None:
    """Write a document in canonical form, one line, through a temporary file."""
    data = (documents.canonical_text(document) + "\n").encode()
    write_bytes(gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data, path)


def write_bytes(data: bytes, path: str | Path) -> None:
    """Write a file whole or not at all; missing folders are made."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            scratch.write_bytes(data)
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            "", described(_reason(error)), "a file that can be written", path
        ) from None


def schema(kind: str) -> Document:
    """The published JSON Schema (2020-12) of "instance", "workload" or "solution"."""
    text = files("rsjs.instances").joinpath("data", f"{kind}.schema.json").read_text("utf-8")
    document: Document = json.loads(text)
    return document


def read_document(path: str | Path) -> Document:
    """Read a JSON file that fits the schema of the format it names."""
    return _Reader(Path(path)).document()


def read_exact(path: str | Path) -> Document:
    """The same with every fractional number as the Fraction that its text says."""
    reader = _Reader(Path(path))
    reader.document()
    exact: Document = json.loads(reader.text, parse_float=Fraction)
    return exact


def _build(path: str | Path, build: Callable[[Document], T], expected: str) -> T:
    document = read_document(path)
    if document["format"] != expected:
        raise InputError("/format", document["format"], repr(expected), path)
    try:
        return build(document)
    except InputError as error:
        raise error.at(path) from None


@cache
def _validator(kind: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema(kind))


class _Odd(str):
    """A number that is not finite, as its text."""


class _Twice(dict[str, Any]):
    """An object in which a key stands twice."""

    key: str


class _Reader:
    """Parses and validates one file; whatever is wrong becomes an InputError with a pointer."""

    def __init__(self, path: Path) -> None:
        self.path, self.odd = path, False
        self.text = self._read()

    def document(self) -> Document:
        parsed = self._parse()
        if self.odd:
            self._refuse_odd(parsed, "")
        kind = parsed.get("format") if isinstance(parsed, dict) else None
        if not isinstance(kind, str) or kind not in SCHEMAS:
            self._fail("/format", kind, f"one of {', '.join(SCHEMAS)}")
        if not _validator(SCHEMAS[kind]).is_valid(parsed):
            self._refuse(kind, parsed)
        document: Document = parsed
        return document

    def _read(self) -> str:
        try:
            data = self.path.read_bytes()
            if self.path.name.endswith(".gz"):
                data = gzip.decompress(data)
            return data.decode("utf-8")
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            self._fail("", described(f"damaged gzip data ({error})"), "a whole .gz file")
        except UnicodeDecodeError as error:
            bad = described(f"byte 0x{error.object[error.start]:02x} at offset {error.start}")
            self._fail("", bad, "UTF-8 text")
        except OSError as error:
            self._fail("", described(_reason(error)), "a readable file")

    def _parse(self) -> Any:
        try:
            return json.loads(
                self.text,
                object_pairs_hook=self._object,
                parse_float=self._float,
                parse_int=self._int,
                parse_constant=self._not_finite,
            )
        except json.JSONDecodeError as error:
            place = f"{error.msg} at line {error.lineno} column {error.colno}"
            self._fail("", described(place), "a whole JSON document")
        except RecursionError:
            self._fail("", described("brackets nested too deeply"), "a JSON document")

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        self.odd = True
        twice = _Twice(found)
        keys = [key for key, _ in pairs]
        twice.key = next(key for key in keys if keys.count(key) > 1)
        return twice

    def _float(self, text: str) -> float | str:
        value = float(text)
        return value if isfinite(value) else self._not_finite(text)

    def _int(self, text: str) -> int | str:
        return int(text) if len(text) <= LONGEST_INTEGER else self._not_finite(text)

    def _not_finite(self, text: str) -> str:
        self.odd = True
        return _Odd(text)

    def _refuse_odd(self, value: Any, where: str) -> None:
        if isinstance(value, _Odd):
            self._fail(where, described(value[:40]), "a finite number")
        if isinstance(value, _Twice):
            self._fail(f"{where}/{_escaped(value.key)}", described("the key twice"), "it once")
        if isinstance(value, dict):
            for key, entry in value.items():
                self._refuse_odd(entry, f"{where}/{_escaped(key)}")
        elif isinstance(value, list):
            for i, entry in enumerate(value):
                self._refuse_odd(entry, f"{where}/{i}")

    def _refuse(self, kind: str, parsed: Any) -> NoReturn:
        error = next(_validator(SCHEMAS[kind]).iter_errors(parsed))
        value, pointer = parsed, ""
        for step in error.instance_path:
            value, pointer = value[step], f"{pointer}/{_escaped(str(step))}"
        found, expected = explain(error.kind, value)
        self._fail(pointer, found, expected)

    def _fail(self, pointer: str, value: Any, expected: str) -> NoReturn:
        raise InputError(pointer, value, expected, self.path) from None


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
