"""Tables of docs/reference/columns.md from the declarations of the columns."""

from __future__ import annotations

from functools import partial

from rsjs.reporting.tables.table import Column, Table
from rsjs.rows.columns import COLUMNS

TYPES = {str: "text", float: "number", int: "integer", bool: "True, False"}
HEADS = {"method": "column", "type": "type", "unit": "unit", "by": "by", "meaning": "meaning"}


def columns(kind: str) -> str:
    """Return the columns of a kind of problem; "" = of all."""
    rows = [
        {**vars(one), "method": one.name, "type": TYPES[one.type]}  # a method is shown as code
        for one in COLUMNS.values()
        if one.kind == kind
    ]
    heads = [Column(key, head, align="left", missing="") for key, head in HEADS.items()]
    return Table(columns=heads, rows=rows).markdown()


TABLES = {
    "columns": partial(columns, ""),
    "simulations": partial(columns, "workload"),
    "schedules": partial(columns, "mig_scheduling"),
    "placements": partial(columns, "mig_placement"),
}
