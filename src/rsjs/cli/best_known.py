"""
`rsjs bks`: best-known values, their list, their check, their update.

What `rsjs bks update` is given: stores of runs, or a solution from elsewhere, or both.

What `rsjs bks sets` says: how much of the library is closed, confirmed, open.

What the commands of `rsjs bks` say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rsjs.best_known.candidates import contributed, of_stores
from rsjs.best_known.merge import update as updated
from rsjs.best_known.regenerate import made_again
from rsjs.best_known.storage import known_here, named, read_all, solution_path
from rsjs.best_known.verify import verify as verified
from rsjs.cli.options import Json
from rsjs.cli.output import number, percent, print_facts, print_json, writable
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_instance
from rsjs.instances.library.sets import library_set
from rsjs.reporting.tables.formats import counted
from rsjs.runs.provenance import utc

if TYPE_CHECKING:
    from rsjs.best_known.candidates import Claims
    from rsjs.best_known.coverage import Coverage
    from rsjs.best_known.entries import BestKnown, Step
    from rsjs.best_known.merge import Updated
    from rsjs.best_known.verify import Verified

app = typer.Typer(
    help="Best-known costs and lower bounds of instances, with their history and solutions."
    "\n\n\b\nExample:\n  rsjs bks sets --json\n  rsjs bks update runs/small\n  rsjs bks verify",
)

Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        metavar="DIR",
        help="Folder of the best-known values; by default results/best_known if it is here, else"
        " those of the package.",
    ),
]
OfSet = Annotated[
    str | None,
    typer.Option("--set", metavar="NAME", help="Only members of a set, see `rsjs list sets`."),
]


@app.callback()
def group() -> None: ...


@app.command("list")
def list_(
    name: OfSet = None,
    unsettled: Annotated[
        bool, typer.Option("--open", help="Only those that are open, or closed but not confirmed.")
    ] = False,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """
    List what is known of each instance.

    \b
    Example:
      rsjs bks list
      rsjs bks list --set jahani-azure-tight
      rsjs bks list --open --json

    Closed: the bound is within 1e-6 of the cost, postponement left out. Confirmed by: runs of
    another method or another solver that prove the same bound.
    """
    from rsjs.best_known import coverage

    known = read_all(folder or known_here())
    if name is not None:
        known = coverage.of_set(known, name)
    print_list(coverage.unsettled(known) if unsettled else known, as_json=as_json)


@app.command("sets")
def sets(folder: Folder = None, as_json: Json = False) -> None:
    """
    Count what is known of each set, instances of up to 400 jobs.

    \b
    Example:
      rsjs bks sets

    Open: there is a cost or a bound, and a gap, of which the largest is shown. Unknown: neither.
    An instance that several sets have counts once in the last line.
    """
    from rsjs.best_known.coverage import coverage

    print_sets(coverage(read_all(folder or known_here())), as_json=as_json)


@app.command("show")
def show(
    instance: Annotated[str, typer.Argument(metavar="INSTANCE", help="Name of an instance.")],
    folder: Folder = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Make the instance again and write it."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Show the history of an instance, and make it again.

    \b
    Example:
      rsjs bks show kiros-kiros-base-at0-synthetic-N2-J6-s1 -o instance.json
    """

    writable(output)
    folder = folder or known_here()
    entry = named(read_all(folder), instance)
    if output is not None:
        write_instance(made_again(entry, folder), output)
    print_entry(entry, folder, output, as_json=as_json)


@app.command("verify")
def verify(name: OfSet = None, folder: Folder = None, as_json: Json = False) -> None:
    """
    Check every value, instance and solution.

    \b
    Example:
      rsjs bks verify
      rsjs bks verify --set small
      rsjs bks verify --folder results/best_known --json

    Exit code 1 and a line for each finding.

    Each head is the best of its history and each history improves; gaps and status are right; no
    bound lies above a cost; each instance is made again and has its sha256; each solution passes
    the exact check at the cost stated; the .solu file says the same. With --set, only the members
    of a set are made again and their solutions checked: all take about two minutes.
    """

    only = None if name is None else {member.sha256 for member in library_set(name).members}
    folder = folder or known_here()
    with busy("checking values") as status:
        found = verified(folder, only, status.update if status else lambda instance: None)
    print_verified(found, as_json=as_json)
    raise typer.Exit(1 if found.findings else 0)


@app.command("update")
def update(
    stores: Annotated[
        list[Path] | None, typer.Argument(metavar="STORE", help="Stores of `rsjs run`.")
    ] = None,
    solution: Annotated[
        Path | None,
        typer.Option("--solution", metavar="FILE", help="Solution from elsewhere, for --instance."),
    ] = None,
    instance: Annotated[
        Path | None, typer.Option("--instance", metavar="FILE", help="Its instance.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="TEXT", help="Whom to credit for it.")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="RUN", help="Id of a run to leave out; repeatable."),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--folder", metavar="DIR", help="Folder of the best-known values.")
    ] = Path("results/best_known"),
    as_json: Json = False,
) -> None:
    """
    Take better costs and bounds, and confirmations.

    \b
    Example:
      rsjs run benchmarks/best_known.toml
      rsjs bks update runs/best-known
      rsjs bks update --solution s.json --instance i.json --source "who, where, when"

    A cost is taken if its solution passes the exact check, a bound if its method declares it valid
    for the instance as given. A bound above the least cost is a contradiction: told with both runs,
    exit code 1, nothing is written. The same command again changes nothing.
    """

    writable(folder, folder=True)
    with busy("reading runs"):
        found, left_out = claims(stores or [], solution, instance, source, without or [])
    with busy("checking solutions"):
        done = updated(folder, found)
    print_updated(done, left_out, folder, as_json=as_json)
    raise typer.Exit(1 if done.contradictions or done.refused else 0)


def claims(
    stores: Sequence[Path],
    solution: Path | None,
    instance: Path | None,
    source: str | None,
    without: Sequence[str],
) -> tuple[Mapping[str, Claims], list[str]]:
    """The claims by sha256 of the instance, and what is left out with the reason."""

    given = {"--solution": solution, "--instance": instance, "--source": source}
    missing = [name for name, value in given.items() if not value]
    if not stores and len(missing) == len(given):
        raise InputError("", described("no STORE and no --solution"), "one of them")
    if 0 < len(missing) < len(given):
        together = " and ".join(name for name in given if name not in missing)
        raise InputError(missing[0], described("nothing"), f"it together with {together}")
    found, left_out = of_stores(stores, without)
    if solution is not None and instance is not None and source is not None:
        one = contributed(instance, solution, source, utc())
        known = found.setdefault(one.instance.digest, one)
        if known is not one:
            known.costs.extend(one.costs)
    return found, left_out


DIGITS = 10


def print_list(known: Sequence[BestKnown], *, as_json: bool) -> None:
    """One line per instance."""
    if as_json:
        print_json([entry.as_document() for entry in known])
        return
    rows: list[tuple[str, ...]] = [
        ("instance", "status", "bound [$]", "cost [$]", "gap", "confirmed by")
    ]
    rows += [_row(entry) for entry in known]
    print_columns(rows, words=2)
    print(_summary(known))


def print_columns(rows: Sequence[Sequence[str]], *, words: int) -> None:
    """Lines of cells, never broken: the first columns are words, the others numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)][:words]
        padded += [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)][words:]
        print(*padded, sep="  ")


def _row(entry: BestKnown) -> tuple[str, ...]:
    document = entry.as_document()
    return (
        entry.instance,
        document["status"],
        number(document["lower_bound"], DIGITS),
        number(document["upper_bound"], DIGITS),
        percent(document["gap"]),
        str(len(entry.bound.confirmed_by) if entry.bound else 0),
    )


def print_entry(entry: BestKnown, folder: Path, output: Path | None, *, as_json: bool) -> None:
    """The histories of an instance, the newest first."""

    if as_json:
        print_json(entry.as_document())
        return
    document = entry.as_document()
    recipe = entry.made_by
    facts = [
        ("instance", entry.instance),
        ("sha256", entry.sha256),
        ("size", f"{entry.nodes} nodes, {entry.jobs} jobs"),
        ("made by", "a file that is kept" if recipe is None else _recipe(document["made_by"])),
        ("status", f"{document['status']}, gap {percent(document['gap'])}"),
    ]
    facts += [("cost", line) for step in reversed(entry.ub_data) for line in _step(step)]
    facts += [("bound", line) for step in reversed(entry.lb_data) for line in _step(step)]
    if entry.cost is not None:
        facts.append(("solution", str(solution_path(folder, entry.instance))))
    if output is not None:
        facts.append(("written", str(output)))
    print_facts(facts)


def print_verified(found: Verified, *, as_json: bool) -> None:
    """The findings, or what was checked."""
    if as_json:
        counts = {"instances": len(found.known), "solutions": found.solutions}
        print_json({**counts, "findings": found.findings})
        return
    for line in found.findings:
        print(line)
    if not found.findings:
        exact = counted(found.solutions, "solution")
        print(f"{_summary(found.known)}; {exact} passed the exact check")


def print_updated(done: Updated, left_out: Sequence[str], folder: Path, *, as_json: bool) -> None:
    """What changed; what was left out; contradictions."""
    changed = [one for sha256, one in done.after.items() if one != done.before.get(sha256)]
    changed = [] if done.contradictions else sorted(changed, key=lambda one: one.instance)
    if as_json:
        print_json(
            {
                "folder": folder,
                "instances": len(done.after),
                "changed": [one.as_document() for one in changed],
                "contradictions": [
                    {
                        "instance": found.instance,
                        "bound": vars(found.bound.alone()),
                        "cost": vars(found.cost.alone()),
                    }
                    for found in done.contradictions
                ],
                "refused": done.refused,
                "left_out": left_out,
            }
        )
        return
    for line in [*left_out, *done.refused]:
        print(f"left out: {line}")
    if done.contradictions:
        for found in done.contradictions:
            print(f"contradiction: {found}")
        print("Nothing was written.")
        return
    for one in changed:
        print(_change(one, done.before.get(one.sha256)))
    total = counted(len(done.after), "instance")
    print(f"{folder}: {len(changed)} of {total} with claims changed")


def _change(now: BestKnown, before: BestKnown | None) -> str:
    parts = _better("cost", now.ub_data, before.ub_data if before else ())
    parts += _better("bound", now.lb_data, before.lb_data if before else ())
    status = "closed" if now.closed else "open"
    agree = len(now.bound.confirmed_by) if now.bound else 0
    return f"{now.instance}: {', '.join([*parts, status])}, bound confirmed by {agree}"


def _better(what: str, now: Sequence[Step], before: Sequence[Step]) -> list[str]:
    if len(now) == len(before):
        return []
    then = f", before {number(before[-1].value, DIGITS)}" if before else ""
    return [f"{what} {number(now[-1].value, DIGITS)} ${then}"]


def _step(step: Step) -> list[str]:
    version = f" {step.solver_version}" if step.solver_version else ""
    run = "" if step.run_id is None else f"{step.name}{version}, "
    first = f"{step.value!r} $, {run}{step.source}, {step.date}"
    return [
        first,
        *(f"confirmed by {other.name}: {other.value!r} $" for other in step.confirmed_by),
    ]


def _recipe(recipe: dict[str, object]) -> str:
    parameters = recipe["parameters"]
    assert isinstance(parameters, dict)
    options = ", ".join(f"{name} {value}" for name, value in parameters.items())
    return f"{recipe['generator']} of rsjs-bench {recipe['version']}: {options}"


def _summary(known: Sequence[BestKnown]) -> str:
    closed = sum(entry.closed for entry in known)
    confirmed = sum(entry.closed and entry.confirmed for entry in known)
    return f"{counted(len(known), 'instance')}: {closed} closed, {confirmed} of them confirmed"


HEADER = (
    "set",
    "instances",
    "closed",
    "confirmed",
    "by two solvers",
    "open",
    "unknown",
    "largest gap",
)


def print_sets(found: Sequence[Coverage], *, as_json: bool) -> None:
    """A line per set, the last for all."""
    if as_json:
        print_json([{**asdict(row), "unknown": row.unknown} for row in found])
        return
    print_columns([HEADER, *map(_set_line, found)], words=1)


def _set_line(row: Coverage) -> tuple[str, ...]:
    counts = (row.members, row.closed, row.confirmed, row.two_solvers, row.open, row.unknown)
    return row.name, *map(str, counts), percent(row.gap)
