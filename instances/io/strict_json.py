"""JSON as the suite takes it: each key once, numbers that a double holds, text that encodes."""

from __future__ import annotations

import json
import re
from collections import Counter
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from rsjs.core.errors import InputError, described
from rsjs.instances.io.bounded_files import MOST_VALUES, read_text
from rsjs.instances.io.json_schema import SCHEMAS, fit, pointer, schema_text, too_deep, walk
from rsjs.instances.io.serialization import Document

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # as JSON escapes one
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])')
_NOT_ZERO = re.compile(r"[-0.]*[1-9]")

LONGEST_NUMBER = 1100  # characters: any double written out in full
DEEPEST = 50  # levels of brackets in `meta` and `generator`, which may hold anything


class _Odd(str):
    """A number that no double holds, as its text."""


class _Twice(dict[str, Any]):
    """An object in which a key stands twice."""

    key: str


class Reader:
    """
    Reader of one JSON file: parses and validates it; errors become an InputError with a pointer.

    Parameters
    ----------
    path : Path
    data : bytes, optional
        What the file holds, if it is no file to be read.
    """

    def __init__(self, path: Path, data: bytes | None = None) -> None:
        self.path, self.odd = path, False
        self.text = read_text(path, data)
        if sum(map(self.text.count, "[{,")) > MOST_VALUES:
            found = described("more brackets and commas than that")
            self._fail("", found, f"at most {MOST_VALUES} values")

    def document(self) -> Document:
        parsed = self._parse()
        if self.odd or _SURROGATE.search(self.text):
            self._refuse_odd(parsed)
        if not isinstance(parsed, dict):
            kind = f"an array of {len(parsed)}" if isinstance(parsed, list) else repr(parsed)
            self._fail("", described(kind), "an object")
        if "format" not in parsed:
            self._fail("", described("no key 'format'"), "this key")
        name = parsed["format"]
        if not isinstance(name, str) or name not in SCHEMAS:
            of_mig = str(name).startswith("rsjs-mig-")
            more = "; `rsjs mig` takes what is found" if of_mig else ""
            self._fail("/format", name, f"one of {', '.join(SCHEMAS)}{more}")
        fit(parsed, schema_text(SCHEMAS[name]), self.path)
        self._refuse_deep(parsed)
        document: Document = parsed
        return document

    def any(self) -> Any:
        """Return a document of any kind, read as strictly as instances are."""
        parsed = self._parse()
        if self.odd or "\\u" in self.text:
            self._refuse_odd(parsed)
        return parsed

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
        entries = dict(pairs)
        if len(entries) == len(pairs):
            return entries
        self.odd = True
        twice = _Twice(entries)
        counted = Counter(key for key, _ in pairs)
        twice.key = next(key for key, count in counted.items() if count > 1)
        return twice

    def _float(self, text: str) -> float | str:
        value = float(text)
        if value == 0 and _NOT_ZERO.match(text):  # 1e-999999999
            return self._not_finite(text)
        known = isfinite(value) and len(text) <= LONGEST_NUMBER
        return value if known else self._not_finite(text)

    def _int(self, text: str) -> int | str:
        return int(text) if isfinite(float(text)) else self._not_finite(text)

    def _not_finite(self, text: str) -> str:
        self.odd = True
        return _Odd(text)

    def _refuse_odd(self, document: Any) -> None:
        for steps, value in walk(document):
            if isinstance(value, _Odd):
                expected = "a finite number that a double can hold"
                self._fail(pointer(steps), described(value), expected)
            if isinstance(value, _Twice):
                self._fail(pointer([*steps, value.key]), described("the key twice"), "it once")
            for text in value if isinstance(value, dict) else [value]:
                if isinstance(text, str) and any("\ud800" <= c <= "\udfff" for c in text):
                    self._fail(pointer(steps), text, "Unicode text without lone surrogates")

    def _refuse_deep(self, document: Document) -> None:
        jobs = enumerate(document.get("jobs", ()))
        free = {f"/jobs/{j}/meta": job["meta"] for j, job in jobs if "meta" in job}
        free["/generator"] = document.get("generator")
        for root, part in free.items():
            if too_deep(part, DEEPEST) is not None:
                found = described("brackets nested too deeply")
                self._fail(root, found, f"at most {DEEPEST} levels")

    def _fail(self, pointer: str, value: Any, expected: str) -> NoReturn:
        raise InputError(pointer, value, expected, self.path) from None


def read_json(path: str | Path, *, lenient: bool = False) -> Any:
    """
    Return the JSON document in a file, .gz or not; an InputError tells what is wrong with it.

    Parameters
    ----------
    lenient : bool
        Allow a comma before a closing bracket, as the published program does.
    """
    reader = Reader(Path(path))
    if lenient:
        reader.text = _STRING_OR_COMMA.sub(
            lambda match: " " if match[0] == "," else match[0], reader.text
        )
    return reader.any()


def read_json_lines(path: str | Path, data: bytes | None = None) -> list[Any]:
    """Return the JSON documents on the lines of a file, or its `data`; an error names the line."""
    reader = Reader(Path(path), data)
    found = []
    for number, line in enumerate(reader.text.removesuffix("\n").split("\n"), start=1):
        reader.text, reader.odd = line, False
        try:
            found.append(reader.any())
        except InputError as error:
            where = f"line {number}{error.pointer}"
            raise InputError(where, error.value, error.expected, path) from None
    return found
