"""`rsjs generate andreas` and `rsjs workload andreas`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli.arrival_options import Gap, Law
from rsjs.cli.generate import Jobs, Nodes, Seed, app
from rsjs.cli.options import Json, Output
from rsjs.cli.workload import workload_app

Scenario = Annotated[
    int, typer.Option(metavar="1|2", help="GPUs of a node: 2 V100 or 1 T4, or twice as many.")
]

Profiles = Annotated[
    Path | None,
    typer.Option(
        metavar="CATALOGUE",
        help="Applications and GPU types of your own, from `rsjs profile fit`, for the scenario.",
    ),
]


@app.command("andreas")
def andreas(
    nodes: Nodes,
    output: Output,
    jobs: Jobs = None,
    scenario: Scenario = 1,
    profiles: Profiles = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Make an instance of ANDREAS (Filippini 2021): fixed nodes, energy by power.

    \b
    Example:
      rsjs generate andreas --scenario 1 -N 100 -J 400 --seed 1 -o instance.json.gz
      rsjs generate andreas --profiles applications.json -N 10 -J 100 -o instance.json
    """
    from rsjs.cli.making import make
    from rsjs.instances.generators.andreas import generate

    make(
        generate,
        output,
        nodes=nodes,
        jobs=jobs,
        as_json=as_json,
        scenario=scenario,
        profiles=None if profiles is None else str(profiles),
        seed=seed,
    )


@workload_app.command("andreas")
def andreas_workload(
    nodes: Nodes,
    output: Output,
    jobs: Jobs = None,
    scenario: Scenario = 1,
    profiles: Profiles = None,
    law: Law = "mixed",
    gap: Gap = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Make a workload of ANDREAS: its jobs, submitted one by one.

    \b
    Example:
      rsjs workload andreas --scenario 2 --law mixed -N 10 -J 100 --seed 1 \\
          -o workload.json.gz
    """
    from rsjs.cli.making import make
    from rsjs.instances.generators.andreas import workload

    make(
        workload,
        output,
        nodes=nodes,
        jobs=jobs,
        as_json=as_json,
        scenario=scenario,
        profiles=None if profiles is None else str(profiles),
        law=law,
        gap_seconds=gap,
        seed=seed,
    )
