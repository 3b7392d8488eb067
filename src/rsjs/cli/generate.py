"""`rsjs generate`: random instances, one subcommand per paper."""

from __future__ import annotations

from typing import Annotated

import typer

from rsjs.cli.options import Json, Output

app = typer.Typer(
    help="Make an instance.\n\n\b\nExample:\n  rsjs generate jahani -N 10 -J 100 -o instance.json",
)

Catalogue = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Node types and prices: table2, azure, server2-11usd, no-server2, kiros, homogeneous.",
    ),
]
Due = Annotated[str, typer.Option(metavar="LAW", help="Due dates: base or tight.")]
Times = Annotated[
    str, typer.Option(metavar="NAME", help="Execution times: synthetic, or networks (catalogue).")
]
Nodes = Annotated[int, typer.Option("-N", "--nodes", metavar="N", help="Number of nodes.")]
Jobs = Annotated[
    int | None, typer.Option("-J", "--jobs", metavar="J", help="Number of jobs, 10 N by default.")
]
Seed = Annotated[int, typer.Option(metavar="S", help="Seed of the random draws.")]


@app.callback()
def group() -> None: ...


@app.command("jahani")
def jahani(
    nodes: Nodes,
    output: Output,
    jobs: Jobs = None,
    catalogue: Catalogue = "table2",
    due: Due = "base",
    times: Times = "synthetic",
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Make an instance of Jahani 2019: node types to choose, jobs to place.

    \b
    Example:
      rsjs generate jahani --catalogue table2 --due base --times synthetic \\
          -N 100 -J 400 --seed 1 -o instance.json.gz
    """
    from rsjs.cli.making import make
    from rsjs.instances.generators.jahani import generate

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
