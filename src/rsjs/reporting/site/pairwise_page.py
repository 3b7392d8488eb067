"""Any two methods set against each other: counts, tests, and their values problem by problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import pandas as pd

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import Family, grouped
from rsjs.reporting.site.plots import embedded
from rsjs.reporting.site.urls import instance_page, method_page
from rsjs.reporting.statistics import measures
from rsjs.reporting.statistics.pairwise import TIE
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.labels import shortened
from rsjs.reporting.tables.table import Row, Table
from rsjs.rows.select import known

EFFORT: Sequence[tuple[str, str, Callable[[float], str]]] = (
    ("build [s]", "build_s", formats.measured),
    ("solve [s]", "solve_s", formats.measured),
    ("CPU [s]", "cpu_s", formats.measured),
    ("search nodes", "search_nodes", formats.count),
    ("iterations", "iterations", formats.count),
)
TESTED = ("wins", "ties", "losses", "better", "effect", "p", "holm")


def content(families: Sequence[Family], downloads: Downloads) -> dict[str, Any]:
    """What the template `pairwise` needs."""
    several = [family for family in families if len(family.compared) > 1]
    tables = [
        downloads.with_files(_table(family, name), family.name)
        for family in several
        for name in ("pairs-by-cost", "pairs-by-time")
        if name in family.tables
    ]
    return {
        "families": [family.name for family in several],
        "data": embedded({family.name: _data(family) for family in several}),
        "tables": tables,
        "tie": f"{100 * TIE:g} %",
    }


def _table(family: Family, name: str) -> Table:
    table = family.tables[name]
    return replace(
        table,
        title=f"{family.name}: {table.title.lower()}",
        id=f"{family.name}-{name}",
        footer=family.footer,
        link=_link,
        is_open=False,
    )


def _link(line: Row, key: str) -> str:
    if key in ("one", "losses"):
        return method_page(line["one"])
    return method_page(line["other"]) if key in ("other", "wins") else ""


def _data(family: Family) -> dict[str, Any]:
    """
    What the page computes with.

    values: measure -> method -> one number for each problem, None where it failed or was not run;
    pairs: measure -> the numbers of TESTED for each pair, as `statistics.pairwise` orders them;
    effort: method -> the medians of EFFORT over its runs and its versions, as text.
    """
    runs = family.analysis.runs
    matrices = {"cost": measures.matrix(runs, runs["objective"])}
    if not family.is_shared:
        matrices["time"] = family.analysis.times
    problems = next(iter(matrices.values())).index
    pages = {row["instance"]: instance_page(row) for row in family.rows}
    common, short = shortened([name for name, *_ in problems])
    return {
        "methods": family.summary.index.tolist(),
        "pages": {name: method_page(name) for name in family.compared},
        "common": common,
        "problems": [f"{short[name]}, seed {seed}" for name, seed, _ in problems],
        "places": [pages[name] for name, *_ in problems],
        "values": {
            measure: {name: _numbers(table[name]) for name in family.compared}
            for measure, table in matrices.items()
        },
        "notes": {
            measure: " ".join(family.tables[f"pairs-by-{measure}"].notes) for measure in matrices
        },
        "effort": {
            name: _effort(runs_of_method)
            for name, runs_of_method in grouped(family.rows, "method").items()
        },
        "labels": [*(label for label, _, _ in EFFORT), "version"],
        "shared": family.is_shared,
        "pairs": {
            measure: _tested(family.tables[f"pairs-by-{measure}"].rows) for measure in matrices
        },
    }


def _effort(rows: Sequence[Row]) -> list[str]:
    """Return the medians over the runs that tell them, and the versions of solver and package."""
    texts = []
    for _, key, show in EFFORT:
        found = [value for row in rows if (value := known(row, key)) is not None]
        texts.append(show(median(found)) if found else formats.MISSING)
    versions = {
        word: sorted({str(row[key]) for row in rows if known(row, key)})
        for word, key in (("solver", "solver_version"), ("rsjs-bench", "rsjs_version"))
    }
    told = [f"{word} {' and '.join(found)}" for word, found in versions.items() if found]
    return [*texts, ", ".join(told) or formats.MISSING]


def _numbers(values: pd.Series) -> list[float | None]:
    return [None if pd.isna(value) else float(value) for value in values]


def _tested(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, list[float]]:
    return {
        f"{line['one']}\n{line['other']}": [float(line[key]) for key in TESTED] for line in rows
    }
