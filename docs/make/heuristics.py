"""Tables and picture of docs/results/heuristics.md from rows of campaigns/heuristics.toml."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from docs.make.tables import RESULTS, grid, methods_of, share, stored
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.runs import cost_over_time
from rsjs.reporting.references import references, referred
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.tables import summary_table
from rsjs.reporting.tables import formats
from rsjs.rows.csv import read_table

CAMPAIGN = "heuristics.toml"
DRAWN = (  # exact methods, and the heuristics that improve a solution
    *("jahani_dual@highs", "rsjs_sifting@highs", "rsjs_nodes@highs", "priced_greedy"),
    *("local_search?jobs=all", "path_relinking", "ruin_recreate?iterations=0", "fix_and_optimise"),
)


@cache
def runs() -> pd.DataFrame:
    """Return the rows with cost / best and the family of their instance, shared GPUs apart."""
    rows: list[dict[Any, Any]] = stored("heuristics/rows.csv").to_dict("records")
    found = pd.DataFrame(referred(rows, references(rows)))
    chosen = pd.DataFrame(read_table(RESULTS / "selection" / "candidates.csv"))
    family = chosen.set_index("sha256")["family"][found["instance_sha256"]].to_numpy()
    shared = found["instance"].str.contains("-paper-|-contention-|-shares[0-9]")
    return found.assign(family=family + shared.map({True: "-shared", False: ""}))


def summary(methods: Sequence[str] = ()) -> str:
    """Ranked summary over all instances, of some methods or of all."""
    rows = runs()
    some = rows[rows["method"].isin(methods)] if methods else rows
    analysis = Analysis(rows=some.to_dict("records"))
    return replace(summary_table({"": analysis}), title="").markdown()


def _by_family(cell: Callable[[pd.DataFrame], str]) -> str:
    """A cell for each method and family, with the number of instances in the head."""
    parts = {
        f"{family} ({rows['instance'].nunique()})": rows
        for family, rows in runs().groupby("family", sort=True)
    }

    def told(part: pd.DataFrame, method: str) -> str:
        mine = part[part["method"] == method]
        return cell(mine) if len(mine) else ""

    return grid("method", methods_of(CAMPAIGN), parts, told)


def costs() -> str:
    """Median of cost / best; how many found a solution where not all did."""

    def cell(rows: pd.DataFrame) -> str:
        over = rows["over_best"].dropna()
        if over.empty:
            return "no solution"
        told = formats.ratio(over.median())
        return told if len(over) == len(rows) else f"{told}, {len(over)} of {len(rows)}"

    return _by_family(cell)


def seconds() -> str:
    """Median running time in seconds."""
    return _by_family(lambda rows: formats.measured(rows["total_s"].median()))


def late() -> str:
    """Share of jobs that run and complete late / that are postponed."""

    def cell(rows: pd.DataFrame) -> str:
        found = rows[rows["late"].notna()]
        jobs = found["jobs"].sum()
        if not jobs:
            return "no solution"
        shares = found["late"].sum() / jobs, (found["jobs"] - found["executed"]).sum() / jobs
        return " / ".join(map(share, shares))

    return _by_family(cell)


def trajectories(path: Path) -> Path:
    """Draw cost / best over time, a panel per family: its largest instance."""
    rows = runs().sort_values(["family", "jobs", "nodes", "instance"])
    largest = rows.groupby("family", sort=True)["instance"].last()
    names = {instance: family for family, instance in largest.items()}
    found = [
        run
        for run in json.loads((RESULTS / "heuristics" / "events.json").read_text())
        if run["method"] in DRAWN and run["instance"] in names
    ]
    found.sort(key=lambda run: (names[run["instance"]], DRAWN.index(run["method"])))
    of = rows.drop_duplicates("instance").set_index("instance")
    best = references(rows.to_dict("records"))
    shown = [
        {
            **run,
            "instance": f"{names[run['instance']]} {row['nodes']} x {row['jobs']}",
            "best_cost": best[row["instance_sha256"],].cost,
        }
        for run in found
        for row in [of.loc[run["instance"]]]
    ]
    return write(cost_over_time(shown), path)


TABLES = {"summary": summary, "costs": costs, "seconds": seconds, "late": late}
PICTURES = {"heuristics": trajectories}
