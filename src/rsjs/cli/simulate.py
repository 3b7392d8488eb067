"""
`rsjs simulate`: a workload under one policy, or under several.

What `rsjs simulate` prints: a row per policy.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from rsjs.cli.options import Json, options_named
from rsjs.cli.output import console, number, percent, plain_table, print_json, writable
from rsjs.cli.progress import running
from rsjs.cli.simulations import Simulations, document, policies
from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import read_workload
from rsjs.simulation.metrics import CROWDED, crowded, deviation, metrics, over_bound
from rsjs.simulation.options import DENOMINATORS, Options
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policy import Status

DEFAULT = "queue:edf"


def simulate(
    file: Annotated[
        Path, typer.Argument(metavar="WORKLOAD", help="Workload file, .json or .json.gz.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the results.")
    ],
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy", metavar="METHOD", help=f"A method that decides, by default {DEFAULT}."
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option("--compare", metavar="METHODS", help="Several, with commas between them."),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(
            "--replay", metavar="LOG", help="The decisions of a log, each checked, instead."
        ),
    ] = None,
    bucket: Annotated[
        float | None,
        typer.Option(
            "--bucket",
            metavar="HOURS",
            help="Also the bound that counts GPUs, in buckets of so many hours: above the other"
            " one where jobs queue.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of methods and errors.")
    ] = 0,
    energy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Price of a node in use: curve (the file's), gpu (GPUs in use), node (all of it),"
            " or base:B (a share B, the rest by GPU).",
        ),
    ] = "curve",
    boot: Annotated[
        float, typer.Option(metavar="SECONDS", help="A node that starts or changes its type.")
    ] = 0.0,
    checkpoint: Annotated[
        str,
        typer.Option(metavar="NAME", help="What an interrupted job keeps: continuous, or epoch."),
    ] = "continuous",
    events: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="gathered, or authors: one submission per decision, as in GPUScheduler.",
        ),
    ] = "gathered",
    period: Annotated[
        float | None,
        typer.Option(metavar="HOURS", help="A decision at the latest so long after the last one."),
    ] = None,
    deviation: Annotated[
        float, typer.Option(metavar="X", help="Mean relative error of the predicted times.")
    ] = 0.0,
    denominator: Annotated[
        str, typer.Option(metavar="NAME", help="What errors are relative to: predicted or real.")
    ] = "predicted",
    decision_limit: Annotated[
        float, typer.Option("--decision-limit", metavar="SECONDS", help="Of each decision.")
    ] = 60.0,
    as_json: Json = False,
) -> None:
    """
    Run a workload under a policy: jobs arrive, the policy decides, every decision is checked.

    \b
    Example:
      rsjs simulate workload.json --policy edf:paper --seed 3 -o results --json
      rsjs simulate workload.json --compare edf:paper,greedy:code,sts:fallback -o results
      rsjs simulate workload.json --replay results/edf_paper.jsonl.gz -o again

    A policy is spelled as a method, see `rsjs list methods`. DIR gets totals.json, a log of events
    and a Gantt chart for each policy, and course.png: cost, queue and GPUs over time. --compare
    also gives costs over that of the first policy, two yardsticks and, where options make the times
    differ from those predicted, the predicted costs. Ctrl-C ends the run and keeps what was
    simulated.
    """

    if sum(given is not None for given in (policy, compare, replay)) > 1:
        found = described("several of --policy, --compare and --replay")
        raise InputError("", found, "one of them")
    try:
        options = Options(
            energy=energy,
            boot=boot / 3600,
            checkpoint=checkpoint,
            events=events,
            period=period,
            deviation=deviation,
            denominator=denominator,
            decision_limit=decision_limit,
            seed=seed,
        )
    except InputError as error:
        if error.pointer == "/boot":
            raise InputError("--boot", boot, "seconds >= 0") from None
        with options_named():
            raise
    if bucket is not None and not 0 < bucket < inf:
        raise InputError("--bucket", bucket, "hours > 0")
    workload = read_workload(file)
    for option, named in (("--policy", policy), ("--compare", compare)):
        if named is not None and not named.strip(", "):
            raise InputError(option, named, f"policies, e.g. {DEFAULT}")
    chosen = [] if replay else policies(compare or policy or DEFAULT, workload)
    writable(output, folder=True)
    with running() as screen:
        runs = Simulations(
            workload, options, output, screen, bucket_hours=bucket, compare=compare is not None
        )
        if replay:
            runs.replay(replay)
        for own in chosen:
            runs.run(own)
    runs.write()
    if as_json:
        print_document(runs)
    else:
        print_table(runs)
    raise typer.Exit(runs.exit_code)


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
