"""`rsjs simulate`: a workload under one policy, or under several."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli.options import Json

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
    from rsjs.cli import simulate_text as text
    from rsjs.cli.generated import options_named
    from rsjs.cli.inputs import writable
    from rsjs.cli.progress import running
    from rsjs.cli.simulations import Simulations, policies
    from rsjs.core.errors import InputError, described
    from rsjs.instances.io.files import read_workload
    from rsjs.simulation.options import Options

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
        text.print_document(runs)
    else:
        text.print_table(runs)
    raise typer.Exit(runs.exit_code)
