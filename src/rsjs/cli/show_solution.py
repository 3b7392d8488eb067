"""
A solution in numbers and as a picture in characters.

The text that `show` prints of an instance or a workload.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.cli.output import console, cost_lines, number, plain_table, print_facts, violation_lines
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.reporting.figures.occupancy import shelves
from rsjs.reporting.figures.occupancy_lines import occupancy_text
from rsjs.runs.verified_run import verdict_keys

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance
    from rsjs.instances.io.files import SolutionFile
    from rsjs.instances.solution import Solution

MOST_LISTED = 12


def rough(value: float | None) -> str:
    """4 significant digits: enough to get an idea."""
    return number(value, 4)


def print_subject(document: dict[str, Any]) -> None:
    """The description as text."""
    print_facts([*head(document), *_queue(document)])
    print()
    table = plain_table("Node types")
    for heading in ("name", "GPUs", "$/h", "nodes that may be of it"):
        table.add_column(heading, justify="left" if heading == "name" else "right")
    for v in document["node_types"]:
        prices = sorted(set(v["cost_per_hour"][1:]))
        cost = " - ".join(f"{price:g}" for price in (prices[0], prices[-1])[: len(prices)])
        gpus = f"{v['gpus']} x {v['gpu_type']}"
        table.add_row(v["name"], gpus, cost, str(v["nodes_allowed"]))
    console().print(table)


def head(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and size."""
    gpus = document["gpus"]
    as_configured = "" if gpus["least"] == gpus["most"] else f"{gpus['least']} to "
    return [
        (document["kind"], document["name"]),
        ("sha256", document["sha256"]),
        (
            "size",
            f"{document['jobs']} jobs, {document['nodes']} nodes, "
            f"{as_configured}{gpus['most']} GPUs",
        ),
    ]


def _queue(document: dict[str, Any]) -> list[tuple[str, str]]:
    kinds = ", ".join(f"{name} {value}" for name, value in document["objective"].items())
    of = f"{' or '.join(document['families'])}: " if document["families"] else ""
    rows = [("objective", f"{of}{kinds}, H {document['H']:g} h, rho {document['rho']:g}")]
    if "now" in document:
        before = ", some nodes are in use already" if document["running_before"] else ""
        rows.append(("now", f"{document['now']:g} h{before}"))
    else:
        rows += _arriving(document["arrivals"])
    for name, part in document["load"].items():
        text = f"{rough(part['gpu_hours'])} GPU h = {rough(part['hours_per_gpu'])} h for each GPU"
        rows.append((f"load, {name}", f"{text}; {rough(part['cost'])} $ of node time"))
    due = document["due"]
    least, low, middle, high, most = map(rough, due["slack_over_fastest"])
    times = f"{least} / {low} / {middle} / {high} / {most} (quartiles)"
    rows.append(("due dates", f"time left over fastest time: {times}"))
    late = f"{due['overdue']} overdue, {due['late_in_any_case']} late in any case"
    if "free_to_postpone" in due:
        late += f", {due['free_to_postpone']} free to postpone"
    rows.append(("", late))
    names = [f"{name} {count}" for name, count in document["applications"].items()]
    more = f", and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    rows.append(("applications", ", ".join(names[:MOST_LISTED]) + more))
    if document["laws"] or document["shares"]:
        shares = "jobs may share a GPU" if document["shares"] else "dedicated GPUs"
        rows.append(("also", f"{document['laws']} laws of epochs; {shares}"))
    return rows


def _arriving(arrivals: dict[str, Any]) -> list[tuple[str, str]]:
    span = f"{rough(arrivals['first'])} to {rough(arrivals['last'])} h"
    rows = [("arrivals", f"{span}, one each {rough(arrivals['mean_gap_seconds'])} s")]
    loads = arrivals["load_while_arriving"]
    if None not in loads.values():
        texts = (f"{name} {rough(value)}" for name, value in loads.items())
        rows.append(
            ("offered load", f"{', '.join(texts)} (GPU h demanded / GPU h while jobs arrive)")
        )
    return rows


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
