"""`rsjs show`: what is in a file: instance, workload, solution, distribution, job, MIG jobs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from rsjs import library
from rsjs.cli.mig_files import AllowPlugins, is_mig, show_jobs
from rsjs.cli.options import Json, errors_at
from rsjs.cli.output import (
    console,
    cost_lines,
    number,
    print_facts,
    print_json,
    print_table,
    print_values,
    violation_lines,
    writable,
)
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, described
from rsjs.heuristics.sts.job_profiles import job_profiles
from rsjs.heuristics.sts.single_job import law_of_job
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.describe import describe, describe_distribution
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.files import SolutionFile, read_any, read_solution
from rsjs.instances.library.features import Features, features
from rsjs.instances.library.sets import LibrarySet, draw
from rsjs.reporting.figures.epoch_distribution import law_picture
from rsjs.reporting.figures.instance_space import Point, set_picture
from rsjs.reporting.figures.occupancy import shelves
from rsjs.reporting.figures.occupancy_lines import occupancy_text
from rsjs.reporting.figures.occupancy_picture import occupancy
from rsjs.reporting.figures.speed_profile import profile_picture
from rsjs.runs.verified_run import verdict_keys

if TYPE_CHECKING:
    from rsjs.heuristics.sts.job_profiles import JobProfile
    from rsjs.instances.solution import Solution

MOST_LISTED = 12  # applications
MOST_JOBS = 400  # of the member that stands for a set
PROFILE_COLUMNS = (
    *(">GPUs", ">s [epochs/h]", ">P [$/h]", ">Q [$/epoch]", ">Phi [$/h]", ">epochs", ">hours"),
)


def show(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            help="Instance or workload; instance and its solution, to be drawn; solution; or sets "
            "of MIG jobs and their configuration.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="PICTURE",
            help="Draw solution, law or profiles to .png, .svg or .pdf.",
        ),
    ] = None,
    law: Annotated[
        str | None, typer.Option(metavar="NAME", help="A law of the number of epochs.")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(metavar="JOB", help="Power model and optimal speed profiles of a job."),
    ] = None,
    sets: Annotated[
        bool,
        typer.Option("--sets", help="The sets of the library, and FILE if given, by features."),
    ] = False,
    allow_plugins: AllowPlugins = False,
    as_json: Json = False,
) -> None:
    """
    Show what is in a file, and which job runs on which GPU.

    \b
    Example:
      rsjs show instance.json
      rsjs show instance.json solution.json -o picture.png
      rsjs show shared.json --law VGG16-base -o law.png
      rsjs show shared.json --profile j1 -o profile.png
      rsjs show workload.json --sets -o sets.png
      rsjs show config.json jobs/*.json

    Load is the GPU hours that the jobs need in their fastest, or cheapest, mode, against the GPUs
    of the cluster. Sets of MIG jobs are pooled and shown beside the laws of their configuration; a
    configuration alone is checked, and stands for the sets of its first ten seeds. p is that of a
    chi-square test of the values against their law; one small p among many says nothing.
    """
    writable(output)
    given = files or []
    if sets:
        if len(given) > 1 or law is not None or profile is not None:
            raise InputError("--sets", described("other options"), "at most a FILE beside it")
        _show_sets(given, output, as_json=as_json)
        return
    if not given:
        raise InputError("FILE", described("none"), "an instance, workload or solution, or --sets")
    if is_mig(given[0]):
        show_jobs(given, allow_plugins=allow_plugins, as_json=as_json)
        return
    if len(given) > 2:
        raise InputError("", described("a third file"), "an instance and its solution", given[2])
    file, solution = given[0], given[1] if len(given) > 1 else None
    content = read_any(file)
    if law is not None or profile is not None:
        _show_part(file, content, solution, law, profile, output, as_json=as_json)
    elif isinstance(content, SolutionFile):
        if solution is not None:
            raise InputError("", described("a solution"), "an instance, before its solution", file)
        _refuse_picture(output)
        _show_solution_file(content, as_json=as_json)
    elif solution is None:
        _refuse_picture(output)
        document = describe(content)
        print_json(document) if as_json else _print_subject(document)
    elif not isinstance(content, Instance):
        raise InputError("", described("a workload"), "the instance of a solution", file)
    else:
        stored = read_solution(solution)
        stored.refuse_other(content, solution)
        _show_solution(content, stored, output, as_json=as_json)


def _refuse_picture(output: Path | None) -> None:
    if output is not None:
        raise InputError("-o", described("no solution"), "an instance and its solution to draw")


def _rough(value: float | None) -> str:
    """Write 4 significant digits: enough to get an idea."""
    return number(value, 4)


def _print_subject(document: dict[str, Any]) -> None:
    """Print an instance or a workload."""
    print_facts([*_head(document), *_queue(document)])
    print()
    rows = []
    for v in document["node_types"]:
        prices = sorted(set(v["cost_per_hour"][1:]))
        cost = " - ".join(f"{price:g}" for price in (prices[0], prices[-1])[: len(prices)])
        gpus = f"{v['gpus']} x {v['gpu_type']}"
        rows.append([v["name"], gpus, cost, str(v["nodes_allowed"])])
    print_table("Node types; nodes that may be of each", ["name", ">GPUs", ">$/h", ">nodes"], rows)


def _head(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return name and size."""
    gpus = document["gpus"]
    fewest = "" if gpus["least"] == gpus["most"] else f"{gpus['least']} to "
    size = f"{document['jobs']} jobs, {document['nodes']} nodes, {fewest}{gpus['most']} GPUs"
    return [
        (document["kind"], document["name"]),
        ("sha256", document["sha256"]),
        ("size", size),
    ]


def _queue(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return objective, load, due dates and applications of the jobs."""
    kinds = ", ".join(f"{name} {value}" for name, value in document["objective"].items())
    of = f"{' or '.join(document['families'])}: " if document["families"] else ""
    rows = [("objective", f"{of}{kinds}, H {document['H']:g} h, rho {document['rho']:g}")]
    if "now" in document:
        before = ", some nodes are in use already" if document["running_before"] else ""
        rows.append(("now", f"{document['now']:g} h{before}"))
    else:
        rows += _arriving(document["arrivals"])
    for name, part in document["load"].items():
        text = f"{_rough(part['gpu_hours'])} GPU h = {_rough(part['hours_per_gpu'])} h for each GPU"
        rows.append((f"load, {name}", f"{text}; {_rough(part['cost'])} $ of node time"))
    due = document["due"]
    times = " / ".join(map(_rough, due["slack_over_fastest"]))
    rows.append(("due dates", f"time left over fastest time: {times} (quartiles)"))
    late = f"{due['overdue']} overdue, {due['late_in_any_case']} late in any case"
    if "free_to_postpone" in due:
        late += f", {due['free_to_postpone']} free to postpone"
    rows.append(("", late))
    names = [f"{name} {count}" for name, count in document["applications"].items()]
    more = f", and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    rows.append(("applications", ", ".join(names[:MOST_LISTED]) + more))
    if document["laws"] or document["shares"]:
        shares = "jobs may share a GPU" if document["shares"] else "dedicated GPUs"
        rows.append(("also", f"{document['laws']} laws of epochs; {shares}"))
    return rows


def _arriving(arrivals: dict[str, Any]) -> list[tuple[str, str]]:
    span = f"{_rough(arrivals['first'])} to {_rough(arrivals['last'])} h"
    rows = [("arrivals", f"{span}, one each {_rough(arrivals['mean_gap_seconds'])} s")]
    loads = arrivals["load_while_arriving"]
    if None not in loads.values():
        texts = ", ".join(f"{name} {_rough(value)}" for name, value in loads.items())
        rows.append(("offered load", f"{texts} (GPU h demanded / GPU h while jobs arrive)"))
    return rows


def _show_solution_file(content: SolutionFile, *, as_json: bool) -> None:
    """Print what a solution file says by itself; the picture needs the instance."""
    solution = content.solution
    document = {
        "kind": "solution",
        "instance_sha256": content.instance_digest,
        "method": content.method,
        "claimed_objective": content.objective,
        "claimed_bound": content.bound,
        "jobs": len(solution.job_node),
        "nodes": len(solution.node_type),
        "executed": int((solution.job_node >= 0).sum()),
        "postponed": int((solution.job_node < 0).sum()),
        "selected_nodes": int((solution.node_type >= 0).sum()),
        "dedicated_gpus": int(solution.job_gpus.sum()),
        "sharing_jobs": int((solution.job_level >= 0).sum()),
    }
    print_values(document, as_json=as_json)
    if not as_json:
        print("rsjs show INSTANCE SOLUTION draws it.")


def _show_solution(
    instance: Instance, stored: SolutionFile, output: Path | None, *, as_json: bool
) -> None:
    """Print and draw a solution; exit code 1 if it is not feasible."""
    document = describe(instance)
    document["solution"] = _described(instance, stored)
    if output is not None:
        with busy("drawing"):
            occupancy(instance, stored.solution, output)
        document["picture"] = output
    if as_json:
        print_json(document)
    else:
        _print_solution(instance, stored.solution, document)
    if not document["solution"]["feasible"]:
        raise typer.Exit(1)


def _described(instance: Instance, stored: SolutionFile) -> dict[str, Any]:
    """Return what the checker says of a solution, its late jobs, and the GPUs of each node."""
    solution = stored.solution
    verdict = check(instance, solution, objective=stored.objective, bound=stored.bound)
    document: dict[str, Any] = {
        "method": stored.method,
        **verdict_keys(verdict, stored.bound),
        "counts": dict(verdict.counts),
    }
    if verdict.terms is None:  # nothing that could be drawn
        return document
    execution = costs.execution(instance, solution)
    late = execution.running[execution.tardiness > 0]
    return document | {
        "late": [instance.jobs.id[j] for j in late.tolist()],
        "postponed": [instance.jobs.id[j] for j in np.flatnonzero(solution.job_node < 0).tolist()],
        "occupancy": [
            {
                "node": shelf.node,
                "node_type": shelf.node_type,
                "gpu_type": shelf.gpu_type,
                "gpus": shelf.gpus,
                "jobs": [vars(block) for block in shelf.blocks],
            }
            for shelf in shelves(instance, solution)
        ],
    }


def _print_solution(instance: Instance, solution: Solution, document: dict[str, Any]) -> None:
    """Print instance, cost and picture as text."""
    verdict = document["solution"]
    rows = [*_head(document), ("method", verdict["method"] or "not named")]
    rows += [("feasible", "yes" if verdict["feasible"] else "no, see below"), *cost_lines(verdict)]
    drawable = "occupancy" in verdict
    if drawable:
        rows += [(name, " ".join(verdict[name])) for name in ("late", "postponed") if verdict[name]]
    print_facts(rows)
    for line in violation_lines(verdict["violations"]):
        print(line)
    if drawable:
        print()
        out = console()
        out.print(occupancy_text(instance, solution, out.width))


def _show_part(
    file: Path,
    content: Instance | Workload | SolutionFile,
    solution: Path | None,
    law: str | None,
    profile: str | None,
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Print a law or a job's profiles, one of both, and draw it if asked for."""
    if solution is not None or (law is not None and profile is not None):
        raise InputError("", described("several of them"), "a solution, --law or --profile", file)
    if law is not None:
        if not isinstance(content, Instance | Workload):
            raise InputError("", described("a solution"), "an instance or a workload", file)
        with errors_at("--law"):
            document, print_part = describe_distribution(content, law), _print_law
        if output is not None:
            with busy("drawing"):
                law_picture(content.laws[law], output, title=law)
    elif profile is not None:
        if not isinstance(content, Instance):
            raise InputError("", described("no instance"), "an instance: its jobs have a now", file)
        document, print_part = _job(content, profile, output), _print_profiles
    if output is not None:
        document["picture"] = output
    print_json(document) if as_json else print_part(document)


def _print_law(document: dict[str, Any]) -> None:
    """Print a law without the table of weights."""
    mean, deviation = _rough(document["mean"]), _rough(document["deviation"])
    low, median, high = document["quartiles"]
    last = f"{document['last']}, with probability {_rough(document['probability_of_last'])}"
    print_facts(
        [
            ("law", f"{document['name']} of {document['file']}"),
            ("jobs", document["jobs"]),
            ("mean", f"{mean} epochs, standard deviation {deviation}"),
            ("skewness", _rough(document["skewness"])),
            ("quartiles", f"{low} / {median} / {high}"),
            ("last epoch", last),
        ]
    )


def _job(instance: Instance, name: str, output: Path | None) -> dict[str, Any]:
    """Return a job's power model and its optimal speed profiles from now on; draw them."""
    jobs = instance.jobs
    if name not in jobs.id:
        raise InputError("--profile", name, f"the id of a job, e.g. {jobs.id[0]}")
    j = jobs.id.index(name)
    done, hours_left = float(jobs.epochs_done[j]), float(jobs.due[j]) - instance.now
    profiles = job_profiles(instance, j, hours_left)
    if output is not None:
        title, law = f"{name} ({jobs.application[j]})", law_of_job(instance, j)
        with busy("drawing"):
            profile_picture(profiles, law, output, done=done, time=hours_left, title=title)
    return {
        "kind": "profile",
        "file": instance.name,
        "job": name,
        "application": jobs.application[j],
        "law": jobs.law[j],
        "epochs_done": done,
        "hours_left": hours_left,
        "gpu_types": [_profile(profile) for profile in profiles],
    }


def _profile(profile: JobProfile) -> dict[str, Any]:
    modes = [vars(mode) | {"hours": mode.hours} for mode in profile.configurations]
    return {
        "gpu_type": profile.gpu_type,
        "status": profile.status,
        "expected_energy": profile.energy,
        "worst_hours": profile.worst_hours,
        "hours_until_change": profile.change,
        "configurations": modes,
    }


def _print_profiles(document: dict[str, Any]) -> None:
    """Print a table per GPU type: power model, and where the profile uses each mode."""
    print_facts(
        [
            ("job", f"{document['job']} ({document['application']}) of {document['file']}"),
            ("law", f"{document['law']}, {document['epochs_done']:.12g} epochs done"),
            ("due", f"in {_rough(document['hours_left'])} h"),
        ]
    )
    for gpu_type in document["gpu_types"]:
        energy, hours = _rough(gpu_type["expected_energy"]), _rough(gpu_type["worst_hours"])
        status = f"{gpu_type['gpu_type']}: {gpu_type['status']}"
        title = f"{status}, expected {energy} $, at most {hours} h"
        print()
        print_table(title, PROFILE_COLUMNS, map(_cells, gpu_type["configurations"]))
    print("\nPhi of the speeds worth using, against the next one; epochs on each of them.")


def _cells(mode: dict[str, Any]) -> list[str]:
    used = mode["ends"] is not None
    return [
        str(mode["gpus"]),
        _rough(1 / mode["hours_per_epoch"]),
        _rough(mode["power"]),
        _rough(mode["energy"]),
        "" if mode["phi"] is None else _rough(mode["phi"]),
        f"{_rough(mode['begins'])} - {_rough(mode['ends'])}" if used else "",
        _rough(mode["hours"]) if used else "",
    ]


def _show_sets(files: list[Path], output: Path | None, *, as_json: bool) -> None:
    """Print a member of each set, and the instance or workload in a file, by their features."""
    others: dict[str, Features] = {}
    for file in files:
        content = read_any(file)
        if not isinstance(content, Instance | Workload):
            raise InputError("", described("a solution"), "an instance or a workload", file)
        others[content.name] = features(content)
    with busy("drawing a member of each set"):
        points = points_of_sets()
        if output is not None:
            set_picture(points, output, others=others)
    rows = [{"set": p.name, "family": p.group, **vars(p.features)} for p in points]
    rows += [{"set": name, "family": None, **vars(values)} for name, values in others.items()]
    if as_json:
        print_json({"features": rows, "picture": output})
        return
    keys = ("load", "heterogeneity", "tightness", "sharing")
    cells = ([row["set"], *(number(row[key], 3) for key in keys)] for row in rows)
    headings = ["set", *(f">{key}" for key in keys)]
    print_table("Features; load in hours of work per GPU", headings, cells)


def points_of_sets() -> list[Point]:
    """Return the features of a member of each set of instances; MIG jobs have no GPU types."""
    return [_point(known) for known in library.sets() if not known.of_mig_jobs]


def _point(known: LibrarySet) -> Point:
    """Return the features of a set's largest member of few jobs."""
    few = [member for member in known.members if member.jobs <= MOST_JOBS]
    member = max(few, key=lambda member: member.jobs) if few else known.members[0]
    subject = draw(member.generator, member.arguments)
    assert isinstance(subject, Instance)
    return Point(name=known.name, group=member.generator, features=features(subject))
