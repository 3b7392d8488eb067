"""`rsjs show`: what is in a file: instance, workload, solution, distribution, job, MIG jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rsjs.cli.mig_files import AllowPlugins, is_mig, show_jobs
from rsjs.cli.options import Json, argument, option, options_named
from rsjs.cli.output import (
    console,
    number,
    print_json,
    print_table,
    print_values,
    print_verdict,
    show_table,
    writable,
)
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, described
from rsjs.heuristics.sts.job_profiles import job_profiles
from rsjs.heuristics.sts.single_job import law_of_job
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.describe import describe, describe_distribution, describe_solution
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.files import SolutionFile, read_any, read_solution
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.inputs import distribution_picture, profile_picture
from rsjs.reporting.figures.occupancy import occupancy_figure, occupancy_text, shelves
from rsjs.reporting.tables.facts import node_types
from rsjs.runs.verified_run import verdict_keys

PROFILE_COLUMNS = (
    *(">GPUs", ">s [epochs/h]", ">P [$/h]", ">Q [$/epoch]", ">Phi [$/h]", ">epochs", ">hours"),
)


def show(
    files: Annotated[
        list[Path],
        argument(
            "FILE",
            "Instance or workload; instance and its solution, to be drawn; solution; or sets of MIG"
            " jobs and their configuration.",
        ),
    ],
    output: Annotated[
        Path | None,
        option(
            "PICTURE",
            "Draw solution, distribution or speed profiles to .png, .svg or .pdf.",
            *("-o", "--output"),
        ),
    ] = None,
    distribution: Annotated[
        str | None, option("NAME", "A distribution of the number of epochs.")
    ] = None,
    profile: Annotated[
        str | None, option("JOB", "Power model and optimal speed profiles of a job.")
    ] = None,
    allow_plugins: AllowPlugins = False,
    as_json: Json = False,
) -> None:
    """
    Show what is in a file, and which job runs on which GPU.

    \b
    Example:
      rsjs show instance.json
      rsjs show instance.json solution.json -o picture.png
      rsjs show shared.json --distribution VGG16-base -o distribution.png
      rsjs show shared.json --profile j1 -o profile.png
      rsjs show config.json jobs/*.json

    Times are in hours, costs in $. Load is the GPU hours that the jobs need in their fastest, or
    cheapest, mode, against the GPUs of the cluster; the slack of due dates is given in quartiles.
    Sets of MIG jobs are pooled and shown beside the distributions of their configuration; a
    configuration alone is checked, and stands for the sets of its first ten seeds. p is that of a
    chi-square test of the values against their distribution; one small p among many says nothing.
    """
    writable(output)
    file, *others = files
    part = distribution is not None or profile is not None
    if is_mig(file):
        if part or output is not None:
            found = described("MIG jobs or a configuration, and -o, --profile or --distribution")
            raise InputError("", found, "an instance or a workload", file)
        show_jobs(files, allow_plugins=allow_plugins, as_json=as_json)
        return
    if len(others) > 1:
        raise InputError("", described("a third file"), "an instance and its solution", others[1])
    if part and (others or None not in (distribution, profile)):
        expected = "a solution, --distribution or --profile"
        raise InputError("", described("several of them"), expected, file)
    content: Any = read_any(file)
    if output is not None and not part and not others:
        raise InputError("-o", described("no solution"), "an instance and its solution to draw")
    wanted = Instance if others or profile is not None else Instance | Workload
    if (others or part) and not isinstance(content, wanted):
        found = "a workload" if isinstance(content, Workload) else "a solution"
        expected = "an instance, before its solution, --distribution or --profile"
        raise InputError("", described(found), expected, file)
    if others:
        _show_solution(content, others[0], output, as_json=as_json)
    elif distribution is not None:
        _show_distribution(content, distribution, output, as_json=as_json)
    elif profile is not None:
        _show_profiles(content, profile, output, as_json=as_json)
    elif isinstance(content, SolutionFile):
        print_values(_described(content), as_json=as_json)
    else:
        _show_subject(describe(content), as_json=as_json)


def _show_subject(document: dict[str, Any], *, as_json: bool) -> None:
    """Print an instance or a workload in numbers, and its node types."""
    if as_json:
        print_json(document)
        return
    types = node_types(document)
    del document["node_types"]
    print_values(document, as_json=False)
    print()
    show_table(types)


def _described(content: SolutionFile) -> dict[str, Any]:
    """Return what a solution file says by itself; the picture needs the instance."""
    return {
        "kind": "solution",
        "instance_sha256": content.instance_digest,
        "method": content.method,
        "claimed_objective": content.objective,
        "claimed_bound": content.bound,
        **describe_solution(content.solution),
    }


def _show_solution(instance: Instance, path: Path, output: Path | None, *, as_json: bool) -> None:
    """Print and draw a solution: the checker's verdict, late jobs, the GPUs of each node."""
    stored = read_solution(path)
    stored.refuse_other(instance, path)
    solution, ids = stored.solution, np.array(instance.jobs.id)
    verdict = check(instance, solution, objective=stored.objective, bound=stored.bound)
    found: dict[str, Any] = {
        "method": stored.method,
        **verdict_keys(verdict, stored.bound),
        "counts": dict(verdict.counts),
    }
    drawable = verdict.terms is not None
    if drawable:
        execution = costs.execution(instance, solution)
        found["late"] = ids[execution.running[execution.tardiness > 0]].tolist()
        found["postponed"] = ids[solution.job_node < 0].tolist()
        found["occupancy"] = [
            {**vars(shelf), "jobs": [vars(block) for block in shelf.blocks]}
            for shelf in shelves(instance, solution)
        ]
    if output is not None:
        with busy("drawing"):
            write(occupancy_figure(instance, solution), output)
    if as_json:
        print_json({**describe(instance), "solution": found, "picture": output})
    else:
        names = (name for name in ("late", "postponed") if found.get(name))
        listed = ((name, " ".join(found[name])) for name in names)
        print_verdict({"instance": instance.name, **found}, *listed)
        if drawable:
            out = console()
            print()
            out.print(occupancy_text(instance, solution, out.width))
    raise typer.Exit(0 if verdict.feasible else 1)


def _show_distribution(
    content: Instance | Workload, name: str, output: Path | None, *, as_json: bool
) -> None:
    """Print a distribution of epochs, in text without the table of weights; draw it if asked."""
    with options_named("--distribution"):
        document = describe_distribution(content, name)
    if output is not None:
        with busy("drawing"):
            distribution_picture(content.laws[name], output, title=name)
    if not as_json:
        del document["epochs"], document["weights"]
    print_values({**document, "picture": output}, as_json=as_json)


def _show_profiles(instance: Instance, name: str, output: Path | None, *, as_json: bool) -> None:
    """
    Print a job's power model and its optimal speed profiles from now on; draw them if asked.

    A table per GPU type has its modes, and the epochs that the profile spends in them.
    """
    jobs = instance.jobs
    if name not in jobs.id:
        raise InputError("--profile", name, f"the id of a job, e.g. {jobs.id[0]}")
    j = jobs.id.index(name)
    done, hours_left = float(jobs.epochs_done[j]), float(jobs.due[j]) - instance.now
    profiles = job_profiles(instance, j, hours_left)
    if output is not None:
        title = f"{name} ({jobs.application[j]})"
        with busy("drawing"):
            profile_picture(
                profiles, law_of_job(instance, j), output, done=done, time=hours_left, title=title
            )
    head = {
        "kind": "profile",
        "instance": instance.name,
        "job": name,
        "application": jobs.application[j],
        "distribution": jobs.law[j],
        "epochs_done": done,
        "hours_left": hours_left,
        "picture": output,
    }
    if as_json:
        types = [
            {
                "gpu_type": own.gpu_type,
                "status": own.status,
                "expected_energy": own.energy,
                "worst_hours": own.worst_hours,
                "hours_until_change": own.change,
                "configurations": [
                    vars(mode) | {"hours": mode.hours} for mode in own.configurations
                ],
            }
            for own in profiles
        ]
        print_json({**head, "gpu_types": types})
        return
    print_values({**head, "epochs_done": f"{done:.12g}"}, as_json=False)
    for own in profiles:
        rows = []
        for mode in own.configurations:
            phi = "" if mode.phi is None else mode.phi
            row = [mode.gpus, 1 / mode.hours_per_epoch, mode.power, mode.energy, phi, "", ""]
            if mode.ends is not None:  # the speed profile uses it
                row[5:] = f"{number(mode.begins, 4)} - {number(mode.ends, 4)}", mode.hours
            rows.append(row)
        title = f"expected {number(own.energy, 4)} $, at most {number(own.worst_hours, 4)} h"
        print()
        print_table(f"{own.gpu_type}: {own.status}, {title}", PROFILE_COLUMNS, rows)
    print("\nPhi of the speeds worth using, against the next one; epochs on each of them.")
