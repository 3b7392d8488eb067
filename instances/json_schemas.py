"""JSON Schemas of the documents, and what of a document does not fit one."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs

from rsjs.instances.documents import INSTANCE, SOLUTION, WORKLOAD, Document
from rsjs.instances.errors import InputError, escaped
from rsjs.instances.schema_errors import explain

SCHEMAS = {INSTANCE: "instance", WORKLOAD: "workload", SOLUTION: "solution"}


def schema(kind: str) -> Document:
    """The published JSON Schema (2020-12) of "instance", "workload" or "solution"."""
    text = files("rsjs.instances").joinpath("data", f"{kind}.schema.json").read_text("utf-8")
    document: Document = json.loads(text)
    return document


def fit(document: Any, schema_text: str, path: str | Path) -> None:
    """
    Refuse a document that does not fit a JSON Schema, naming the first entry that does not.

    For documents of other kinds, read elsewhere: `path` is where from.
    """
    validator = _validator_of(schema_text)
    if not validator.is_valid(document):
        raise InputError(*misfit(validator, document), path)


@cache
def _validator_of(schema_text: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(json.loads(schema_text))


@cache
def validator_for(kind: str) -> jsonschema_rs.Draft202012Validator:
    """The validator of "instance", "workload" or "solution"."""
    return jsonschema_rs.Draft202012Validator(schema(kind))


def misfit(validator: jsonschema_rs.Draft202012Validator, document: Any) -> tuple[str, Any, str]:
    """Pointer, value found and what was expected, of the first entry that does not fit."""
    error = next(validator.iter_errors(document))
    value, pointer = document, ""
    for step in error.instance_path:
        value, pointer = value[step], f"{pointer}/{escaped(str(step))}"
    step, found, expected = explain(error.kind, value)
    return pointer + step, found, expected
