"""`rsjs generate sts` and `rsjs workload sts`."""

from __future__ import annotations

from typing import Annotated

import typer

from rsjs.cli.arrival_options import Gap, Law
from rsjs.cli.generate import Jobs, Nodes, Seed, app
from rsjs.cli.options import Json, Output
from rsjs.cli.workload import workload_app

Mix = Annotated[
    str, typer.Option(metavar="NAME", help="GPU types: km (K80, M60), a100, or kma (all three).")
]
Sharing = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Shares of GPUs: none; Table IV with the slow-down of the paper, or contention.",
    ),
]
Speedup = Annotated[
    str, typer.Option(metavar="NAME", help="On several GPUs: weak or strong scaling, or p0.5.")
]
Samples = Annotated[int, typer.Option(metavar="N", help="Samples per epoch; the paper's: 13000.")]
Laws = Annotated[
    str,
    typer.Option(
        metavar="NAME|FILE",
        help="Laws of the epochs: base, mild, strong, fixed, or a .csv file (epoch,weight).",
    ),
]


@app.command("sts")
def sts(
    nodes: Nodes,
    output: Output,
    jobs: Jobs = None,
    mix: Mix = "km",
    sharing: Sharing = "none",
    speedup: Speedup = "weak",
    samples: Samples = 130_000,
    laws: Laws = "base",
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Make an instance of Filippini 2024 (RS-JS): fixed nodes, random numbers of epochs, GPU shares.

    \b
    Example:
      rsjs generate sts --mix kma --sharing paper --speedup weak --samples 130000 \\
          --laws base -N 100 -J 400 --seed 1 -o instance.json.gz
    """
    from rsjs.cli.making import make
    from rsjs.instances.generators.sts import generate

    make(
        generate,
        output,
        nodes=nodes,
        jobs=jobs,
        as_json=as_json,
        mix=mix,
        sharing=sharing,
        speedup=speedup,
        samples=samples,
        laws=laws,
        seed=seed,
    )


@workload_app.command("sts")
def sts_workload(
    nodes: Nodes,
    output: Output,
    jobs: Jobs = None,
    mix: Mix = "km",
    sharing: Sharing = "none",
    speedup: Speedup = "weak",
    samples: Samples = 130_000,
    laws: Laws = "base",
    law: Law = "exp",
    gap: Gap = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Make a workload of Filippini 2024: its jobs, submitted one by one.

    \b
    Example:
      rsjs workload sts --mix km --law exp --gap 50000 -N 10 -J 100 --seed 1 \\
          -o workload.json.gz

    The paper has --law exp, high and low. How many epochs a job runs is drawn, and withheld from
    the methods.
    """
    from rsjs.cli.making import make
    from rsjs.instances.generators.sts import workload

    make(
        workload,
        output,
        nodes=nodes,
        jobs=jobs,
        as_json=as_json,
        mix=mix,
        sharing=sharing,
        speedup=speedup,
        samples=samples,
        laws=laws,
        law=law,
        gap_seconds=gap,
        seed=seed,
    )
