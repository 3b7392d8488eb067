"""`rsjs generate`: instances, workloads, MIG jobs; `rsjs fetch-set`: sets of the library."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from rsjs.api import JOBS_PER_NODE, generate, save
from rsjs.cli.mig_files import AllowPlugins, Form, parsed_seeds
from rsjs.cli.options import Json, Nodes, Output, argument, option, options_named
from rsjs.cli.output import print_json, print_made, print_values, writable
from rsjs.cli.progress import Screen, busy
from rsjs.instances.library.sets import GENERATORS, WORKLOADS

app = typer.Typer(
    help="Make an instance, or with --arrivals a workload: jobs that arrive over time.\n\n\b\n"
    "Example:\n"
    "  rsjs generate jahani -N 10 -J 100 -o instance.json\n"
    "  rsjs generate jahani --arrivals exp --gap 30 -N 10 -J 100 -o workload.json",
)

ABOUT = {  # family: help of its command
    "jahani": """
    Draw from Jahani 2019: node types to choose, jobs to place.

    \b
    Example:
      rsjs generate jahani --catalogue table2 --due base --times synthetic \\
          -N 100 -J 400 --seed 1 -o instance.json.gz
      rsjs generate jahani --arrivals exp --gap 30 -N 10 -J 100 -o workload.json.gz

    The paper's workloads have gaps of 30 s and 45 s whatever the number of nodes.
    """,
    "kiros": """
    Draw from Kiros 2020: nodes charged to their first ending.

    \b
    Example:
      rsjs generate kiros --catalogue kiros --due base --times networks \\
          -N 100 -J 400 --seed 1 -o instance.json.gz
      rsjs generate kiros --arrivals exp --gap 30000 -N 10 -J 100 -o workload.json.gz
    """,
    "andreas": """
    Draw from ANDREAS 2021: fixed nodes, energy by power.

    \b
    Example:
      rsjs generate andreas --scenario 1 -N 100 -J 400 --seed 1 -o instance.json.gz
      rsjs generate andreas --profiles applications.json -N 10 -J 100 -o instance.json
      rsjs generate andreas --scenario 2 --arrivals mixed -N 10 -J 100 -o workload.json.gz
    """,
    "sts": """
    Draw from Filippini 2024: random epochs, GPU shares.

    \b
    Example:
      rsjs generate sts --mix kma --sharing paper --speedup weak --samples 130000 \\
          --laws base -N 100 -J 400 --seed 1 -o instance.json.gz
      rsjs generate sts --mix km --arrivals exp --gap 50000 -N 10 -J 100 -o workload.json.gz

    The paper's workloads have --arrivals exp, high and low. How many epochs a job of a workload
    runs is drawn, and withheld from the methods.
    """,
    "heterogeneous": """
    Draw clusters of many GPU types and large nodes.

    \b
    Example:
      rsjs generate heterogeneous --kind proportional --gpus 24 --types 10 --classes 5 \\
          --scaling power --load 3 --rho 1 -N 100 -J 400 --seed 1 -o instance.json.gz
      rsjs generate heterogeneous --kind first_ending --gpus 2 --shares 16 \\
          -N 50 -J 200 -o instance.json.gz
      rsjs generate heterogeneous --counts rigid --arrivals exp -N 10 -J 100 -o workload.json.gz

    What each parameter stands for in hardware is told in docs/reference/heterogeneous.md.
    """,
    "planted": """
    Draw an instance whose optimum is known by construction.

    \b
    Example:
      rsjs generate planted --kind first_ending -N 100 -J 400 --seed 1 -o instance.json.gz

    `rsjs.instances.generators.planted.optimum` of the same arguments returns the optimum, and the
    module its proof; the manifests of the sets planted-* have the costs.
    """,
}
OPTIONS = {  # parameter of a generator: what stands for its value, help
    "catalogue": (
        "NAME",
        "Node types and prices: table2, azure, server2-11usd, no-server2, kiros, homogeneous.",
    ),
    "due": ("NAME", "Due dates: base or tight; of heterogeneous also median."),
    "times": ("NAME", "Execution times: synthetic, or networks (catalogue)."),
    "scenario": ("1|2", "GPUs of a node: 2 V100 or 1 T4, or twice as many."),
    "profiles": (
        "CATALOGUE",
        "Applications and GPU types of your own, from `rsjs profile`, for the scenario.",
    ),
    "mix": ("NAME", "GPU types: km (K80, M60), a100, or kma (all)."),
    "sharing": (
        "NAME",
        "Shares of GPUs: none; paper: Table IV with the slow-down of the paper; or contention.",
    ),
    "speedup": ("NAME", "On several GPUs: weak or strong scaling, or p0.5."),
    "samples": ("N", "Samples per epoch; the paper's: 13000."),
    "laws": (
        "NAME|FILE",
        "Distributions of epochs: base, mild, strong, fixed, or a .csv file (epoch,weight).",
    ),
    "kind": ("NAME", "Energy term: proportional or first_ending."),
    "gpus": ("N|mixed", "GPUs of each node type: 2, 4, 8, 16, 24, 72, or mixed (8 to 72)."),
    "types": ("N", "GPU types, 1 to 10; 1 to 8 with --scaling networks."),
    "classes": ("N", "Node classes; as many as GPU types: fixed hardware."),
    "prices": ("NAME", "Of a node: flat, or used (its base and the GPUs in use)."),
    "scaling": ("NAME", "Times on several GPUs: networks, power, linear or random."),
    "counts": ("NAME", "GPUs a job may run on: any, powers (of two) or rigid (one number)."),
    "shares": ("NAME", "Levels of a GPU: none; 7 (2, 3), 16 (3, 5, 7) or 24 (5, 7, 9, 11)."),
    "load": ("FACTOR", "Of all times."),
    "rho": ("FACTOR", "Weight of postponement, >= 1."),
}


def _jobs(family: str) -> Any:
    ratio = JOBS_PER_NODE.get(family, 10)
    return option("J", f"Number of jobs; {ratio} N by default.", "-J", "--jobs")


def _arrivals(family: str) -> Any:
    loads = "" if family in ("jahani", "heterogeneous") else "; or a load, high, low or mixed"
    text = "Make a workload. Time between submissions: exp, integer_poisson or constant"
    return option("PROCESS", f"{text}{loads}.")


def _gap(family: str) -> Any:
    scale = "to the whole cluster" if family == "jahani" else "times the number of nodes"
    text = f"With --arrivals: mean time between two submissions {scale}; the paper's by default."
    return option("SECONDS", text)


def _command(family: str) -> Callable[..., None]:
    """Return the command of a family: its options are the parameters of its generator."""

    def command(output: Path, as_json: bool, gap: float | None = None, **options: Any) -> None:
        # options may name files: a catalogue, distributions
        writable(
            output, *(Path(value) for value in options.values() if isinstance(value, str | Path))
        )
        with busy("drawing jobs"), options_named():
            subject = generate(family, gap_seconds=gap, **options)
            save(subject, output)
        print_made(subject, output, as_json=as_json)

    kinds: dict[str, tuple[Any, Any]] = {  # name: type and default
        "nodes": (Nodes, Parameter.empty),
        "output": (Output, Parameter.empty),
        "jobs": (Annotated[int | None, _jobs(family)], None),
    }
    for name, parameter in signature(GENERATORS[family], eval_str=True).parameters.items():
        if name in OPTIONS:
            kind = Annotated[parameter.annotation, option(*OPTIONS[name])]  # type: ignore[name-defined]
            kinds[name] = (kind, parameter.default)
    if family in WORKLOADS:
        kinds["arrivals"] = (Annotated[str | None, _arrivals(family)], None)
        kinds["gap"] = (Annotated[float | None, _gap(family)], None)
    kinds["seed"] = (Annotated[int, option("S", "Seed of the random draws.")], 1)
    kinds["as_json"] = (Json, False)
    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)
        for name, (kind, default) in kinds.items()
    ]
    command.__doc__ = ABOUT[family]
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return command


for _family in ABOUT:
    app.command(_family)(_command(_family))


@app.command("mig")
def mig(
    config: Annotated[
        Path,
        argument("CONFIG", "Configuration: rsjs-mig-config/1, or of the published program."),
    ],
    output: Annotated[
        Path, option("TARGET", "Folder; or a .json file for a single seed.", "-o", "--output")
    ],
    seeds: Annotated[
        str | None, option("LIST", "Seeds instead of the configuration's: 7 or 1,5,10-20.")
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

    source = read_source(config, allow_plugins=allow_plugins)
    chosen = source.seeds if seeds is None else parsed_seeds(seeds)
    if len(chosen) == 1 and output.name.endswith((".json", ".json.gz")):
        writable(output, config)
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


def fetch_set(
    name: Annotated[str, argument("NAME", "Set, see `rsjs list sets`.")],
    output: Annotated[Path, option("DIR", "Folder for the files.", "-o", "--output")],
    seed_phrase: Annotated[
        str | None, option("TEXT", "Draw it anew, with seeds that follow from a phrase.")
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Write the members of a set, each compared with its sha256 in the library.

    \b
    Example:
      rsjs list sets
      rsjs fetch-set jahani-table2-base -o jahani-table2-base
      rsjs fetch-set online --seed-phrase "$(cat phrase.txt)" -o sealed

    They are drawn here, nothing is downloaded. Run the same command again to resume; files that
    were changed are written again. manifest.json has sha256 and, where proved, the optimum of
    each, see `rsjs bks`. With --seed-phrase the same recipes are drawn with other seeds, for a
    contest: publish the SHA-256 of the phrase before it and the phrase after it. Licence of the
    data: CC-BY-4.0.
    """
    from rsjs.bks.storage import optima
    from rsjs.instances.library.download import MANIFEST_NAME, fetch
    from rsjs.instances.library.sets import LICENCE, library_set, sealed

    writable(output, folder=True)
    with options_named("NAME"):
        chosen = library_set(name) if seed_phrase is None else sealed(name, seed_phrase)
    states = []
    with Screen() as screen:
        for member, state in fetch(chosen, output, optima()):
            states.append(state)
            screen.show(f"{len(states)}/{len(chosen.members)} {member.name}")
    facts = {
        "set": chosen.name,
        "folder": output,
        "members": len(states),
        "written": states.count("written"),
        "kept": states.count("kept"),
        "manifest": output / MANIFEST_NAME,
        **({"phrase_sha256": chosen.phrase_sha256} if chosen.phrase_sha256 else {}),
        "licence": LICENCE,
    }
    print_values(facts, as_json=as_json)


def fetch_models(
    output: Annotated[Path, option("DIR", "Folder to write.", "-o", "--output")],
    names: Annotated[
        list[str] | None,
        argument("NAME", "Models of `rsjs list models`, * and ? are wild; all without."),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Write model files of the solver track (MPS), each compared with its sha256.

    \b
    Example:
      rsjs list models
      rsjs fetch-models -o models
      rsjs fetch-models "mig_*" "rsjs_gpu-*N4-*" -o models
      rsjs run solver-track -o solver-track

    They are made here, each from an instance that a generator draws; nothing is downloaded.
    manifest.json has size, optimum, what proved it, and sha256 of the text of each. Licence:
    CC-BY-4.0.
    """
    from rsjs.formulations.milp.models import MANIFEST_NAME, chosen, fetch
    from rsjs.instances.library.sets import LICENCE

    writable(output, folder=True)
    with options_named("NAME"):
        wanted = chosen(names or [])
    size = 0
    with Screen() as screen:
        for number, (model, written) in enumerate(fetch(wanted, output), 1):
            size += written.size
            screen.show(f"{number}/{len(wanted)} {model.name}")
    facts = {
        "folder": output,
        "models": len(wanted),
        "bytes": size,
        "manifest": output / MANIFEST_NAME,
        "licence": LICENCE,
    }
    print_values(facts, as_json=as_json)
