"""What `rsjs simulate` prints: a row per policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rsjs.cli.console import console, number, percent, plain_table, print_json
from rsjs.cli.simulations import Simulations, document
from rsjs.simulation.metrics import CROWDED, crowded, deviation, metrics, over_bound
from rsjs.simulation.options import DENOMINATORS
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policy import Status

NARROW, NARROW_COMPARED = 100, 125  # columns of a terminal below which some are left out
LONGEST = 16  # characters of a policy that are not folded
MARK = "*"  # beside a ratio to a bound that says little


class Column(NamedTuple):
    """A heading, what stands below it, and whether it is for policies that are compared only."""

    heading: str
    cell: Callable[[Simulations, Outcome], str]
    compared: bool = False


def print_document(runs: Simulations) -> None:
    """One JSON document."""
    print_json({**document(runs), "folder": runs.folder})


def print_table(runs: Simulations) -> None:
    """The table, what it leaves unsaid, and where the files are."""
    out = console()
    wide = out.width >= (NARROW_COMPARED if runs.compare else NARROW)
    names = [outcome.policy for outcome in runs.outcomes]
    columns = COLUMNS + (MORE if wide else ())
    if runs.compare and not wide:
        columns = tuple(column for column in columns if column.heading != "tardiness")
    shown = [column for column in columns if runs.compare or not column.compared]
    table = plain_table(runs.workload.name)
    table.add_column("policy", overflow="fold", min_width=min(LONGEST, max(map(len, names))))
    for column in shown:
        table.add_column(column.heading, justify="right", no_wrap=True)
    for outcome in runs.outcomes:
        table.add_row(outcome.policy, *(column.cell(runs, outcome) for column in shown))
    out.print(table)
    for line in ("", *_references(runs), *_predictions(runs)):
        print(line)
    for outcome in runs.outcomes:
        if outcome.status != Status.COMPLETE:
            print(f"Not complete: {outcome.message}")
    print(f"Written to {runs.folder}: totals.json, course.png, logs (.jsonl.gz), Gantt charts")


def _references(runs: Simulations) -> list[str]:
    known = runs.references
    free = number(known.capacity_free_bound)
    lines = [f"bound: {free} $, every job alone on an infinite cluster, W_j known"]
    if known.bucket_bound is not None:
        value, hours = number(known.bucket_bound), number(known.bucket_hours)
        lines.append(f"bound: {value} $, GPUs counted in buckets of {hours} h, W_j known")
    if crowded(runs.outcomes):
        told = f"Above {CROWDED:.0%} of the GPUs in use bounds are far below what any policy can"
        lines.append(f"{MARK} {told} reach.")
    if runs.compare:
        lines += [
            f"ratio, PCR: cost over that of {runs.outcomes[0].policy}, and by how much it is less",
            f"no bounds: {number(known.clairvoyant_greedy)} $, greedy with W_j known;"
            f" {number(known.infinite_cluster)} $, optimal profiles on an infinite cluster",
        ]
    return lines


def _predictions(runs: Simulations) -> list[str]:
    lines = []
    for outcome in runs.outcomes:
        if (predicted := runs.predicted.get(outcome.policy)) is None:
            continue
        shares = [
            f"{percent(deviation(outcome.totals.cost, predicted, denominator))} of the {name}"
            for denominator, name in zip(DENOMINATORS, ("prediction", "real cost"), strict=True)
        ]
        told = f"{outcome.policy}: {number(predicted)} $ predicted, {number(outcome.totals.cost)} $"
        lines.append(f"{told}: {', '.join(shares)}")
    return lines


def _over_bound(runs: Simulations, outcome: Outcome) -> str:
    shown = number(over_bound(outcome, runs.references.bound), 4)
    return f"{shown}{MARK}" if crowded([outcome]) else shown


def _each_ms(runs: Simulations, outcome: Outcome) -> str:
    seconds = outcome.seconds_as_dict()["median"]
    return number(None if seconds is None else 1000 * seconds, 2)


COLUMNS = (
    Column("cost [$]", lambda _, run: number(run.totals.cost)),
    Column("energy", lambda _, run: number(run.totals.energy)),
    Column("tardiness", lambda _, run: number(run.totals.tardiness)),
    Column("/ bound", _over_bound),
    Column("ratio", lambda runs, run: number(metrics(run, runs.outcomes[0]).cost_ratio, 4), True),
    Column("PCR", lambda runs, run: percent(metrics(run, runs.outcomes[0]).cost_reduction), True),
    Column("late", lambda _, run: f"{run.totals.late}/{run.totals.jobs}"),
    Column("in use", lambda _, run: percent(run.totals.utilisation)),
)
MORE = (
    Column("makespan [h]", lambda _, run: number(run.totals.makespan, 4)),
    Column("decisions", lambda _, run: str(run.totals.decisions)),
    Column("ms each", _each_ms),
)
