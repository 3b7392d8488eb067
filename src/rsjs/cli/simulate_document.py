"""What `rsjs simulate` knows, as one JSON document: totals.json, and what --json prints."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rsjs.cli.simulations import Simulations
from rsjs.simulation.metrics import crowded, deviation, metrics, over_bound
from rsjs.simulation.options import DENOMINATORS
from rsjs.simulation.outcome import Outcome

Document = dict[str, Any]


def document(runs: Simulations) -> Document:
    """Workload, options, references, and a run per policy; compared with the first one."""
    return {
        "workload": runs.workload.name,
        "sha256": runs.workload.digest,
        "options": runs.options.as_dict(),
        **runs.references.as_dict(),
        "baseline": runs.outcomes[0].policy if runs.compare else None,
        "runs": [_run(runs, outcome) for outcome in runs.outcomes],
    }


def _run(runs: Simulations, outcome: Outcome) -> Document:
    return {
        "policy": outcome.policy,
        "status": str(outcome.status),
        "message": outcome.message,
        **asdict(outcome.totals),
        "over_bound": over_bound(outcome, runs.references.bound),
        "crowded": crowded([outcome]),
        **(_compared(runs, outcome) if runs.compare else {}),
        "seconds_per_decision": outcome.seconds_as_dict(),
        "log": runs.path(outcome, ".jsonl.gz").name,
    }


def _compared(runs: Simulations, outcome: Outcome) -> Document:
    predicted = runs.predicted.get(outcome.policy)
    found: Document = {**metrics(outcome, runs.outcomes[0]).as_dict(), "predicted_cost": predicted}
    for denominator in DENOMINATORS:
        known = None
        if predicted is not None:
            known = deviation(outcome.totals.cost, predicted, denominator)
        found[f"deviation_of_{denominator}"] = known
    return found
