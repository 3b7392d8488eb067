"""`rsjs generate kiros` and `rsjs workload kiros`."""

from __future__ import annotations

from rsjs.cli.arrival_options import Gap, Law
from rsjs.cli.generate import Catalogue, Due, Jobs, Nodes, Seed, Times, app
from rsjs.cli.options import Json, Output
from rsjs.cli.workload import workload_app


@app.command("kiros")
def kiros(
    nodes: Nodes,
    output: Output,
    jobs: Jobs = None,
    catalogue: Catalogue = "kiros",
    due: Due = "base",
    times: Times = "synthetic",
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Make an instance of Kiros 2020: node types to choose, charged until their first job ends.

    \b
    Example:
      rsjs generate kiros --catalogue kiros --due base --times networks \\
          -N 100 -J 400 --seed 1 -o instance.json.gz
    """
    from rsjs.cli.making import make
    from rsjs.instances.generators.kiros import generate

    make(
        generate,
        output,
        nodes=nodes,
        jobs=jobs,
        as_json=as_json,
        catalogue=catalogue,
        due=due,
        times=times,
        seed=seed,
    )


@workload_app.command("kiros")
def kiros_workload(
    nodes: Nodes,
    output: Output,
    jobs: Jobs = None,
    catalogue: Catalogue = "kiros",
    due: Due = "base",
    times: Times = "synthetic",
    law: Law = "exp",
    gap: Gap = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Make a workload of Kiros 2020: its jobs, submitted one by one.

    \b
    Example:
      rsjs workload kiros --times networks --law exp --gap 30000 -N 10 -J 100 \\
          --seed 1 -o workload.json.gz
    """
    from rsjs.cli.making import make
    from rsjs.instances.generators.kiros import workload

    make(
        workload,
        output,
        nodes=nodes,
        jobs=jobs,
        as_json=as_json,
        catalogue=catalogue,
        due=due,
        times=times,
        law=law,
        gap_seconds=gap,
        seed=seed,
    )
