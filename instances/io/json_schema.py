"""JSON Schemas of the documents, and the first entry of a document that does not fit, in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs

from rsjs.core.errors import InputError, described, escaped
from rsjs.instances.io.serialization import INSTANCE, SOLUTION, WORKLOAD

SCHEMAS = {INSTANCE: "instance", WORKLOAD: "workload", SOLUTION: "solution"}
DEEPEST = 100  # levels of brackets, as a validator shows at most 255


class TextLike(str):
    """Expectation to report where a text does not fit a pattern."""


_TYPES = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_EXPECTED: dict[str, Callable[[Any], str]] = {
    "type": lambda kind: " or ".join(_TYPES[name] for name in kind.types),
    "minimum": lambda kind: f"a number >= {kind.limit}",
    "maximum": lambda kind: f"a number <= {kind.limit}",
    "exclusiveMinimum": lambda kind: f"a number > {kind.limit}",
    "minLength": lambda kind: f"at least {kind.limit} character",
    "minItems": lambda kind: f"at least {kind.limit} {'entry' if kind.limit == 1 else 'entries'}",
    "maxItems": lambda kind: f"at most {kind.limit} entries",
    "minProperties": lambda kind: f"at least {kind.limit} {'key' if kind.limit == 1 else 'keys'}",
    "const": lambda kind: repr(kind.expected_value),
    "enum": lambda kind: f"one of {', '.join(map(str, kind.options))}",
    "pattern": lambda kind: TextLike(f"text like {kind.pattern}"),
}


def explain(kind: Any, value: Any) -> tuple[str, Any, str]:
    """
    Return one step further to the entry, value found and what was expected.

    From a validator's error kind and the value it complains of.
    """
    if kind.name == "required":
        return "", described(f"no key {kind.property!r}"), "this key"
    if kind.name == "additionalProperties":
        key = kind.unexpected[0]
        return f"/{escaped(key)}", described(f"unknown key {key!r}"), "known keys only"
    if isinstance(value, dict | list):
        value = described(
            f"{'an object' if isinstance(value, dict) else 'an array'} of {len(value)}"
        )
    return "", value, _EXPECTED.get(kind.name, _of_keyword)(kind)


def _of_keyword(kind: Any) -> str:
    """Describe a keyword of JSON Schema that has no words above: its name and its argument."""
    argument = ", ".join(map(str, kind.as_dict().values()))
    return f"what the schema's keyword {kind.name} {argument}".rstrip() + " asks for"


@cache
def schema_text(kind: str, package: str = "rsjs.instances") -> str:
    """Read a published JSON Schema (2020-12), e.g. "instance", from the data of a package."""
    return (files(package) / "data" / f"{kind}.schema.json").read_text("utf-8")


def fit(document: Any, schema_text: str, path: str | Path | None) -> None:
    """Refuse a document that does not fit a JSON Schema, naming the first entry that does not."""
    validator = _validator_of(schema_text)
    if not validator.is_valid(document):
        raise InputError(*_misfit(validator, document), path)


@cache
def _validator_of(schema_text: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(json.loads(schema_text))


def _misfit(validator: jsonschema_rs.Draft202012Validator, document: Any) -> tuple[str, Any, str]:
    """Return pointer, value found and what was expected, of the first entry that does not fit."""
    if (where := too_deep(document, DEEPEST)) is not None:
        return where, described("brackets nested too deeply"), f"at most {DEEPEST} levels"
    error = next(validator.iter_errors(document))
    steps = _steps(document, error.instance_path, error.instance) or error.instance_path
    step, found, expected = explain(error.kind, error.instance)
    return pointer(steps) + step, found, expected


def too_deep(document: Any, most: int) -> str | None:
    """Return the pointer of the first entry below more than `most` levels of brackets, or None."""
    return next((pointer(steps) for steps, _ in walk(document) if len(steps) > most), None)


def walk(document: Any) -> Iterator[tuple[list[str | int], Any]]:
    """
    Yield every entry with the steps to it, in document order, at any depth without recursion.

    The steps are one list, which changes on the way; `pointer` tells where it leads.
    """
    steps: list[str | int] = []
    yield steps, document
    levels = [_entries(document)]
    while levels:
        del steps[len(levels) - 1 :]
        step, value = next(levels[-1], (None, None))
        if step is None:
            levels.pop()
            continue
        steps.append(step)
        yield steps, value
        if isinstance(value, dict | list):
            levels.append(_entries(value))


def _entries(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return iter(value.items())
    return iter(enumerate(value) if isinstance(value, list) else ())


def pointer(steps: Iterable[str | int]) -> str:
    """Return the JSON pointer of an entry."""
    return "".join(f"/{escaped(str(step))}" for step in steps)


def _steps(value: Any, path: list[str | int], end: Any) -> list[str | int] | None:
    """Return a validator's path to an entry with the empty keys that it leaves out."""
    if not path and value == end:
        return []
    if isinstance(value, list):
        known = path and isinstance(path[0], int) and path[0] < len(value)
    else:
        known = path and isinstance(value, dict) and path[0] in value
    if known and (rest := _steps(value[path[0]], path[1:], end)) is not None:
        return [path[0], *rest]
    if isinstance(value, dict) and "" in value:
        rest = _steps(value[""], path, end)
        return None if rest is None else ["", *rest]
    return None
