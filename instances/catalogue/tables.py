"""
The tables of the catalogue, in `data/`: each number with its status and source.

Status words: `measured` (a published measurement of that network on that GPU type, or a fit to
such), `interpolated` (a measurement times a measured ratio), `estimated` (a transferred ratio or
a hardware specification, +-35 %), `invented` (chosen to match words in a paper), `printed` (a
number printed in a source paper). Source codes such as TFB are rows of the table "sources".
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from rsjs.instances.arguments import one_of

TABLES = (
    "arrivals",
    "epochs_distribution",
    "gpu_types",
    "memory",
    "power_training",
    "sources",
    "step_time_model",
    "vm_costs",
)


@cache
def table(name: str) -> tuple[Mapping[str, str], ...]:
    """The rows of one of `TABLES`, column -> text."""
    one_of("table", name, TABLES)
    text = files("rsjs.instances").joinpath("data", f"{name}.csv").read_text("utf-8")
    return tuple(MappingProxyType(row) for row in csv.DictReader(text.splitlines()))


@cache
def gpu_names() -> tuple[str, ...]:
    """All GPU types, in the order of the table."""
    return tuple(row["gpu"] for row in table("gpu_types"))


@cache
def networks() -> tuple[str, ...]:
    """All networks, in the order of the table."""
    return tuple(dict.fromkeys(row["network"] for row in table("step_time_model")))
