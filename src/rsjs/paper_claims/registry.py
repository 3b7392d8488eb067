"""What makes the rows of an experiment, and the metrics of claims, by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rsjs.paper_claims import metrics, runs
from rsjs.paper_claims.claim import Claim, Experiment, Row, Rows, Values
from rsjs.paper_claims.metrics import each_case
from rsjs.paper_claims.runs import Runner
from rsjs.runs import provenance

RUNS: Mapping[str, Callable[..., list[Row]]] = {
    "simulations": runs.simulations,
    "decisions": runs.decisions,
    "printed": runs.printed,
    "four_jobs": runs.four_jobs,
    "sts_arrivals": runs.arrivals,
    "mig_dataset": runs.dataset,
    "mig_schedules": runs.schedules,
}
OF_ALL_CASES = (  # metrics that tell the cases apart themselves; others are of the rows of a case
    "with_idle_gpus",
    "postponed_where_all_fit",
    "running_time",
    "gain_over_rules",
    "mean_gain_of_mixes",
    "gain_by_sharing",
)


def rows(experiment: Experiment, size: str, runner: Runner) -> list[Row]:
    """Return the rows of an experiment; those of data, too, say which version made them."""
    made = RUNS[experiment.run](runner, **experiment.of_size(size))
    return [row if "commit" in row else {**row, **provenance.stamp()} for row in made]


def values(claim: Claim, rows: Rows) -> Values:
    """Return our values of a claim from the rows of its experiment; none if nothing tests it."""
    low, high = claim.nodes or (0, 10**9)
    own = [
        row
        for row in rows
        if str(row["case"]).startswith(claim.cases) and low <= row.get("nodes", low) <= high
    ]
    for name, arguments in claim.metric.items():
        metric: Callable[..., Any] = getattr(metrics, name)
        if name not in OF_ALL_CASES:
            return each_case(metric, own, *arguments)
        found: Values = metric(own, *arguments)
        return found
    return {}
