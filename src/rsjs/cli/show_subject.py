"""An instance or a workload in numbers: totals, load, due dates."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from rsjs.cli.configurations import Configurations
from rsjs.cli.console import console, percent, plain_table, print_facts
from rsjs.cli.console import number as significant
from rsjs.instances.costs import tables
from rsjs.instances.schema import FAMILIES, Instance, Workload

MOST_LISTED = 12
QUARTILES = (0, 25, 50, 75, 100)


def number(value: float | None) -> str:
    """4 significant digits: enough to get an idea."""
    return significant(value, 4)


def describe(subject: Instance | Workload) -> dict[str, Any]:
    """All that `show` tells of an instance or a workload."""
    instance = subject if isinstance(subject, Instance) else _at_the_end(subject)
    cluster, jobs = subject.cluster, subject.jobs
    configurations = Configurations.of(instance)
    on_node = np.where(cluster.allowed, cluster.gpus_of_type, 0)
    smallest = np.where(cluster.allowed, cluster.gpus_of_type, cluster.largest).min(axis=1)
    capacity = {"least": int(smallest.sum()), "most": int(on_node.max(axis=1).sum())}
    families = [name for name, kinds in FAMILIES.items() if kinds == subject.objective]
    document = {
        "kind": type(subject).__name__.lower(),
        "name": subject.name,
        "sha256": subject.digest,
        "objective": vars(subject.objective),
        "families": families,
        "H": subject.H,
        "rho": subject.rho,
        "nodes": cluster.nodes,
        "jobs": len(jobs),
        "gpus": capacity,
        "node_types": _node_types(instance),
        "applications": dict(Counter(jobs.application).most_common()),
        "laws": len(subject.laws),
        "shares": instance.has_sharing,
        "load": _load(configurations, capacity["most"]),
        "due": _due(subject, configurations),
    }
    if isinstance(subject, Instance):
        free = tables(instance).postponement == 0
        document["now"] = subject.now
        document["due"]["free_to_postpone"] = int(free.sum())
        document["running_before"] = subject.current is not None
    else:
        document["arrivals"] = _arrivals(subject, document["load"])
    return document


def _at_the_end(workload: Workload) -> Instance:
    """All jobs of a workload in one queue, for their times; due dates are not used."""
    return Instance(
        name=workload.name,
        cluster=workload.cluster,
        jobs=workload.jobs,
        laws=workload.laws,
        now=float(workload.jobs.release.max()),
        H=workload.H,
        rho=workload.rho,
        objective=workload.objective,
    )


def _node_types(instance: Instance) -> list[dict[str, Any]]:
    cluster = instance.cluster
    nodes = cluster.allowed.sum(axis=0).tolist()
    return [
        {
            "name": v.name,
            "gpu_type": v.gpu_type,
            "gpus": v.gpus,
            "cost_per_hour": list(v.cost),
            "nodes_allowed": count,
        }
        for v, count in zip(cluster.node_types, nodes, strict=True)
    ]


def _load(configurations: Configurations, gpus: int) -> dict[str, dict[str, float]]:
    """GPU hours of all jobs on their fastest and their cheapest configuration."""
    kinds = {"fastest": configurations.hours, "cheapest": configurations.cost}
    demands = {name: configurations.gpu_hours_at_least(by) for name, by in kinds.items()}
    return {
        name: {
            "gpu_hours": float(hours.sum()),
            "hours_per_gpu": float(hours.sum()) / gpus,
            "cost": float(cost.sum()),
        }
        for name, (hours, cost) in demands.items()
    }


def _due(subject: Instance | Workload, configurations: Configurations) -> dict[str, Any]:
    """Time until the due date over the fastest time, from now or from submission."""
    start = subject.now if isinstance(subject, Instance) else subject.jobs.release
    slack, fastest = subject.jobs.due - start, configurations.hours.min(axis=1)
    return {
        "slack_over_fastest": np.percentile(slack / fastest, QUARTILES).tolist(),
        "overdue": int((slack < 0).sum()),
        "late_in_any_case": int((slack < fastest * (1 - 1e-9)).sum()),
    }


def _arrivals(workload: Workload, load: dict[str, dict[str, float]]) -> dict[str, Any]:
    release = workload.jobs.release
    span, gaps = float(release[-1] - release[0]), len(release) - 1
    return {
        "first": float(release[0]),
        "last": float(release[-1]),
        "mean_gap_seconds": 3600 * span / gaps if gaps else None,
        "load_while_arriving": {
            name: part["hours_per_gpu"] / span if span > 0 else None
            for name, part in load.items()
        },
    }


def print_subject(document: dict[str, Any]) -> None:
    """The description as text."""
    print_facts([*head(document), *_queue(document)])
    table = plain_table("\nNode types")
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
        ("size", f"{document['jobs']} jobs, {document['nodes']} nodes, "
                 f"{as_configured}{gpus['most']} GPUs"),
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
        text = f"{number(part['gpu_hours'])} GPU h = {number(part['hours_per_gpu'])} h for each GPU"
        rows.append((f"load, {name}", f"{text}; {number(part['cost'])} $ of node time"))
    due, jobs = document["due"], document["jobs"]
    least, low, middle, high, most = map(number, due["slack_over_fastest"])
    times = f"{least} / {low} / {middle} / {high} / {most} (quartiles)"
    rows.append(("due dates", f"time left over fastest time: {times}"))
    late = f"{due['overdue']} overdue, {due['late_in_any_case']} late in any case"
    if "free_to_postpone" in due:
        late += f", {due['free_to_postpone']} free to postpone ({percent(due['free_to_postpone'] / jobs)})"
    rows.append(("", late))
    names = [f"{name} {count}" for name, count in document["applications"].items()]
    more = f", and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    rows.append(("applications", ", ".join(names[:MOST_LISTED]) + more))
    if document["laws"] or document["shares"]:
        shares = "jobs may share a GPU" if document["shares"] else "dedicated GPUs"
        rows.append(("also", f"{document['laws']} laws of epochs; {shares}"))
    return rows


def _arriving(arrivals: dict[str, Any]) -> list[tuple[str, str]]:
    span = f"{number(arrivals['first'])} to {number(arrivals['last'])} h"
    rows = [("arrivals", f"{span}, one each {number(arrivals['mean_gap_seconds'])} s")]
    loads = arrivals["load_while_arriving"]
    if None not in loads.values():
        texts = (f"{name} {number(value)}" for name, value in loads.items())
        rows.append(("offered load", f"{', '.join(texts)} (GPU h demanded / GPU h while jobs arrive)"))
    return rows
