"""The table of simulations: what each policy's runs came to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from rsjs.experiments.problems import problem
from rsjs.reporting import formats
from rsjs.reporting.formats import counted
from rsjs.reporting.rows import Row, is_reference, is_simulated, known
from rsjs.reporting.statistics.sheet import METHOD, Column, Sheet

CROWDED = 0.7  # utilisation above which a lower bound says little


def simulation_sheet(rows: Sequence[Row]) -> Sheet | None:
    """
    The means of each policy over the workloads that all completed; None without simulations.

    Runs of one policy on one workload with several seeds count as their mean; where the seeds draw
    errors of the times, each is a workload of its own.
    """
    runs = pd.DataFrame(
        [_simulation_run(row) for row in rows if is_simulated(row) and not is_reference(row)]
    )
    if runs.empty:
        return None
    policies = list(dict.fromkeys(runs["method"]))
    done = runs[runs["cost"].notna()].groupby(["workload", "method"]).mean(numeric_only=True)
    having = done.groupby("workload").size()
    common = having.index[having == len(policies)]
    chosen = done[done.index.get_level_values("workload").isin(common)]
    own = chosen.groupby("method").mean().reindex(policies)
    lines = own.assign(
        over_bound=own["cost"] / own["bound"],
        late=own["late"] / own["jobs"],
        ended=runs.groupby("method")["cost"].count(),
        milliseconds=1000 * own["seconds"],
    )
    crowded = (own["utilisation"] > CROWDED).any()
    return Sheet(
        name="simulations",
        title="Simulations",
        columns=[
            METHOD,
            Column("ended", "completed", formats.count),
            Column("cost", "cost [$]", formats.cost),
            Column("energy", "energy", formats.term),
            Column("tardiness", "tardiness", formats.term),
            Column("over_bound", "/ bound", formats.term),
            Column("late", "late [%]", formats.percent),
            Column("utilisation", "in use [%]", formats.percent),
            Column("decisions", "decisions", formats.count),
            Column("milliseconds", "ms each", formats.measured),
        ],
        lines=lines.rename_axis(index="method").reset_index(),
        notes=[
            f"Means over {counted(len(common), 'workload')} that all policies completed; late: by"
            " more than 60 s; in use: of all GPU-hours; ms: medians.",
            *(
                [f"Above {CROWDED:.0%} of the GPUs in use bounds are far below what is possible."]
                if crowded
                else []
            ),
        ],
    )


def _simulation_run(row: Row) -> dict[str, Any]:
    names = {
        "cost": "objective",
        "bound": "best_bound",
        "seconds": "decision_median_s",
        **{name: name for name in ("energy", "tardiness", "late", "jobs", "utilisation")},
        "decisions": "decisions",
    }
    values = {name: known(row, column) for name, column in names.items()}
    return {
        "method": row["method"],
        "workload": problem(row),
        **{name: float("nan") if value is None else value for name, value in values.items()},
    }
