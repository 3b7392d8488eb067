"""`rsjs generate`: instances and workloads by the generator of each paper, sets of MIG jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rsjs.api import generate, save
from rsjs.cli.mig_files import AllowPlugins, Form, known_form, parsed_seeds
from rsjs.cli.options import Json, Output, options_named
from rsjs.cli.output import print_json, print_made, writable
from rsjs.cli.progress import busy

app = typer.Typer(
    help="Make an instance, or with --arrivals a workload: jobs that arrive over time.\n\n\b\n"
    "Example:\n"
    "  rsjs generate jahani -N 10 -J 100 -o instance.json\n"
    "  rsjs generate jahani --arrivals exp --gap 30 -N 10 -J 100 -o workload.json",
)

Nodes = Annotated[int, typer.Option("-N", "--nodes", metavar="N", help="Number of nodes.")]
Jobs = Annotated[
    int | None, typer.Option("-J", "--jobs", metavar="J", help="Number of jobs, 10 N by default.")
]
Seed = Annotated[int, typer.Option(metavar="S", help="Seed of the random draws.")]
Catalogue = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Node types and prices: table2, azure, server2-11usd, no-server2, kiros, homogeneous.",
    ),
]
Due = Annotated[str, typer.Option(metavar="NAME", help="Due dates: base or tight.")]
Times = Annotated[
    str, typer.Option(metavar="NAME", help="Execution times: synthetic, or networks (catalogue).")
]
Arrivals = Annotated[
    str | None,
    typer.Option(
        metavar="LAW",
        help="Make a workload. Time between submissions: exp, integer_poisson or constant; or a "
        "load, high, low or mixed (not of jahani).",
    ),
]
Gap = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="With --arrivals: mean time between two submissions times the number of nodes; the "
        "paper's by default.",
    ),
]
ClusterGap = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="With --arrivals: mean time between two submissions to the whole cluster, 30 by "
        "default; it is not divided by N.",
    ),
]


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
    arrivals: Arrivals = None,
    gap: ClusterGap = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Draw from Jahani 2019: node types to choose, jobs to place.

    \b
    Example:
      rsjs generate jahani --catalogue table2 --due base --times synthetic \\
          -N 100 -J 400 --seed 1 -o instance.json.gz
      rsjs generate jahani --arrivals exp --gap 30 -N 10 -J 100 -o workload.json.gz

    The paper's workloads have gaps of 30 s and 45 s whatever the number of nodes.
    """
    _make("jahani", **locals())


@app.command("kiros")
def kiros(
    nodes: Nodes,
    output: Output,
    jobs: Jobs = None,
    catalogue: Catalogue = "kiros",
    due: Due = "base",
    times: Times = "synthetic",
    arrivals: Arrivals = None,
    gap: Gap = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Draw from Kiros 2020: nodes charged until their first job ends.

    \b
    Example:
      rsjs generate kiros --catalogue kiros --due base --times networks \\
          -N 100 -J 400 --seed 1 -o instance.json.gz
      rsjs generate kiros --arrivals exp --gap 30000 -N 10 -J 100 -o workload.json.gz
    """
    _make("kiros", **locals())


@app.command("andreas")
def andreas(
    nodes: Nodes,
    output: Output,
    jobs: Jobs = None,
    scenario: Annotated[
        int, typer.Option(metavar="1|2", help="GPUs of a node: 2 V100 or 1 T4, or twice as many.")
    ] = 1,
    profiles: Annotated[
        Path | None,
        typer.Option(
            metavar="CATALOGUE",
            help="Applications and GPU types of your own, from `rsjs profile`, for the scenario.",
        ),
    ] = None,
    arrivals: Arrivals = None,
    gap: Gap = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Draw from ANDREAS (Filippini 2021): fixed nodes, energy by power.

    \b
    Example:
      rsjs generate andreas --scenario 1 -N 100 -J 400 --seed 1 -o instance.json.gz
      rsjs generate andreas --profiles applications.json -N 10 -J 100 -o instance.json
      rsjs generate andreas --scenario 2 --arrivals mixed -N 10 -J 100 -o workload.json.gz
    """
    arguments = {**locals(), "profiles": None if profiles is None else str(profiles)}
    _make("andreas", **arguments)


@app.command("sts")
def sts(
    nodes: Nodes,
    output: Output,
    jobs: Jobs = None,
    mix: Annotated[
        str, typer.Option(metavar="NAME", help="GPU types: km (K80, M60), a100, or kma (all).")
    ] = "km",
    sharing: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Shares of GPUs: none; paper: Table IV with the slow-down of the paper; or "
            "contention.",
        ),
    ] = "none",
    speedup: Annotated[
        str, typer.Option(metavar="NAME", help="On several GPUs: weak or strong scaling, or p0.5.")
    ] = "weak",
    samples: Annotated[
        int, typer.Option(metavar="N", help="Samples per epoch; the paper's: 13000.")
    ] = 130_000,
    laws: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="Distributions of epochs: base, mild, strong, fixed, or a .csv file "
            "(epoch,weight).",
        ),
    ] = "base",
    arrivals: Arrivals = None,
    gap: Gap = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Draw from Filippini 2024 (RS-JS): random epochs, GPU shares.

    \b
    Example:
      rsjs generate sts --mix kma --sharing paper --speedup weak --samples 130000 \\
          --laws base -N 100 -J 400 --seed 1 -o instance.json.gz
      rsjs generate sts --mix km --arrivals exp --gap 50000 -N 10 -J 100 -o workload.json.gz

    The paper's workloads have --arrivals exp, high and low. How many epochs a job of a workload
    runs is drawn, and withheld from the methods.
    """
    _make("sts", **locals())


@app.command("planted")
def planted(
    nodes: Nodes,
    output: Output,
    jobs: Annotated[
        int | None,
        typer.Option("-J", "--jobs", metavar="J", help="Number of jobs, 4 N by default."),
    ] = None,
    kind: Annotated[
        str, typer.Option(metavar="NAME", help="Energy term: proportional or first_ending.")
    ] = "proportional",
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Draw an instance whose optimum is known by construction.

    \b
    Example:
      rsjs generate planted --kind first_ending -N 100 -J 400 --seed 1 -o instance.json.gz

    `rsjs.instances.generators.planted.optimum` of the same arguments returns the optimum, and the
    module its proof; the manifests of the sets planted-* have the costs.
    """
    _make("planted", gap=None, **locals())


def _make(family: str, *, output: Path, gap: float | None, as_json: bool, **options: Any) -> None:
    """Draw with the options of a command, write the file and print what is in it."""
    writable(output)
    with busy("drawing jobs"), options_named():
        subject = generate(family, gap_seconds=gap, **options)
        save(subject, output)
    print_made(subject, output, as_json=as_json)


@app.command("mig")
def mig(
    config: Annotated[
        Path,
        typer.Argument(
            metavar="CONFIG", help="Configuration: rsjs-mig-config/1, or of the published program."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="TARGET", help="Folder; or a .json file for a single seed."
        ),
    ],
    seeds: Annotated[
        str | None,
        typer.Option(
            "--seeds", metavar="LIST", help="Seeds instead of the configuration's: 7 or 1,5,10-20."
        ),
    ] = None,
    form: Form = "rsjs",
    allow_plugins: AllowPlugins = False,
    as_json: Json = False,
) -> None:
    """
    Draw sets of MIG jobs (Konopa 2025), one per seed.

    \b
    Example:
      rsjs generate mig config.json -o jobs
      rsjs generate mig config.json --seeds 1,5,10-20 -o jobs
      rsjs generate mig test_config.json --form program -o jobs.json

    A folder also gets manifest.json: what made the sets, and the sha256 of each. `rsjs show
    CONFIG` checks a configuration and describes its sets.
    """
    from rsjs.instances.mig.job_files import write_jobs
    from rsjs.instances.mig.job_generator.generate import read_source, write_sets

    known_form(form)
    source = read_source(config, allow_plugins=allow_plugins)
    chosen = source.seeds if seeds is None else parsed_seeds(seeds)
    if len(chosen) == 1 and output.name.endswith((".json", ".json.gz")):
        writable(output)
        jobs = source.make(chosen[0])
        write_jobs(jobs, output, form)
        print_made(jobs, output, as_json=as_json)
        return
    writable(output, folder=True)
    with busy("drawing jobs"):
        sets = list(write_sets(source, chosen, output, form))
    if as_json:
        print_json({"folder": output, "sets": sets})
        return
    print(f"{output}: {len(sets)} sets, {sum(line['jobs'] for line in sets)} jobs")
    print(f"{output / 'manifest.json'}: sha256 of each")
