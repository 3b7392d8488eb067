"""What `rsjs simulate` prints: a row per policy."""

from __future__ import annotations

from rsjs.cli.console import console, number, percent, plain_table, print_json
from rsjs.cli.simulations import Simulations
from rsjs.simulation.guards import Status
from rsjs.simulation.outcome import Outcome

CROWDED = 0.7  # utilisation from which on the bound says little
NARROW = 100  # columns of a terminal below which the last ones are left out
HEADINGS = ("policy", "cost [$]", "energy", "tardiness", "/ bound", "late", "in use")
MORE = ("makespan [h]", "decisions", "ms each")


def print_document(runs: Simulations) -> None:
    """One JSON document."""
    print_json({**runs.as_document(), "folder": runs.folder})


def print_table(runs: Simulations) -> None:
    """The table, what it leaves unsaid, and where the files are."""
    out = console()
    table = plain_table(runs.workload.name)
    headings = HEADINGS + (MORE if out.width >= NARROW else ())
    table.add_column(headings[0], overflow="fold")
    for heading in headings[1:]:
        table.add_column(heading, justify="right", no_wrap=True)
    for outcome in runs.outcomes:
        table.add_row(*_row(outcome, runs.bound)[: len(headings)])
    out.print(table)
    print(f"\nbound: {number(runs.bound)} $, every job alone on an infinite cluster, W_j known")
    if any(outcome.totals.utilisation > CROWDED for outcome in runs.outcomes):
        print("Above 70 % of the GPUs in use it is far below what any policy can reach.")
    for outcome in runs.outcomes:
        if outcome.status != Status.COMPLETE:
            print(f"Not complete: {outcome.message}")
    print(f"Written to {runs.folder}: totals.json, course.png, logs (.jsonl.gz), Gantt charts")


def _row(outcome: Outcome, bound: float) -> list[str]:
    totals, seconds = outcome.totals, outcome.seconds_as_dict()["median"]
    complete = outcome.status == Status.COMPLETE
    ratio = totals.cost / bound if complete and bound else None
    return [
        outcome.policy,
        number(totals.cost),
        number(totals.energy),
        number(totals.tardiness),
        number(ratio, 4),
        f"{totals.late}/{totals.jobs}",
        percent(totals.utilisation),
        number(totals.makespan, 4),
        str(totals.decisions),
        number(None if seconds is None else 1000 * seconds, 2),
    ]
