"""
`rsjs mig`: sets of jobs for GPUs that are divided into MIG instances.

`rsjs mig stats` and `rsjs mig convert`: sets of jobs that exist.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli import mig_place, mig_repartition, mig_schedule
from rsjs.cli.mig_options import (
    known_form,
    parsed_seeds,
    say,
    say_sets,
    say_statistics,
    sets_and_config,
)
from rsjs.cli.options import Json, Output
from rsjs.cli.paths import writable
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError
from rsjs.instances.io.files import write_bytes
from rsjs.instances.mig.job_files import read_jobs, write_jobs
from rsjs.instances.mig.job_generator.generate import read_source, write_sets
from rsjs.instances.mig.job_generator.goodness_of_fit import statistics
from rsjs.instances.mig.konopa.files import SHA256, published_dataset

AllowPlugins = Annotated[
    bool,
    typer.Option(
        "--allow-plugins", help="Load laws, memory models and fields of other packages: their code."
    ),
]
Form = Annotated[
    str,
    typer.Option(
        "--form",
        metavar="FORM",
        help="Text: rsjs (rsjs-mig-jobs/1), or as the published program writes it (program) or "
        "as its dataset has it (published).",
    ),
]


def stats(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Sets of jobs, pooled; with their configuration, if at hand."
        ),
    ],
    allow_plugins: AllowPlugins = False,
    as_json: Json = False,
) -> None:
    """
    Describe sets of jobs, beside the laws of their configuration.

    \b
    Example:
      rsjs mig stats jobs/day-s1.json
      rsjs mig stats config.json jobs/*.json
      rsjs mig stats config.json

    A configuration alone stands for the sets of its first ten seeds. p is that of a chi-square
    test of the values against their law; one small p among many says nothing.
    """

    sets, config = sets_and_config(files, allow_plugins=allow_plugins)
    say_statistics(sets, statistics(sets, config), as_json=as_json)


def convert(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="Set of jobs, in any form.")],
    output: Output,
    form: Form = "rsjs",
    as_json: Json = False,
) -> None:
    """
    Convert a set of jobs between our format and those of the published program.

    \b
    Example:
      rsjs mig convert test_jobs.json -o jobs.json
      rsjs mig convert jobs.json --form published -o test_jobs.json

    The files of the program have no place for classes, further fields and whether a job may
    migrate, and none for memory and deadlines that are not integers.
    """

    known_form(form)
    writable(output)
    jobs = read_jobs(source)
    written = write_jobs(jobs, output, form)
    say(
        {"file": output, "name": jobs.name, "jobs": len(jobs), "sha256": written.digest},
        as_json=as_json,
    )


app = typer.Typer(
    help="Jobs for MIG instances: make sets of them, schedule, place, repartition.\n\n\b\n"
    "Example:\n"
    "  rsjs mig generate config.json -o jobs --json\n"
    "  rsjs mig schedule jobs/section4-s2.json --method bigrem\n"
    "  rsjs mig place --mix mixed -n 500",
)

Config = Annotated[
    Path,
    typer.Argument(
        metavar="CONFIG", help="Configuration: rsjs-mig-config/1, or of the published program."
    ),
]
Seeds = Annotated[
    str | None,
    typer.Option(
        "--seeds", metavar="LIST", help="Seeds instead of the configuration's: 7 or 1,5,10-20."
    ),
]


@app.callback()
def group() -> None: ...


@app.command("validate")
def validate(config: Config, allow_plugins: AllowPlugins = False, as_json: Json = False) -> None:
    """
    Check a configuration, and draw the first of its sets.

    \b
    Example:
      rsjs mig validate config.json
    """

    source = read_source(config, allow_plugins=allow_plugins)
    jobs = source.make(source.seeds[0])
    say(
        {
            "config": config,
            "format": source.kind,
            "name": source.name,
            "sets": len(source.seeds),
            "first set": jobs.name,
            "jobs": len(jobs),
            "time units of run time": int(jobs.run_length.sum()),
            "last arrival": float(jobs.arrival[-1]) if len(jobs) else None,
            "deadlines too early": int((jobs.deadline < jobs.arrival + jobs.run_length).sum()),
        },
        as_json=as_json,
    )


@app.command("generate")
def generate(
    config: Config,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="TARGET", help="Folder; or a .json file for a single seed."
        ),
    ],
    seeds: Seeds = None,
    form: Form = "rsjs",
    allow_plugins: AllowPlugins = False,
    as_json: Json = False,
) -> None:
    """
    Make a set of jobs for each seed.

    \b
    Example:
      rsjs mig generate config.json -o jobs
      rsjs mig generate config.json --seeds 1,5,10-20 -o jobs
      rsjs mig generate test_config.json --form program -o jobs.json

    A folder also gets manifest.json: what made the sets, and the sha256 of each.
    """

    known_form(form)
    source = read_source(config, allow_plugins=allow_plugins)
    chosen = source.seeds if seeds is None else parsed_seeds(seeds)
    if len(chosen) == 1 and output.name.endswith((".json", ".json.gz")):
        writable(output)
        jobs = source.make(chosen[0])
        written = write_jobs(jobs, output, form)
        say(
            {"file": output, "name": jobs.name, "jobs": len(jobs), "sha256": written.digest},
            as_json=as_json,
        )
        return
    writable(output, folder=True)
    with busy("drawing jobs"):
        sets = list(write_sets(source, chosen, output, form))
    say_sets(output, sets, as_json=as_json)


@app.command("reproduce-dataset")
def reproduce_dataset(output: Output, as_json: Json = False) -> None:
    """
    Write the published dataset of Konopa, Fesl and Beranek 2025, byte for byte.

    \b
    Example:
      rsjs mig reproduce-dataset -o test_jobs.json

    1000 jobs of their configuration with seed 41. The arrivals come from a second stream whose
    seed, 189028438751160, was recovered from the dataset.
    """
    import gzip

    writable(output)
    data = published_dataset()
    found = sha256(data).hexdigest()
    if found != SHA256:
        raise InputError("/sha256", found, f"{SHA256}; the logarithm of this platform differs")
    write_bytes(gzip.compress(data, mtime=0) if output.name.endswith(".gz") else data, output)
    say({"file": output, "jobs": 1000, "sha256": found}, as_json=as_json)


app.command("stats")(stats)
app.command("convert")(convert)
app.command("place")(mig_place.place)
app.command("repartition")(mig_repartition.repartition)
app.command("schedule")(mig_schedule.schedule)
app.command("check")(mig_schedule.check)
