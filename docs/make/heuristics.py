"""Tables and picture of docs/results/heuristics.md from rows of campaigns/heuristics.toml."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from docs.make.tables import RESULTS, methods_of, stored, table
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.runs import cost_over_time
from rsjs.reporting.references import references, referred
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.tables import summary_table
from rsjs.reporting.tables import formats

CAMPAIGN = "heuristics.toml"
FAMILIES, JOBS = ("jahani", "kiros", "andreas", "sts", "sts-shared"), (200, 400)
DRAWN = (  # exact methods, and the heuristics that improve a solution
    *("jahani_dual@highs", "first_ending_patterns@highs", "rsjs_sifting@highs", "priced_greedy"),
    *("local_search?jobs=all", "path_relinking", "ruin_recreate?iterations=0", "fix_and_optimise"),
)


@cache
def runs() -> pd.DataFrame:
    """Return the rows with the family of their instance, with shared GPUs or without."""
    rows = stored("heuristics/rows.csv")
    shared = rows["instance"].str.contains("-paper-").map({True: "-shared", False: ""})
    return rows.assign(family=rows["instance"].str.split("-").str[0] + shared)


def summary() -> str:
    """Ranked summary over all instances."""
    analysis = Analysis(rows=runs().to_dict("records"))
    return replace(summary_table({"": analysis}), title="").markdown()


def _by_size(cell: Callable[[dict[str, Any]], str]) -> str:
    """A cell for each method and each instance, by family and jobs."""
    rows: list[dict[Any, Any]] = runs().to_dict("records")
    of_run: dict[tuple[Any, ...], dict[str, Any]] = {
        (f"{row['family']} {row['jobs']}", row["method"]): row
        for row in referred(rows, references(rows))
    }
    parts = [f"{family} {jobs}" for family in FAMILIES for jobs in JOBS]
    cells = [
        [
            method,
            *(cell(of_run[part, method]) if (part, method) in of_run else "" for part in parts),
        ]
        for method in methods_of(CAMPAIGN)
    ]
    return table(["method", *parts], cells)


def costs() -> str:
    """Cost / best, without postponement in parentheses where it differs."""

    def cell(row: dict[str, Any]) -> str:
        if row["over_best"] is None:
            return "no solution"
        over, best = formats.ratio(row["over_best"]), row["objective"] / row["over_best"]
        return f"{over} ({formats.ratio(row['spent'] / best)})" if row["postponement"] else over

    return _by_size(cell)


def seconds() -> str:
    """Running time in seconds."""
    return _by_size(lambda row: formats.measured(row["total_s"]))


def late() -> str:
    """Jobs that run and complete late / jobs that are postponed, of 200 or 400."""

    def cell(row: dict[str, Any]) -> str:
        counts = row["late"], row["jobs"] - row["executed"]
        return " / ".join(map(formats.count, counts))

    return _by_size(cell)


def trajectories(path: Path) -> Path:
    """Draw cost / best over time, a panel per instance."""
    rows = runs().drop_duplicates("instance").set_index("instance")

    def place(run: dict[str, Any]) -> tuple[int, int, int]:
        family, jobs = rows.loc[run["instance"], ["family", "jobs"]]
        return FAMILIES.index(family), jobs, DRAWN.index(run["method"])

    names = rows["family"] + " 100 x " + rows["jobs"].astype(str)
    found = json.loads((RESULTS / "heuristics" / "events.json").read_text())
    found = sorted((run for run in found if run["method"] in DRAWN), key=place)
    best = references(runs().to_dict("records"))
    cost = {name: best[digest,].cost for name, digest in rows["instance_sha256"].items()}
    shown = [
        {**run, "instance": names[run["instance"]], "best_cost": cost[run["instance"]]}
        for run in found
    ]
    return write(cost_over_time(shown), path)


TABLES = {"summary": summary, "costs": costs, "seconds": seconds, "late": late}
PICTURES = {"heuristics": trajectories}
