"""`rsjs show`: what is in an instance, a workload or a solution, in a law, and a job's profiles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.cli.options import Json

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
    from rsjs.cli.console import print_json
    from rsjs.cli.inputs import solution_for, writable
    from rsjs.cli.show_solution import describe_decision, describe_file, print_decision, print_file
    from rsjs.cli.show_subject import describe
    from rsjs.cli.show_text import print_subject
    from rsjs.core.errors import InputError, described
    from rsjs.instances.instance import Instance
    from rsjs.instances.io.files import SolutionFile, read_any

    writable(output)
    if sets:
        from rsjs.cli.show_sets import show_sets

        if solution is not None or law is not None or profile is not None:
            raise InputError("--sets", described("several wishes"), "at most a FILE beside it")
        show_sets(file, output, as_json=as_json)
        return
    if file is None:
        raise InputError("FILE", described("none"), "an instance, workload or solution, or --sets")
    found = read_any(file)
    if law is not None or profile is not None:
        from rsjs.cli.show_part import show_part

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
    from rsjs.core.errors import InputError, described

    if solution is not None:
        expected = "an instance, before its solution"
        raise InputError("", described("a solution"), expected, file)


def _draw(instance: Instance, found: SolutionFile, path: Path, document: dict[str, Any]) -> None:
    from rsjs.cli.progress import busy
    from rsjs.reporting.figures.occupancy_picture import occupancy

    with busy("drawing"):
        occupancy(instance, found.solution, path)
    document["picture"] = path
