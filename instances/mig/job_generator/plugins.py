"""
Laws, memory models and fields of other packages, by entry point.

    group                    what is called               what it returns
    rsjs.mig.distributions   f(u, **params)               a float per uniform
    rsjs.mig.memory_models   f(run_length, u, **params)   MB per time unit; u has one number each
    rsjs.mig.fields          f(jobs, u, **params)         a JSON value per job; jobs: its columns

A function that uses nothing but its arguments gives the same jobs everywhere. Its attribute
`schema`, if there is one, is the JSON Schema of `params`. Since code of other packages runs, none
is loaded unless that is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rsjs.core.entry_points import offers
from rsjs.core.errors import InputError, described
from rsjs.core.types import Floats
from rsjs.instances.io.json_schema import fit
from rsjs.instances.io.serialization import canonical_text
from rsjs.instances.mig.io import Node, nearest_first
from rsjs.instances.mig.job_generator.random_streams import Uniforms

PREFIX = "plugin:"
DISTRIBUTIONS = "rsjs.mig.distributions"
MEMORY_MODELS = "rsjs.mig.memory_models"
FIELDS = "rsjs.mig.fields"


@dataclass(frozen=True)
class Plugins:
    """
    Attributes
    ----------
    allowed : bool
        Whether code of other packages may be loaded.
    loaded : dict
        Filled on the way: name of each entry point and the package and version it is from.
    """

    allowed: bool = False
    loaded: dict[str, str] = field(default_factory=dict)

    def law(self, node: Node, name: str) -> Callable[[Uniforms], Floats]:
        """A distribution."""
        call = self._function(DISTRIBUTIONS, node, "dist", name.removeprefix(PREFIX))
        return lambda source: floats(node, call(source.u), len(source.u))

    def memory_model(self, node: Node, name: str) -> Callable[..., Floats]:
        """A memory model, of run lengths and uniforms."""
        call = self._function(MEMORY_MODELS, node, "model", name.removeprefix(PREFIX))
        return lambda run_length, u: floats(node, call(run_length, u), len(u))

    def field(self, node: Node) -> Callable[..., list[Any]]:
        """A field, of columns and uniforms."""
        call = self._function(FIELDS, node, "plugin", node["plugin"])

        def values(jobs: dict[str, Any], u: Floats) -> list[Any]:
            found = call(jobs, u)
            try:
                column = found.tolist() if isinstance(found, np.ndarray) else list(found)
                canonical_text({"": column}).encode()
            except (TypeError, ValueError, RecursionError) as error:
                raise node.error(
                    "JSON values from the plug-in", value=described(str(error))
                ) from None
            if len(column) != len(u):
                raise node.error(f"{len(u)} values", value=described(f"{len(column)} values"))
            return column

        return values

    def _function(self, group: str, node: Node, key: str, name: str) -> Callable[..., Any]:
        if not self.allowed:
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
            found = described(f"{error} in the schema of {offer.package}")
            raise InputError(node.at(key).pointer, found, "a JSON Schema") from None
        self.loaded[f"{group}:{name}"] = offer.package

        def values(*arguments: Any) -> Any:
            try:
                return call(*arguments, **params)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # SystemExit, too
                told = described(f"{type(error).__name__}: {error}")
                raise node.error(f"values from {name} of {offer.package}", value=told) from None

        return values


def floats(node: Node, found: Any, n: int) -> Floats:
    """What a plug-in returned, as n finite numbers."""
    try:
        values = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise node.error(
            f"{n} finite numbers from the plug-in", value=described(str(error))
        ) from None
    if values.shape != (n,) or not np.isfinite(values).all():
        shown = described(f"an array of shape {values.shape}, or numbers that are not finite")
        raise node.error(f"{n} finite numbers from the plug-in", value=shown)
    return values
