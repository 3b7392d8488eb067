"""Catalogues of node types and JSON Schemas as data, and as text."""

from __future__ import annotations

import json
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from rsjs.cli.console import console, plain_table
from rsjs.instances.catalogue.node_types import MEMBERS, price
from rsjs.reporting.tables.formats import MISSING

SCHEMAS = (  # package, folder
    ("rsjs.instances", "data"),
    ("rsjs.instances.mig", "data"),
    ("rsjs.instances.profiles", "data"),
    ("rsjs.campaigns", "schemas"),
)


def catalogues() -> dict[str, list[dict[str, Any]]]:
    """Catalogue -> its node types: GPUs, price, where the price is from."""
    return {
        name: [
            {
                "node_type": priced["vm_type"],
                "gpu_type": priced["gpu"],
                "gpus": int(priced["gpus"]),
                "cost_per_hour": float(priced["cost_per_hour"]),
                "currency": priced["currency"],
                "source": priced["source"],
                "status": priced["status"],
            }
            for priced in (price(name, member) for member in members)
        ]
        for name, members in MEMBERS.items()
    }


def print_catalogues(found: dict[str, list[dict[str, Any]]]) -> None:
    """One table: a row per node type, a column of prices per catalogue."""
    table = plain_table("Node types and their prices [$/h]")
    for heading in ("node type", "GPUs", *found):
        table.add_column(heading, justify="left" if heading == "node type" else "right")
    entries = [entry for node_types in found.values() for entry in node_types]
    kinds = dict.fromkeys((e["node_type"], e["gpus"], e["gpu_type"]) for e in entries)
    for name, gpus, gpu_type in kinds:
        costs = (
            next((f"{e['cost_per_hour']:g}" for e in members if e["node_type"] == name), MISSING)
            for members in found.values()
        )
        table.add_row(name, f"{gpus} x {gpu_type}", *costs)
    console().print(table)
    print()
    for name, members in found.items():
        for e in members:
            if not e["status"].startswith("printed"):
                what = f"{name}, {e['node_type']}: {e['cost_per_hour']:g} {e['currency']}/h"
                print(f"{what} is {e['status']} ({e['source']})")


def schemas() -> list[dict[str, Any]]:
    """The file formats with their JSON Schemas."""
    folders = (files(package) / folder for package, folder in SCHEMAS)
    return [
        _schema(file)
        for folder in folders
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".schema.json")
    ]


def _schema(file: Traversable) -> dict[str, Any]:
    schema = json.loads(file.read_text("utf-8"))
    told = schema.get("properties", {}).get("format", {})
    name = file.name.removesuffix(".schema.json")
    return {
        "format": told.get("const", told.get("enum", [name])[0]),
        "file": str(file),
        "title": schema["title"],
        "schema": schema,
    }


def print_schemas(found: list[dict[str, Any]]) -> None:
    """Format, meaning and file; `--json` has the schemas themselves."""
    for entry in found:
        print(f"{entry['format']}: {entry['title']}")
        print(f"  {entry['file']}")
