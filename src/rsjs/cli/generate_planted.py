"""`rsjs generate planted`."""

from __future__ import annotations

from typing import Annotated

import typer

from rsjs.cli.generate import Nodes, Seed, app
from rsjs.cli.options import Json, Output

PlantedJobs = Annotated[
    int | None, typer.Option("-J", "--jobs", metavar="J", help="Number of jobs, 4 N by default.")
]
Kind = Annotated[
    str, typer.Option(metavar="NAME", help="Energy term: proportional or first_ending.")
]


@app.command("planted")
def planted(
    nodes: Nodes,
    output: Output,
    jobs: PlantedJobs = None,
    kind: Kind = "proportional",
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Make an instance whose optimum is known by construction.

    \b
    Example:
      rsjs generate planted --kind first_ending -N 100 -J 400 --seed 1 -o instance.json.gz

    `rsjs.instances.generators.planted.optimum` of the same arguments returns the optimum, and the
    module its proof; the manifests of the sets planted-* have the costs.
    """
    from rsjs.cli.making import make
    from rsjs.instances.generators.planted import generate

    wanted = 4 * max(1, nodes) if jobs is None else jobs
    make(generate, output, nodes=nodes, jobs=wanted, as_json=as_json, kind=kind, seed=seed)
