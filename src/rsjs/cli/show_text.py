"""The text that `show` prints of an instance or a workload."""

from __future__ import annotations

from typing import Any

from rsjs.cli.console import console, number, plain_table, print_facts

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
