"""
Values of a configuration with their JSON pointers, and what they may refer to.

Columns of CSV files, beside the configuration, and functions of other packages, by entry point:

    group                    what is called               what it returns
    rsjs.mig.distributions   f(u, **params)               a float per uniform
    rsjs.mig.memory_models   f(run_length, u, **params)   MB per time unit; u has one number each
    rsjs.mig.fields          f(jobs, u, **params)         a JSON value per job; jobs: its columns

A function that uses nothing but its arguments gives the same jobs everywhere. Its attribute
`schema`, if there is one, is the JSON Schema of `params`. Since code of other packages runs, none
is loaded unless that is allowed.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from rsjs.core.entry_points import offers
from rsjs.core.errors import InputError, described, escaped
from rsjs.core.types import Floats
from rsjs.instances.io.bounded_files import read_bytes, read_text
from rsjs.instances.io.csv_tables import read_rows
from rsjs.instances.io.json_schema import fit
from rsjs.instances.io.serialization import canonical_text
from rsjs.instances.mig.io import nearest_first

PREFIX = "plugin:"
DISTRIBUTIONS = "rsjs.mig.distributions"
MEMORY_MODELS = "rsjs.mig.memory_models"
FIELDS = "rsjs.mig.fields"


@dataclass(frozen=True, kw_only=True)
class ConfigContext:
    """Files and plug-ins that a configuration may refer to, and those that it did refer to."""

    folder: Path  # where relative names of data files begin
    allow_plugins: bool = False  # whether code of other packages may be loaded
    # filled while reading: name of each data file and its sha256
    files: dict[str, str] = field(default_factory=dict)
    # filled while reading: name of each entry point and the package and version it is from
    plugins: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a configuration that fits the schema, and its JSON pointer."""

    value: Any
    pointer: str
    context: ConfigContext

    def __getitem__(self, key: str | int) -> Any:
        return self.value[key]

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def at(self, *keys: str | int) -> Node:
        """Return the node below."""
        value, pointer = self.value, self.pointer
        for key in keys:
            value, pointer = value[key], f"{pointer}/{escaped(str(key))}"
        return Node(value, pointer, self.context)

    def parts(self, key: str) -> list[Node]:
        """Return the entries of the array under a key."""
        return [self.at(key, i) for i in range(len(self.value[key]))]

    def error(self, expected: str, *, value: Any = None) -> InputError:
        """Return an error at this pointer; `value` if what was found is not what stands here."""
        found = self.value if value is None else value
        if isinstance(found, dict):
            found = described("an object")
        return InputError(self.pointer, found, expected)


def numbers(node: Node) -> Floats:
    """
    Return the numbers in the column `column` of the CSV file `file`, with a line of names.

    The file and its sha256 are noted for the record of the set of jobs.
    """
    name, column = node["file"], node["column"]
    path = Path(node.context.folder, name)
    try:
        lines = StringIO(read_text(path, encoding="utf-8-sig"), newline="")
        header = [name.strip() for name in next(csv.reader(lines), [])]
    except csv.Error as error:
        raise InputError("", described(str(error)), "CSV text", path) from None
    except InputError as error:
        raise node.at("file").error(f"a readable file: {error.value}") from None
    if header.count(column) != 1:
        known = nearest_first(column, header) or "it has none"
        raise node.at("column").error(f"a column of {name}: {known}")
    values = [row.number(column, signed=True) for row in read_rows(path, header)]
    node.context.files[name] = sha256(read_bytes(path)).hexdigest()
    return np.array(values)


def plugin_numbers(group: str, node: Node, key: str) -> Callable[..., Floats]:
    """Load a plug-in that returns a number for each of the uniforms, its last argument."""
    call = _plugin(group, node, key)
    return lambda *arguments: _floats(node, call(*arguments), len(arguments[-1]))


def plugin_field(node: Node) -> Callable[[dict[str, Any], Floats], list[Any]]:
    """Load the field of a plug-in, of columns and uniforms."""
    call = _plugin(FIELDS, node, "plugin")

    def values(jobs: dict[str, Any], u: Floats) -> list[Any]:
        returned = call(jobs, u)
        try:
            column = returned.tolist() if isinstance(returned, np.ndarray) else list(returned)
            canonical_text({"": column}).encode()
        except (TypeError, ValueError, RecursionError) as error:
            shown = described(str(error))
            raise node.error("JSON values from the plug-in", value=shown) from None
        if len(column) != len(u):
            raise node.error(f"{len(u)} values", value=described(f"{len(column)} values"))
        return column

    return values


def _plugin(group: str, node: Node, key: str) -> Callable[..., Any]:
    """Load the entry point that the node names under a key, its `params` filled in."""
    name, context = node[key].removeprefix(PREFIX), node.context
    if not context.allow_plugins:
        expected = "one of ours, or --allow-plugins, as the code of another package would run"
        raise node.at(key).error(expected)
    known = offers(group)
    if name not in known:
        names = nearest_first(name, known) or "none is installed"
        raise node.at(key).error(f"an entry point of {group}: {names}")
    offer, params = known[name], node.value.get("params", {})
    try:
        call = offer.load()
    except InputError as error:
        raise InputError(node.at(key).pointer, error.value, error.expected) from None
    try:
        fit(params, json.dumps(getattr(call, "schema", None) or {}), "")
    except InputError as error:
        place = f"{node.pointer}/params{error.pointer}"
        raise InputError(place, error.value, error.expected) from None
    except (TypeError, ValueError, RecursionError) as error:
        shown = described(f"{error} in the schema of {offer.package}")
        raise InputError(node.at(key).pointer, shown, "a JSON Schema") from None
    context.plugins[f"{group}:{name}"] = offer.package

    def values(*arguments: Any) -> Any:
        try:
            return call(*arguments, **params)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit, too
            shown = described(f"{type(error).__name__}: {error}")
            raise node.error(f"values from {name} of {offer.package}", value=shown) from None

    return values


def _floats(node: Node, returned: Any, n: int) -> Floats:
    """Return what a plug-in returned as n finite numbers."""
    expected = f"{n} finite numbers from the plug-in"
    try:
        values = np.asarray(returned, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise node.error(expected, value=described(str(error))) from None
    if values.shape != (n,) or not np.isfinite(values).all():
        shown = described(f"an array of shape {values.shape}, or numbers that are not finite")
        raise node.error(expected, value=shown)
    return values
