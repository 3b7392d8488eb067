"""
`rsjs show`: what is in an instance, a workload or a solution, in a law, and a job's profiles.

`rsjs show --law` and `--profile`: a part of an instance or a workload.

`rsjs show --sets`: the library in the space of its features.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.cli.options import Json
from rsjs.cli.output import console, number, plain_table, print_json
from rsjs.cli.paths import solution_for, writable
from rsjs.cli.progress import busy
from rsjs.cli.show_profile import (
    describe_law,
    describe_profile,
    draw_law,
    draw_profile,
    print_law,
    print_profile,
)
from rsjs.cli.show_solution import (
    describe_decision,
    describe_file,
    print_decision,
    print_file,
    print_subject,
)
from rsjs.cli.show_subject import describe
from rsjs.core.errors import InputError, described
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.files import SolutionFile, read_any
from rsjs.instances.library.features import Features, features
from rsjs.instances.library.sets import LibrarySet, Member, draw, library_set, names
from rsjs.instances.mig.jobs import JobSet
from rsjs.reporting.figures.instance_space import Point, set_picture
from rsjs.reporting.figures.occupancy_picture import occupancy

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance
    from rsjs.instances.io.files import SolutionFile


def show(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Instance, workload or solution file.")
    ] = None,
    solution: Annotated[
        Path | None,
        typer.Argument(metavar="SOLUTION", help="Solution of that instance, to be drawn."),
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
    as_json: Json = False,
) -> None:
    """
    Show what is in a file, and which job sits on which GPU.

    \b
    Example:
      rsjs show instance.json
      rsjs show instance.json solution.json -o picture.png
      rsjs show shared.json --law VGG16-base -o law.png
      rsjs show shared.json --profile j1 -o profile.png
      rsjs show workload.json --sets -o sets.png

    Load is the GPU hours that the jobs need on their fastest, or cheapest, configuration,
    against the GPUs of the cluster.
    """

    writable(output)
    if sets:
        if solution is not None or law is not None or profile is not None:
            raise InputError("--sets", described("several wishes"), "at most a FILE beside it")
        show_sets(file, output, as_json=as_json)
        return
    if file is None:
        raise InputError("FILE", described("none"), "an instance, workload or solution, or --sets")
    found = read_any(file)
    if law is not None or profile is not None:
        show_part(file, found, solution, law, profile, output, as_json=as_json)
        return
    if output is not None and solution is None:
        raise InputError("-o", described("no solution"), "an instance and its solution to draw")
    if isinstance(found, SolutionFile):
        _refuse_second(file, solution)
        document = describe_file(found)
        print_json(document) if as_json else print_file(document)
        return
    document = describe(found)
    drawn = None
    if solution is not None:
        if not isinstance(found, Instance):
            raise InputError("", described("a workload"), "the instance of a solution", file)
        drawn = solution_for(found, solution)
        document["solution"] = describe_decision(found, drawn)
        if output is not None:
            _draw(found, drawn, output, document)
    if as_json:
        print_json(document)
    elif drawn is not None and isinstance(found, Instance):
        print_decision(found, drawn.solution, document)
    else:
        print_subject(document)
    if drawn is not None and not document["solution"]["feasible"]:
        raise typer.Exit(1)


def _refuse_second(file: Path, solution: Path | None) -> None:

    if solution is not None:
        expected = "an instance, before its solution"
        raise InputError("", described("a solution"), expected, file)


def _draw(instance: Instance, found: SolutionFile, path: Path, document: dict[str, Any]) -> None:

    with busy("drawing"):
        occupancy(instance, found.solution, path)
    document["picture"] = path


def show_part(
    file: Path,
    found: Instance | Workload | SolutionFile,
    solution: Path | None,
    law: str | None,
    profile: str | None,
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Show a law or a job's profiles, one of both, and draw it if asked for."""
    if solution is not None or (law is not None and profile is not None):
        raise InputError("", described("several wishes"), "a solution, --law or --profile", file)
    if law is not None:
        if not isinstance(found, Instance | Workload):
            raise InputError("", described("a solution"), "an instance or a workload", file)
        document, tell = describe_law(found, law), print_law
        if output is not None:
            with busy("drawing"):
                draw_law(found, law, output)
    elif profile is not None:
        if not isinstance(found, Instance):
            raise InputError("", described("no instance"), "an instance: its jobs have a now", file)
        document, tell = describe_profile(found, profile), print_profile
        if output is not None:
            with busy("drawing"):
                draw_profile(found, profile, output)
    if output is not None:
        document["picture"] = output
    print_json(document) if as_json else tell(document)


MOST_JOBS = 400  # of the member that stands for a set


def show_sets(file: Path | None, output: Path | None, *, as_json: bool) -> None:
    """A member of each set, and the instance or workload in a file, by their features."""
    others = {} if file is None else _of_file(file)
    with busy("drawing a member of each set"):
        points = points_of_sets()
        if output is not None:
            set_picture(points, output, others=others)
    rows = [{"set": p.name, "family": p.group, **vars(p.features)} for p in points]
    rows += [{"set": name, "family": None, **vars(found)} for name, found in others.items()]
    print_json({"features": rows, "picture": output}) if as_json else _print(rows)


def points_of_sets() -> list[Point]:
    """Each set of instances by its largest member of few jobs; MIG jobs have no GPU types."""
    return [*filter(None, (_point(library_set(name)) for name in names()))]


def _of_file(file: Path) -> dict[str, Features]:
    found = read_any(file)
    if not isinstance(found, Instance | Workload):
        raise InputError("", described("a solution"), "an instance or a workload", file)
    return {found.name: features(found)}


def _point(chosen: LibrarySet) -> Point | None:
    member = _standing_for(chosen)
    subject = draw(member.generator, member.arguments)
    if isinstance(subject, JobSet):
        return None
    return Point(name=chosen.name, group=member.generator, features=features(subject))


def _standing_for(chosen: LibrarySet) -> Member:
    few = [member for member in chosen.members if member.jobs <= MOST_JOBS]
    return max(few, key=lambda member: member.jobs) if few else chosen.members[0]


def _print(rows: list[dict[str, Any]]) -> None:
    table = plain_table("Features; load in hours of work per GPU")
    table.add_column("set", no_wrap=True)
    keys = ("load", "heterogeneity", "tightness", "sharing")
    for key in keys:
        table.add_column(key, justify="right")
    for row in rows:
        table.add_row(row["set"], *(number(row[key], 3) for key in keys))
    console().print(table)
