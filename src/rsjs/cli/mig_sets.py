"""`rsjs mig stats` and `rsjs mig convert`: sets of jobs that exist."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli.options import Json, Output

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
    from rsjs.cli.mig_inputs import sets_and_config
    from rsjs.cli.mig_text import say_statistics
    from rsjs.instances.mig.job_generator.goodness_of_fit import statistics

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
    from rsjs.cli.inputs import writable
    from rsjs.cli.mig_inputs import known_form
    from rsjs.cli.mig_text import say
    from rsjs.instances.mig.job_files import read_jobs, write_jobs

    known_form(form)
    writable(output)
    jobs = read_jobs(source)
    written = write_jobs(jobs, output, form)
    say(
        {"file": output, "name": jobs.name, "jobs": len(jobs), "sha256": written.digest},
        as_json=as_json,
    )
