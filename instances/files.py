"""Reading and writing the files of the suite: `.json` or `.json.gz`, checked on the way in."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
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
from rsjs.instances.errors import InputError, described, escaped
from rsjs.instances.schema import Instance, Workload
from rsjs.instances.schema_errors import explain
from rsjs.instances.solution import Solution

T = TypeVar("T")

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # as JSON escapes one
_NOT_ZERO = re.compile(r"[-0.]*[1-9]")

LONGEST_NUMBER = 1100  # characters: any double written out in full
DEEPEST = 50  # levels of brackets in `meta` and `generator`, which may hold anything

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
    return _instance(read_document(path), path)


def read_workload(path: str | Path) -> Workload:
    """Read an `rsjs-workload/1` file; errors as in `read_instance`."""
    return _workload(read_document(path), path)


def read_solution(path: str | Path) -> SolutionFile:
    """Read an `rsjs-solution/1` file; errors as in `read_instance`."""
    return _solution(read_document(path), path)


def read_any(path: str | Path) -> Instance | Workload | SolutionFile:
    """Read whichever kind of file this is."""
    document = read_document(path)
    if document["format"] == INSTANCE:
        return _instance(document, path)
    build = _workload if document["format"] == WORKLOAD else _solution
    return build(document, path)


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
    except (OSError, ValueError) as error:  # ValueError: no name at all, or a NUL in it
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
    exact: Document = json.loads(reader.text, parse_float=_rational)
    return exact


def _rational(text: str) -> Fraction | int:
    value = Fraction(text)
    return value.numerator if value.denominator == 1 else value  # 1.0 may be an index


def _instance(document: Document, path: str | Path) -> Instance:
    return _build(document, path, documents.to_instance, INSTANCE)


def _workload(document: Document, path: str | Path) -> Workload:
    return _build(document, path, documents.to_workload, WORKLOAD)


def _solution(document: Document, path: str | Path) -> SolutionFile:
    def build(document: Document) -> SolutionFile:
        return SolutionFile(
            solution=documents.to_solution(document),
            instance_digest=document["instance"],
            method=document.get("method"),
            objective=document.get("objective"),
            bound=document.get("bound"),
        )

    return _build(document, path, build, SOLUTION)


def _build(
    document: Document, path: str | Path, build: Callable[[Document], T], expected: str
) -> T:
    if document["format"] != expected:
        raise InputError("/format", document["format"], repr(expected), path)
    try:
        return build(document)
    except InputError as error:
        raise error.at(path) from None


def fit(document: Any, schema_text: str, path: str | Path) -> None:
    """
    Refuse a document that does not fit a JSON Schema, naming the first entry that does not.

    For documents of other kinds, read elsewhere: `path` is where from.
    """
    validator = _validator_of(schema_text)
    if not validator.is_valid(document):
        raise InputError(*_misfit(validator, document), path)


@cache
def _validator_of(schema_text: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(json.loads(schema_text))


@cache
def _validator(kind: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema(kind))


def _misfit(validator: jsonschema_rs.Draft202012Validator, document: Any) -> tuple[str, Any, str]:
    """Pointer, value found and what was expected, of the first entry that does not fit."""
    error = next(validator.iter_errors(document))
    value, pointer = document, ""
    for step in error.instance_path:
        value, pointer = value[step], f"{pointer}/{escaped(str(step))}"
    step, found, expected = explain(error.kind, value)
    return pointer + step, found, expected


class _Odd(str):
    """A number that no double holds, as its text."""


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
        if self.odd or _SURROGATE.search(self.text):
            self._refuse_odd(parsed)
        if not isinstance(parsed, dict):
            self._fail("", described(_kind_of(parsed)), "an object")
        if "format" not in parsed:
            self._fail("", described("no key 'format'"), "this key")
        kind = parsed["format"]
        if not isinstance(kind, str) or kind not in SCHEMAS:
            self._fail("/format", kind, f"one of {', '.join(SCHEMAS)}")
        if not _validator(SCHEMAS[kind]).is_valid(parsed):
            self._refuse(kind, parsed)
        self._refuse_deep(parsed)
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
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
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
        if value == 0 and _NOT_ZERO.match(text):  # 1e-999999999: hours of work as a Fraction
            return self._not_finite(text)
        known = isfinite(value) and len(text) <= LONGEST_NUMBER
        return value if known else self._not_finite(text)

    def _int(self, text: str) -> int | str:
        return int(text) if isfinite(float(text)) else self._not_finite(text)

    def _not_finite(self, text: str) -> str:
        self.odd = True
        return _Odd(text)

    def _refuse_odd(self, document: Any) -> None:
        for where, value in _walk(document):
            if isinstance(value, _Odd):
                self._fail(where, described(value), "a finite number that a double can hold")
            if isinstance(value, _Twice):
                self._fail(f"{where}/{escaped(value.key)}", described("the key twice"), "it once")
            for text in value if isinstance(value, dict) else [value]:
                if isinstance(text, str) and not _encodes(text):
                    self._fail(where, text, "Unicode text without lone surrogates")

    def _refuse_deep(self, document: Document) -> None:
        jobs = enumerate(document.get("jobs", ()))
        free = {f"/jobs/{j}/meta": job["meta"] for j, job in jobs if "meta" in job}
        free["/generator"] = document.get("generator")
        for root, part in free.items():
            if any(where.count("/") > DEEPEST for where, _ in _walk(part)):
                found = described("brackets nested too deeply")
                self._fail(root, found, f"at most {DEEPEST} levels")

    def _refuse(self, kind: str, parsed: Any) -> NoReturn:
        self._fail(*_misfit(_validator(SCHEMAS[kind]), parsed))

    def _fail(self, pointer: str, value: Any, expected: str) -> NoReturn:
        raise InputError(pointer, value, expected, self.path) from None


def _walk(document: Any) -> Iterator[tuple[str, Any]]:
    """Every entry with its pointer, in document order; no recursion: it may be nested deeply."""
    left: list[tuple[str, Any]] = [("", document)]
    while left:
        where, value = left.pop()
        yield where, value
        if isinstance(value, dict):
            left += [(f"{where}/{escaped(key)}", entry) for key, entry in value.items()][::-1]
        elif isinstance(value, list):
            left += [(f"{where}/{i}", entry) for i, entry in enumerate(value)][::-1]


def _encodes(text: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in text)


def _kind_of(value: Any) -> str:
    return f"an array of {len(value)}" if isinstance(value, list) else repr(value)


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)
