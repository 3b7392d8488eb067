"""Tables and picture of docs/results/heuristics.md from rows of campaigns/heuristics.toml."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from docs.make.tables import RESULTS, grid, methods_of, stored, table
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.runs import gap_over_time
from rsjs.reporting.tables import formats

CAMPAIGN = "heuristics.toml"
FAMILIES, JOBS = ("jahani", "kiros", "andreas", "sts", "sts-shared"), (200, 400)
DRAWN = (  # exact methods, and the heuristics that improve a solution
    *("jahani_dual@highs", "first_ending_patterns@highs", "rsjs_sifting@highs", "priced_greedy"),
    *("local_search?jobs=all", "path_relinking", "ruin_recreate?iterations=0", "fix_and_optimise"),
)
WITHIN = (0.01, 0.05, 0.20)


@cache
def runs() -> pd.DataFrame:
    """Return the rows with the family of their instance, with shared GPUs or without."""
    rows = stored("heuristics/rows.csv")
    shared = rows["instance"].str.contains("-paper-").map({True: "-shared", False: ""})
    return rows.assign(family=rows["instance"].str.split("-").str[0] + shared)


def gaps() -> str:
    """Gap to the best bound, without postponement in parentheses, and seconds."""

    def cell(own: pd.DataFrame, method: str) -> str:
        for _, row in own[own["method"] == method].iterrows():
            if pd.isna(row["gap_to_best"]):
                return "no"
            gap, without = map(
                formats.percent, (row["gap_to_best"], row["gap_without_postponement"])
            )
            return f"{gap} ({without}) {formats.measured(row['total_s'])}"
        return ""

    by_size = dict([*runs().groupby(["family", "jobs"])])
    parts = {f"{family} {jobs}": by_size[family, jobs] for family in FAMILIES for jobs in JOBS}
    return grid("method", methods_of(CAMPAIGN), parts, cell)


def counts() -> str:
    """Instances on which a method is within some gaps of the best bound."""
    rows = []
    for method in methods_of(CAMPAIGN):
        gap = runs().loc[runs()["method"] == method, "gap_to_best"].dropna()
        rows.append([method, len(gap), *((gap <= within).sum() for within in WITHIN)])
    return table(["method", "instances", *(f"within {w:.0%}" for w in WITHIN)], rows)


def trajectories(path: Path) -> Path:
    """Draw gaps over time, a panel per instance."""
    rows = runs().drop_duplicates("instance").set_index("instance")

    def place(run: dict[str, Any]) -> tuple[int, int, int]:
        family, jobs = rows.loc[run["instance"], ["family", "jobs"]]
        return FAMILIES.index(family), jobs, DRAWN.index(run["method"])

    names = rows["family"] + " 100 x " + rows["jobs"].astype(str)
    found = json.loads((RESULTS / "heuristics" / "events.json").read_text())
    found = sorted((run for run in found if run["method"] in DRAWN), key=place)
    return write(gap_over_time([{**r, "instance": names[r["instance"]]} for r in found]), path)


TABLES = {"gaps": gaps, "counts": counts}
PICTURES = {"heuristics": trajectories}
