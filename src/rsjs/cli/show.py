"""`rsjs show`: what is in a file: instance, workload, solution, distribution, job, MIG jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rsjs import library
from rsjs.cli.mig_files import AllowPlugins, is_mig, show_jobs
from rsjs.cli.options import Json, argument, errors_at, option
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
from rsjs.instances.library.sets import draw
from rsjs.reporting.figures.inputs import (
    Point,
    distribution_picture,
    profile_picture,
    set_picture,
)
from rsjs.reporting.figures.occupancy import shelves
from rsjs.reporting.figures.occupancy_drawers import occupancy, occupancy_text
from rsjs.runs.verified_run import verdict_keys

MOST_LISTED = 12  # applications
MOST_JOBS = 400  # of the member that stands for a set
PROFILE_COLUMNS = (
    *(">GPUs", ">s [epochs/h]", ">P [$/h]", ">Q [$/epoch]", ">Phi [$/h]", ">epochs", ">hours"),
)


def show(
    files: Annotated[
        list[Path] | None,
        argument(
            "FILE",
            "Instance or workload; instance and its solution, to be drawn; solution; or sets of MIG"
            " jobs and their configuration.",
        ),
    ] = None,
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
    sets: Annotated[
        bool, option(None, "The sets of the library, and the files given, by features.", "--sets")
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
      rsjs show shared.json --distribution VGG16-base -o distribution.png
      rsjs show shared.json --profile j1 -o profile.png
      rsjs show workload.json --sets -o sets.png
      rsjs show config.json jobs/*.json

    Load is the GPU hours that the jobs need in their fastest, or cheapest, mode, against the GPUs
    of the cluster. Sets of MIG jobs are pooled and shown beside the distributions of their
    configuration; a configuration alone is checked, and stands for the sets of its first ten seeds.
    p is that of a chi-square test of the values against their distribution; one small p among many
    says nothing.
    """
    writable(output)
    given = files or []
    part = distribution is not None or profile is not None
    if sets:
        if part:
            raise InputError("--sets", described("other options"), "at most files beside it")
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
    if part and (solution is not None or None not in (distribution, profile)):
        expected = "a solution, --distribution or --profile"
        raise InputError("", described("several of them"), expected, file)
    content = read_any(file)
    if not part and solution is None and output is not None:
        raise InputError("-o", described("no solution"), "an instance and its solution to draw")
    if distribution is not None:
        _show_distribution(file, content, distribution, output, as_json=as_json)
    elif profile is not None:
        if not isinstance(content, Instance):
            raise InputError("", described("no instance"), "an instance: its jobs have a now", file)
        document = _job(content, profile, output)
        print_json(document) if as_json else _print_profiles(document)
    elif isinstance(content, SolutionFile):
        if solution is not None:
            raise InputError("", described("a solution"), "an instance, before its solution", file)
        _show_solution_file(content, as_json=as_json)
    elif solution is None:
        document = describe(content)
        print_json(document) if as_json else _print_subject(document)
    elif not isinstance(content, Instance):
        raise InputError("", described("a workload"), "the instance of a solution", file)
    else:
        stored = read_solution(solution)
        stored.refuse_other(content, solution)
        _show_solution(content, stored, output, as_json=as_json)


def _rough(value: float | None) -> str:
    """Write 4 significant digits: enough to get an idea."""
    return number(value, 4)


def _print_subject(document: dict[str, Any]) -> None:
    """Print an instance or a workload: size, objective, load, due dates, node types."""
    facts = _head(document)
    of = f"{' or '.join(document['families'])}: " if document["families"] else ""
    kinds = ", ".join(f"{name} {value}" for name, value in document["objective"].items())
    facts.append(("objective", f"{of}{kinds}, H {document['H']:g} h, rho {document['rho']:g}"))
    if "now" in document:
        before = ", some nodes are in use already" if document["running_before"] else ""
        facts.append(("now", f"{document['now']:g} h{before}"))
    else:
        arrivals = document["arrivals"]
        span = f"{_rough(arrivals['first'])} to {_rough(arrivals['last'])} h"
        gap = f"one each {_rough(arrivals['mean_gap_seconds'])} s"
        facts.append(("arrivals", f"{span}, {gap}"))
        loads = arrivals["load_while_arriving"]
        if None not in loads.values():
            texts = ", ".join(f"{name} {_rough(value)}" for name, value in loads.items())
            facts.append(("offered load", f"{texts} (GPU h demanded / GPU h while jobs arrive)"))
    for name, load in document["load"].items():
        text = f"{_rough(load['gpu_hours'])} GPU h = {_rough(load['hours_per_gpu'])} h for each GPU"
        facts.append((f"load, {name}", f"{text}; {_rough(load['cost'])} $ of node time"))
    due = document["due"]
    times = " / ".join(map(_rough, due["slack_over_fastest"]))
    late = f"{due['overdue']} overdue, {due['late_in_any_case']} late in any case"
    if "free_to_postpone" in due:
        late += f", {due['free_to_postpone']} free to postpone"
    names = [f"{name} {count}" for name, count in document["applications"].items()]
    more = f", and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    facts += [
        ("due dates", f"time left over fastest time: {times} (quartiles)"),
        ("", late),
        ("applications", ", ".join(names[:MOST_LISTED]) + more),
    ]
    if document["laws"] or document["shares"]:
        shares = "jobs may share a GPU" if document["shares"] else "dedicated GPUs"
        facts.append(("also", f"{document['laws']} distributions of epochs; {shares}"))
    print_facts(facts)
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
    return [(document["kind"], document["name"]), ("sha256", document["sha256"]), ("size", size)]


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
    """Print and draw a solution: the checker's verdict, late jobs, the GPUs of each node."""
    solution = stored.solution
    verdict = check(instance, solution, objective=stored.objective, bound=stored.bound)
    found: dict[str, Any] = {
        "method": stored.method,
        **verdict_keys(verdict, stored.bound),
        "counts": dict(verdict.counts),
    }
    drawable = verdict.terms is not None
    if drawable:
        execution = costs.execution(instance, solution)
        late = execution.running[execution.tardiness > 0]
        postponed = np.flatnonzero(solution.job_node < 0)
        found["late"] = [instance.jobs.id[j] for j in late.tolist()]
        found["postponed"] = [instance.jobs.id[j] for j in postponed.tolist()]
        found["occupancy"] = [
            {
                **{key: getattr(shelf, key) for key in ("node", "node_type", "gpu_type", "gpus")},
                "jobs": [vars(block) for block in shelf.blocks],
            }
            for shelf in shelves(instance, solution)
        ]
    document = {**describe(instance), "solution": found}
    if output is not None:
        with busy("drawing"):
            occupancy(instance, solution, output)
        document["picture"] = output
    if as_json:
        print_json(document)
    else:
        facts = [*_head(document), ("method", stored.method or "not named")]
        facts += [("feasible", "yes" if verdict.feasible else "no, see below"), *cost_lines(found)]
        facts += [
            (name, " ".join(found[name])) for name in ("late", "postponed") if found.get(name)
        ]
        print_facts(facts)
        for line in violation_lines(found["violations"]):
            print(line)
        if drawable:
            out = console()
            print()
            out.print(occupancy_text(instance, solution, out.width))
    if not verdict.feasible:
        raise typer.Exit(1)


def _show_distribution(
    file: Path,
    content: Instance | Workload | SolutionFile,
    name: str,
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Print a distribution of epochs without the table of weights; draw it if asked for."""
    if not isinstance(content, Instance | Workload):
        raise InputError("", described("a solution"), "an instance or a workload", file)
    with errors_at("--distribution"):
        document = describe_distribution(content, name)
    if output is not None:
        with busy("drawing"):
            distribution_picture(content.laws[name], output, title=name)
        document["picture"] = output
    if as_json:
        print_json(document)
        return
    mean, deviation = _rough(document["mean"]), _rough(document["deviation"])
    low, median, high = document["quartiles"]
    facts = {
        "distribution": f"{document['name']} of {document['file']}",
        "jobs": document["jobs"],
        "mean": f"{mean} epochs, standard deviation {deviation}",
        "skewness": _rough(document["skewness"]),
        "quartiles": f"{low} / {median} / {high}",
        "last epoch": f"{document['last']}, with probability "
        f"{_rough(document['probability_of_last'])}",
    }
    print_facts(facts.items())


def _job(instance: Instance, name: str, output: Path | None) -> dict[str, Any]:
    """Return a job's power model and its optimal speed profiles from now on; draw them."""
    jobs = instance.jobs
    if name not in jobs.id:
        raise InputError("--profile", name, f"the id of a job, e.g. {jobs.id[0]}")
    j = jobs.id.index(name)
    done, hours_left = float(jobs.epochs_done[j]), float(jobs.due[j]) - instance.now
    profiles = job_profiles(instance, j, hours_left)
    document = {
        "kind": "profile",
        "file": instance.name,
        "job": name,
        "application": jobs.application[j],
        "law": jobs.law[j],
        "epochs_done": done,
        "hours_left": hours_left,
        "gpu_types": [
            {
                "gpu_type": profile.gpu_type,
                "status": profile.status,
                "expected_energy": profile.energy,
                "worst_hours": profile.worst_hours,
                "hours_until_change": profile.change,
                "configurations": [
                    vars(mode) | {"hours": mode.hours} for mode in profile.configurations
                ],
            }
            for profile in profiles
        ],
    }
    if output is not None:
        title = f"{name} ({jobs.application[j]})"
        with busy("drawing"):
            profile_picture(
                profiles, law_of_job(instance, j), output, done=done, time=hours_left, title=title
            )
        document["picture"] = output
    return document


def _print_profiles(document: dict[str, Any]) -> None:
    """Print a table per GPU type: power model, and where the speed profile uses each mode."""
    facts = {
        "job": f"{document['job']} ({document['application']}) of {document['file']}",
        "distribution": f"{document['law']}, {document['epochs_done']:.12g} epochs done",
        "due": f"in {_rough(document['hours_left'])} h",
    }
    print_facts(facts.items())
    for gpu_type in document["gpu_types"]:
        energy, hours = _rough(gpu_type["expected_energy"]), _rough(gpu_type["worst_hours"])
        status = f"{gpu_type['gpu_type']}: {gpu_type['status']}"
        title = f"{status}, expected {energy} $, at most {hours} h"
        rows = []
        for mode in gpu_type["configurations"]:
            values = (1 / mode["hours_per_epoch"], mode["power"], mode["energy"])
            phi = "" if mode["phi"] is None else _rough(mode["phi"])
            row = [str(mode["gpus"]), *map(_rough, values), phi, "", ""]
            if mode["ends"] is not None:  # the speed profile uses it
                row[5:] = (
                    f"{_rough(mode['begins'])} - {_rough(mode['ends'])}",
                    _rough(mode["hours"]),
                )
            rows.append(row)
        print()
        print_table(title, PROFILE_COLUMNS, rows)
    print("\nPhi of the speeds worth using, against the next one; epochs on each of them.")


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
    """Return the features of each set's largest member of few jobs; MIG jobs have no GPU types."""
    points = []
    for known in library.sets():
        if not known.of_mig_jobs:
            few = [member for member in known.members if member.jobs <= MOST_JOBS]
            member = max(few or known.members[:1], key=lambda member: member.jobs)
            subject = draw(member.generator, member.arguments)
            assert isinstance(subject, Instance)
            found = features(subject)
            points.append(Point(name=known.name, group=member.generator, features=found))
    return points
