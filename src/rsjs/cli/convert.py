"""
`rsjs convert`: files of other programs, to our formats and from them.

`rsjs import-solution` is the way back of a linear model.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from rsjs import api
from rsjs.cli.mig_files import Form, is_mig
from rsjs.cli.options import Json, Output, argument, option, options_named, request_of
from rsjs.cli.output import print_json, print_made, print_values, print_verdict, writable
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, described
from rsjs.formulations.backends.solution_files import FORMATS
from rsjs.formulations.milp import export
from rsjs.instances.check import check
from rsjs.instances.io import gpuscheduler_csv
from rsjs.instances.io.files import (
    SolutionFile,
    read_any,
    read_instance,
    write_instance,
    write_solution,
)
from rsjs.instances.mig.job_files import read_jobs, write_jobs
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.transform import with_change_costs
from rsjs.runs.kinds.base import kind_of_file
from rsjs.runs.verified_run import verdict_keys

DEFAULT = "jahani_patterns"


def convert(
    source: Annotated[
        Path,
        argument(
            "SOURCE",
            "Folder with CSV files of GPUScheduler; instance, workload or set of MIG jobs.",
        ),
    ],
    output: Annotated[
        Path,
        option(
            "TARGET",
            "File to write; folder for the CSV files; or a linear model: .mps, .lp, each also .gz.",
            *("-o", "--output"),
        ),
    ],
    method: Annotated[
        str | None,
        option(
            "METHOD",
            f"Whose linear model, {DEFAULT} by default: name[?key=value,...]; a solver makes no"
            " difference.",
        ),
    ] = None,
    form: Form = "rsjs",
    migration: Annotated[
        float | None,
        option(
            "DOLLARS", "Cost of each job that an instance moves, 0 by default.", "--migration-cost"
        ),
    ] = None,
    start: Annotated[
        float | None,
        option(
            "DOLLARS", "Cost of each job that an instance starts, 0 by default.", "--start-cost"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Convert files of other programs to our formats, or write them.

    \b
    Example:
      rsjs convert folder-with-csv -o instance.json.gz
      rsjs convert instance.json.gz -o folder-with-csv
      rsjs convert instance.json --method jahani_patterns -o model.mps.gz
      rsjs convert test_jobs.json -o jobs.json
      rsjs convert jobs.json --form published -o test_jobs.json
      rsjs convert instance.json --migration-cost 2 --start-cost 0.5 -o charged.json

    CSV files are those of GPUScheduler: jobs submitted at one time become an instance, others a
    workload; there is no place for objective, H, rho and a placement: read back, they are the
    program's own.

    A linear model is for solvers that have no interface here. The same instance and method give
    the same bytes. The model is named METHOD.INSTANCE; columns and rows have names such as
    x_j3_v1_g2; a constant in the objective is the cost of a column fixed at 1.
    `rsjs import-solution` reads what a solver wrote for it. A problem of MIG has one model: the
    fewest GPUs of a placement, the makespan of a repartition, the first stage of a schedule.

    MIG jobs are those of Konopa et al. 2025. Their files have no place for classes, further fields
    and whether a job may migrate, and none for memory and deadlines that are not integers.

    With --migration-cost or --start-cost an instance is written as one whose objective charges what
    changes against its `current` placement; its name tells both.
    """
    if migration is not None or start is not None:
        if method is not None:
            raise InputError("--method", method, "no method: costs of changes go into an instance")
        _write_charged(source, output, migration, start, as_json=as_json)
        return
    if method is not None or Path(output.name.removesuffix(".gz")).suffix in export.WRITERS:
        _write_model(source, output, method, as_json=as_json)
        return
    is_folder = source.is_dir()
    of_jobs = not is_folder and is_mig(source)
    read = gpuscheduler_csv.read_any if is_folder else read_jobs if of_jobs else read_any
    writable(output, source, folder=not is_folder and not of_jobs)
    with busy("converting"):
        content = read(source)
        if isinstance(content, SolutionFile):
            raise InputError("", described("a solution"), "an instance or a workload", source)
        if isinstance(content, JobSet):
            write_jobs(content, output, form)
        elif is_folder:
            api.save(content, output)
        else:
            gpuscheduler_csv.write(content, output)
    print_made(content, output, as_json=as_json)


def import_solution(
    source: Annotated[Path, argument("INSTANCE", "The instance whose model was written.")],
    found: Annotated[
        Path, argument("MODEL.sol", f"What a solver wrote: {', '.join(FORMATS)} format.")
    ],
    output: Output,
    method: Annotated[
        str, option("METHOD", f"Whose linear model it was, {DEFAULT} by default.")
    ] = DEFAULT,
    as_json: Json = False,
) -> None:
    """
    Read what a solver wrote for the model of `rsjs convert`, and check it.

    \b
    Example:
      rsjs convert instance.json --method rsjs_nodes -o model.mps
      mysolver model.mps model.sol
      rsjs import-solution instance.json model.sol --method rsjs_nodes -o solution.json

    The format is recognised from the first lines of the file, which may be .gz; it may also consist
    of lines of a name and a value. Columns that are left out are 0. What violates the model is
    refused; the solution is written if it is feasible, else the exit code is 1.
    """
    request = request_of(method)
    with options_named("--method"):
        export.refuse(request.method.name, Path("model.mps"))
    writable(output, source, found)
    with busy("building the model"):
        instance = read_instance(source)
        api.refuse_unserved(instance, request)
        solution = export.import_solution(request.method.name, instance, request.options, found)
    verdict = check(instance, solution)
    document = {
        "instance": instance.name,
        "instance_sha256": instance.digest,
        "method": replace(request, solver=None).spelling,
        **verdict_keys(verdict, None),
        "counts": verdict.counts,
    }
    if verdict.feasible:
        write_solution(
            solution,
            instance.digest,
            output,
            method=document["method"],
            objective=verdict.objective,
        )
    document["solution_file"] = output if verdict.feasible else None
    if as_json:
        print_json(document)
    else:
        written = str(output) if verdict.feasible else "not written"
        print_verdict(document, ("solution", written))
    raise typer.Exit(0 if verdict.feasible else 1)


def _write_charged(
    source: Path, output: Path, migration: float | None, start: float | None, *, as_json: bool
) -> None:
    """Write an instance that charges migrations and starts; None = as it does."""
    writable(output, source)
    instance = read_instance(source)
    objective = instance.objective
    try:
        charged = with_change_costs(
            instance,
            migration=objective.migration if migration is None else migration,
            start=objective.start if start is None else start,
        )
    except InputError as error:
        named = f"--{error.pointer.rpartition('/')[2]}-cost"
        raise InputError(named, error.value, error.expected) from None
    write_instance(charged, output)
    print_made(charged, output, as_json=as_json)


def _write_model(source: Path, output: Path, method: str | None, *, as_json: bool) -> None:
    """Write the linear model of a method, or of a problem of MIG; print its size and digest."""
    request = request_of(method or DEFAULT)
    with options_named("--method"):
        export.refuse(request.method.name, output)
    writable(output, source)
    kind, named = kind_of_file(source), replace(request, solver=None).spelling
    with busy("building the model"):
        if kind.name in export.MIG:
            if method is not None:
                raise InputError("--method", method, f"no method: {kind.name} has one linear model")
            problem, named = kind.read(source), str(kind.name)
            written = export.export(named, problem, {}, output)
        else:
            problem = read_instance(source)
            written = api.export_model(problem, output, request.spelling)
    facts = {
        "instance": problem.name,
        "instance_sha256": problem.digest,
        "method": named,
        **asdict(written),
    }
    print_values(facts, as_json=as_json)
