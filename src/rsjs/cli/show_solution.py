"""A solution in numbers and as a picture in characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.cli.console import console, number, print_facts
from rsjs.cli.show_text import head
from rsjs.cli.verdict import cost_lines, violation_lines
from rsjs.instances import costs
from rsjs.instances.check import check

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance
    from rsjs.instances.io.files import SolutionFile
    from rsjs.instances.solution import Solution


def describe_file(found: SolutionFile) -> dict[str, Any]:
    """What a solution file says by itself."""
    decision = found.solution
    return {
        "kind": "solution",
        "instance_sha256": found.instance_digest,
        "method": found.method,
        "claimed_objective": found.objective,
        "claimed_bound": found.bound,
        "jobs": len(decision.job_node),
        "nodes": len(decision.node_type),
        "executed": int((decision.job_node >= 0).sum()),
        "postponed": int((decision.job_node < 0).sum()),
        "selected_nodes": int((decision.node_type >= 0).sum()),
        "dedicated_gpus": int(decision.job_gpus.sum()),
        "sharing_jobs": int((decision.job_level >= 0).sum()),
    }


def print_file(document: dict[str, Any]) -> None:
    """The same as text; the picture needs the instance."""
    print_facts((name.replace("_", " "), _text(value)) for name, value in document.items())
    print("rsjs show INSTANCE SOLUTION draws it.")


def _text(value: Any) -> str:
    return number(value) if value is None or isinstance(value, float) else str(value)


def describe_decision(instance: Instance, found: SolutionFile) -> dict[str, Any]:
    """What the checker says of a solution, its node types, and the GPUs of each node."""
    from rsjs.reporting.figures.occupancy import shelves
    from rsjs.runs.verified_run import verdict_keys

    decision = found.solution
    verdict = check(instance, decision, objective=found.objective, bound=found.bound)
    document: dict[str, Any] = {
        "method": found.method,
        **verdict_keys(verdict, found.bound),
        "counts": dict(verdict.counts),
    }
    if verdict.terms is None:  # nothing that could be drawn
        return document
    placement = costs.execution(instance, decision)
    late = placement.running[placement.tardiness > 0]
    return document | {
        "late": [instance.jobs.id[j] for j in late.tolist()],
        "postponed": [instance.jobs.id[j] for j in np.flatnonzero(decision.job_node < 0).tolist()],
        "occupancy": [
            {
                "node": shelf.node,
                "node_type": shelf.node_type,
                "gpu_type": shelf.gpu_type,
                "gpus": shelf.gpus,
                "jobs": [vars(block) for block in shelf.blocks],
            }
            for shelf in shelves(instance, decision)
        ],
    }


def print_decision(instance: Instance, decision: Solution, document: dict[str, Any]) -> None:
    """Instance, cost and picture as text."""
    from rsjs.reporting.figures.occupancy_lines import occupancy_text

    solution = document["solution"]
    rows = [*head(document), ("method", solution["method"] or "not named")]
    rows += [("feasible", "yes" if solution["feasible"] else "no, see below")]
    rows += cost_lines(solution)
    drawable = "occupancy" in solution
    if drawable:
        rows += [
            (name, " ".join(solution[name])) for name in ("late", "postponed") if solution[name]
        ]
    print_facts(rows)
    for line in violation_lines(solution["violations"]):
        print(line)
    if drawable:
        print()
        out = console()
        out.print(occupancy_text(instance, decision, out.width))
