"""
`rsjs generate`: random instances, one subcommand per paper.

`rsjs workload`: random streams of jobs, one subcommand per paper.

`rsjs generate sts` and `rsjs workload sts`.

`rsjs generate kiros` and `rsjs workload kiros`.

`rsjs generate andreas` and `rsjs workload andreas`.

`rsjs generate planted`.

What the commands that make an instance or a workload do.

Options of when jobs arrive, where gaps are divided by the number of nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.cli.options import Json, Output, jobs_or_default, options_named, report
from rsjs.cli.paths import writable
from rsjs.cli.progress import busy
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import write_instance, write_workload

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance, Workload

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

    from rsjs.instances.generators.planted import generate

    wanted = 4 * max(1, nodes) if jobs is None else jobs
    make(generate, output, nodes=nodes, jobs=wanted, as_json=as_json, kind=kind, seed=seed)


def make(
    draw: Callable[..., Instance | Workload],
    output: Path,
    *,
    nodes: int,
    jobs: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Draw with the options of a command, write the file and tell what is in it."""

    writable(output)
    with busy("drawing jobs"), options_named():
        made = draw(nodes=nodes, jobs=jobs_or_default(jobs, nodes), **options)
        if isinstance(made, Instance):
            write_instance(made, output)
        else:
            write_workload(made, output)
    report(made, output, as_json=as_json)


Law = Annotated[
    str,
    typer.Option(
        metavar="LAW",
        help="Gaps: exp, integer_poisson or constant; or a load, high, low or mixed.",
    ),
]
Gap = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Mean time between two submissions times the number of nodes; the paper's by default.",
    ),
]


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
