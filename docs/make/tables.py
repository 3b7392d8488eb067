"""What the makers of pages share: stored rows as data frames, and Markdown of tables."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from rsjs.methods import parse
from rsjs.reporting.tables.formats import MISSING, percent
from rsjs.reporting.tables.table import Column, Table
from rsjs.rows.csv import read_rows
from rsjs.rows.select import refuse_bounds_above_costs

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
CODE = (
    "method",
    "policy",
    "model",
    "controllers' method",
    "over that of",
)  # heads of columns of code
Parts = dict[str, pd.DataFrame]  # heading -> rows


def stored(path: str) -> pd.DataFrame:
    """Return the rows of a file below results/, None where nothing is known."""
    return pd.DataFrame(read_rows(RESULTS / path))


def simulated(path: str) -> pd.DataFrame:
    """Return the rows of simulations; InputError naming two of which one refutes the other."""
    rows = read_rows(RESULTS / path)
    refuse_bounds_above_costs(rows, key=lambda row: row["instance"])
    return pd.DataFrame(rows)


def methods_of(campaign: str) -> list[str]:
    """Return the methods of a campaign of the benchmarks in its order, spelled as in rows."""
    spec = tomllib.loads((ROOT / "benchmarks" / "campaigns" / campaign).read_text())
    given = (method for entry in spec["methods"] for method in entry["run"])
    return [*dict.fromkeys(parse(method).spelling for method in given)]


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table whose first column is words and whose others are figures."""
    names = iter(("method", "other"))  # keys whose cells are code
    keys = [next(names) if head in CODE else str(i) for i, head in enumerate(heads)]
    columns = [
        Column(key, head, align="left" if i == 0 or head in CODE else "right", missing="")
        for i, (key, head) in enumerate(zip(keys, heads, strict=True))
    ]
    cells = [dict(zip(keys, map(str, row), strict=True)) for row in rows]
    return Table(columns=columns, rows=cells).markdown()


def grid(
    head: str, names: Iterable[str], parts: Parts, cell: Callable[[pd.DataFrame, str], str]
) -> str:
    """Return the Markdown table of a cell for each name and part."""
    rows = ([name, *(cell(part, name) for part in parts.values())] for name in names)
    return table([head, *parts], rows)


def versions(rows: pd.DataFrame) -> str:
    """Return the versions of the package, and of the solver of each method, that made some rows."""
    solver = rows["method"].str.extract(r"@(\w+)")[0]
    pairs = {("rsjs-bench", version) for version in rows["rsjs_version"]}
    solvers = (
        {*zip(solver, rows["solver_version"], strict=True)} if "solver_version" in rows else {}
    )
    solvers = {(name, version) for name, version in solvers if isinstance(name, str) and version}
    return ", ".join(f"{name} {version}" for name, version in (*sorted(pairs), *sorted(solvers)))


def proved(row: Any) -> bool:
    """Return whether a run proved its gap limit by itself, whatever bound another one has."""
    gap = row["own_gap"]
    return bool(row["status"] == "ok" and pd.notna(gap) and gap <= row["gap_limit"] * (1 + 1e-9))


def number(value: Any) -> str:
    """Return a ratio with 3 decimals, an en dash where there is none."""
    if pd.isna(value):
        return MISSING
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def share(value: Any) -> str:
    """Return a share in per cent."""
    return MISSING if pd.isna(value) else f"{percent(value)} %"
