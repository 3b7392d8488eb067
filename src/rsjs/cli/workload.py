"""`rsjs workload`: random streams of jobs, one subcommand per paper."""

from __future__ import annotations

from typing import Annotated

import typer

from rsjs.cli.generate import Catalogue, Due, Jobs, Nodes, Seed, Times
from rsjs.cli.options import Json, Output

workload_app = typer.Typer(
    help="Make a workload: jobs that arrive over time."
    "\n\n\b\nExample:\n  rsjs workload jahani --gap 30 -N 10 -J 100 -o workload.json",
)


@workload_app.callback()
def workload_group() -> None: ...


@workload_app.command("jahani")
def jahani_workload(
    nodes: Nodes,
    output: Output,
    jobs: Jobs = None,
    catalogue: Catalogue = "table2",
    due: Due = "base",
    times: Times = "synthetic",
    gap: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help="Mean time between two submissions to the whole cluster; it is not divided by N.",
        ),
    ] = 30.0,
    law: Annotated[
        str, typer.Option(metavar="LAW", help="Gaps: exp, integer_poisson or constant.")
    ] = "exp",
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Make a workload of Jahani 2019: its jobs, submitted one by one.

    \b
    Example:
      rsjs workload jahani --catalogue table2 --due base --times synthetic \\
          --gap 30 --law exp -N 10 -J 100 --seed 1 -o workload.json.gz

    The paper has gaps of 30 s and 45 s whatever the number of nodes.
    """
    from rsjs.cli.making import make
    from rsjs.instances.generators.jahani import workload

    make(
        workload,
        output,
        nodes=nodes,
        jobs=jobs,
        as_json=as_json,
        catalogue=catalogue,
        due=due,
        times=times,
        gap_seconds=gap,
        law=law,
        seed=seed,
    )
