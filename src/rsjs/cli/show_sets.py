"""`rsjs show --sets`: the library in the space of its features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rsjs.cli.console import console, number, plain_table, print_json
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, described
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.files import read_any
from rsjs.instances.library.features import Features, features
from rsjs.instances.library.sets import LibrarySet, Member, draw, library_set, names
from rsjs.instances.mig.jobs import JobSet
from rsjs.reporting.figures.instance_space import Point, set_picture

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
