"""The table of schedules on MIG instances: what each method's runs came to, problem by problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from rsjs.experiments.gap import gap
from rsjs.reporting import formats
from rsjs.reporting.objectives import is_schedule
from rsjs.reporting.rows import Row, known
from rsjs.reporting.statistics.sheet import METHOD, Column, Sheet

KIND = ["goal", "reading", "units"]
ROUNDING = 1e-9  # of a gap


def schedule_sheet(rows: Sequence[Row]) -> Sheet | None:
    """
    A line per method for each objective, reading and division of the GPU; None without schedules.

    A gap is that of the first stage, to the best bound of the problem by any method.
    """
    runs = pd.DataFrame([_schedule_run(row) for row in rows if is_schedule(row)])
    if runs.empty:
        return None
    groups = runs.groupby([*KIND, "method"], sort=False)
    lines = pd.DataFrame(
        {
            "sets": groups["problem"].nunique(),
            "verified": groups["value"].count(),
            "gap": groups["gap"].mean(),
            "most": groups["gap"].max(),
            "optimal": groups["optimal"].sum(),
            "value": groups["value"].mean(),
            "bound": groups["bound"].mean(),
            "seconds": groups["seconds"].median(),
        }
    )
    return Sheet(
        name="schedules",
        title="Schedules on MIG instances",
        columns=[
            Column("goal", "objective"),
            Column("reading", "reading"),
            *([Column("units", "units [MB]")] if runs["units"].nunique() > 1 else []),
            METHOD,
            Column("sets", "sets", formats.count),
            Column("verified", "verified", formats.count),
            Column("gap", "gap, mean [%]", formats.percent),
            Column("most", "most [%]", formats.percent),
            Column("optimal", "optimal", formats.count),
            Column("value", "mean z", formats.term),
            Column("bound", "mean bound", formats.term),
            Column("seconds", "median [s]", formats.measured),
        ],
        lines=lines.reset_index().sort_values([*KIND, "gap"], kind="stable"),
        notes=[
            "By objective and reading; z: the first stage of the objective; gap: (z - b) / z to the"
            " best bound b of the problem by any method; optimal: z = b."
        ],
    )


def _schedule_run(row: Row) -> dict[str, Any]:
    value, bound = known(row, "objective"), known(row, "best_bound")
    found = gap(value, bound)
    numbers = {"value": value, "bound": bound, "gap": found, "seconds": known(row, "total_s")}
    return {
        **{name: row.get(name) for name in (*KIND, "method")},
        "problem": row["instance_sha256"],
        "optimal": found is not None and found <= ROUNDING,
        **{name: float("nan") if one is None else float(one) for name, one in numbers.items()},
    }
