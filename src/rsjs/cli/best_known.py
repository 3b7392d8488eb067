"""`rsjs bks`: best-known values, their list, their check, their update."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rsjs import library
from rsjs.bks import storage
from rsjs.bks.candidates import gather
from rsjs.bks.entries import CLOSED
from rsjs.bks.merge import update as updated
from rsjs.bks.regenerate import made_again
from rsjs.bks.verify import verify as verified
from rsjs.cli.options import Json, argument, errors_at, option
from rsjs.cli.output import number, percent, print_columns, print_facts, print_json, writable
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_document, write_instance
from rsjs.instances.library.sets import library_set
from rsjs.reporting.tables.formats import counted

if TYPE_CHECKING:
    from rsjs.bks.entries import BestKnown

app = typer.Typer(
    help="Best-known costs and lower bounds of instances, with their history and solutions."
    "\n\n\b\nExample:\n  rsjs bks sets --json\n  rsjs bks update runs/small\n  rsjs bks verify",
)

DIGITS = 10
Folder = Annotated[
    Path | None,
    option(
        "DIR",
        "Folder of the best-known values; results/best_known by default, here or of the sources.",
    ),
]
OfSet = Annotated[
    str | None, option("NAME", "Only members of a set, see `rsjs list sets`.", "--set")
]


def _known(folder: Path | None) -> list[BestKnown]:
    return [*storage.read(folder or storage.known_here()).values()]


@app.command("list")
def list_(
    instance: Annotated[
        str | None, argument("INSTANCE", "Name of one instance: show its history.")
    ] = None,
    output: Annotated[
        Path | None, option("FILE", "Make this instance again and write it.", "-o", "--output")
    ] = None,
    solution: Annotated[
        Path | None, option("FILE", "Write its solution of the least cost.")
    ] = None,
    name: OfSet = None,
    unsettled: Annotated[
        bool, option(None, "Only those that are open, or closed but not confirmed.", "--open")
    ] = False,
    as_solu: Annotated[
        bool, option(None, "Print the lines of a .solu file, as MIPLIB has them.", "--solu")
    ] = False,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """
    List what is known of each instance, or all of one.

    \b
    Example:
      rsjs bks list
      rsjs bks list --set jahani-azure-tight
      rsjs bks list --open --json
      rsjs bks list --solu > best_known.solu
      rsjs bks list kiros-kiros-base-at0-synthetic-N2-J6-s1 -o instance.json
      rsjs bks list kiros-kiros-base-at0-synthetic-N2-J6-s1 --solution solution.json

    Closed: the bound is within 1e-6 of the cost, postponement left out. Confirmed by: runs of
    another method or another solver that prove the same bound. Without the sources only cost, bound
    and status are known, of the instances of the library.
    """
    writable(output)
    writable(solution)
    if instance is None and (output is not None or solution is not None):
        raise InputError("INSTANCE", described("none"), "the instance to write")
    if instance is None and folder is None and not storage.known_here().is_dir() and not as_solu:
        _list_shipped(name, unsettled=unsettled, as_json=as_json)
        return
    known = _known(folder)
    if instance is not None:
        entry = storage.named(known, instance)
        if solution is not None:
            if entry.solution is None:
                raise InputError("/solution", None, f"a solution of {entry.instance}")
            write_document(entry.solution, solution)
        if output is not None:
            write_instance(made_again(entry), output)
        facts = _facts(entry, output, solution)
        print_json(entry.as_document()) if as_json else print_facts(facts)
        return
    if name is not None:
        with errors_at("--set"):
            known = storage.of_set(known, name)
    if unsettled:
        known = storage.unsettled(known)
    if as_json:
        print_json([entry.as_document() for entry in known])
    elif as_solu:
        print(*storage.solu(known), sep="\n")
    else:
        columns = ("instance", "status", "bound [$]", "cost [$]", "gap", "confirmed by")
        rows: list[tuple[str, ...]] = [columns]
        for entry in known:
            heads = entry.heads()
            values = (number(heads[key], DIGITS) for key in ("lower_bound", "upper_bound"))
            witnesses = str(len(entry.bound.confirmed_by) if entry.bound else 0)
            gap = percent(heads["gap"])
            rows.append((entry.instance, entry.status, *values, gap, witnesses))
        print_columns(rows, words=2)
        print(_summary(known))


def _list_shipped(name: str | None, *, unsettled: bool, as_json: bool) -> None:
    """List what a wheel has: cost, bound and status of the members of the library."""
    with errors_at("--set"):
        sets = library.sets() if name is None else [library_set(name)]
    known = storage.values(storage.TREE)
    names = {member.sha256: member.name for chosen in sets for member in chosen.members}
    rows = [
        {"instance": names[sha256], "sha256": sha256, **known[sha256]._asdict()}
        for sha256 in sorted({*names} & {*known}, key=names.__getitem__)
        if not (unsettled and known[sha256].status == CLOSED)
    ]
    if as_json:
        print_json(rows)
        return
    lines = [("instance", "status", "bound [$]", "cost [$]")]
    for row in rows:
        values = (number(row[key], DIGITS) for key in ("bound", "value"))
        lines.append((row["instance"], row["status"], *values))
    print_columns(lines, words=2)
    print(f"{counted(len(rows), 'instance')}; histories and solutions are in the sources only")


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
    rows = storage.coverage(_known(folder))
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    heads = ("set", "instances", "closed", "confirmed", "by two solvers", "open", "unknown")
    lines: list[tuple[str, ...]] = [(*heads, "largest gap")]
    for row in rows:
        counts = (row.members, row.closed, row.confirmed, row.two_solvers, row.open, row.unknown)
        lines.append((row.name, *map(str, counts), percent(row.gap)))
    print_columns(lines, words=1)


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
    the exact check at the cost stated. With --set, only the members of a set are made again, their
    solutions checked, and counted: all take about two minutes.
    """
    only = None
    if name is not None:
        with errors_at("--set"):
            only = {member.sha256 for member in library_set(name).members}
    with busy("checking values") as status:
        report = status.update if status else lambda instance: None
        result = verified(folder or storage.known_here(), only, report)
    if as_json:
        counts = {"instances": len(result.known), "solutions": result.solutions}
        print_json({**counts, "findings": result.findings})
    elif result.findings:
        print(*result.findings, sep="\n")
    else:
        exact = counted(result.solutions, "solution")
        print(f"{_summary(result.known)}; {exact} passed the exact check")
    raise typer.Exit(1 if result.findings else 0)


@app.command("update")
def update(
    stores: Annotated[list[Path] | None, argument("STORE", "Stores of `rsjs run`.")] = None,
    solution: Annotated[
        Path | None, option("FILE", "Solution from elsewhere, for --instance.")
    ] = None,
    instance: Annotated[Path | None, option("FILE", "Its instance.")] = None,
    source: Annotated[str | None, option("TEXT", "Whom to credit for it.")] = None,
    without: Annotated[
        list[str] | None, option("RUN", "Id of a run to leave out; repeatable.")
    ] = None,
    folder: Annotated[Path, option("DIR", "Folder of the best-known values.")] = storage.HERE,
    as_json: Json = False,
) -> None:
    """
    Take better costs and bounds, and confirmations.

    \b
    Example:
      rsjs run benchmarks/campaigns/best_known.toml
      rsjs bks update runs/best-known
      rsjs bks update --solution s.json --instance i.json --source "who, where, when"

    A cost is taken if its solution passes the exact check, a bound if its method declares it valid
    for the instance as given. A bound above the least cost is a contradiction: both runs are named,
    exit code 1, and nothing is written. The same command again changes nothing.
    """
    writable(folder, folder=True)
    with busy("reading runs"):
        candidates, left_out = gather(stores or [], without or [], solution, instance, source)
    with busy("checking solutions"):
        result = updated(folder, candidates)
    if as_json:
        print_json({"folder": folder, **result.as_document(), "left_out": left_out})
    else:
        for line in [*left_out, *result.refused]:
            print(f"left out: {line}")
        for contradiction in result.contradictions:
            print(f"contradiction: {contradiction}")
        if result.contradictions:
            print("Nothing was written.")
        else:
            for entry in result.changed:
                print(_change(entry, result.before.get(entry.sha256)))
            total = counted(len(result.after), "instance")
            print(f"{folder}: {len(result.changed)} of {total} with candidates changed")
    raise typer.Exit(1 if result.contradictions or result.refused else 0)


def _summary(known: Sequence[BestKnown]) -> str:
    closed = sum(entry.closed for entry in known)
    confirmed = sum(entry.closed and entry.confirmed for entry in known)
    return f"{counted(len(known), 'instance')}: {closed} closed, {confirmed} of them confirmed"


def _facts(entry: BestKnown, output: Path | None, solution: Path | None) -> list[tuple[str, str]]:
    """Return the histories of an instance, the newest first, and the files written."""
    made_by = "the document in its entry"
    if (recipe := entry.made_by) is not None:
        options = ", ".join(f"{name} {value}" for name, value in recipe["parameters"].items())
        made_by = f"{recipe['generator']} of rsjs-bench {recipe['version']}: {options}"
    facts = [
        ("instance", entry.instance),
        ("sha256", entry.sha256),
        ("size", f"{entry.nodes} nodes, {entry.jobs} jobs"),
        ("made by", made_by),
        ("status", f"{entry.status}, gap {percent(entry.heads()['gap'])}"),
    ]
    for what, history in (("cost", entry.ub_data), ("bound", entry.lb_data)):
        for step in reversed(history):
            version = f" {step.solver_version}" if step.solver_version else ""
            run = "" if step.run_id is None else f"{step.name}{version}, "
            facts.append((what, f"{step.value!r} $, {run}{step.source}, {step.date}"))
            facts += [(what, f"confirmed by {o.name}: {o.value!r} $") for o in step.confirmed_by]
    return facts + [("written", str(path)) for path in (output, solution) if path is not None]


def _change(now: BestKnown, before: BestKnown | None) -> str:
    """Return what is new of an instance: better values with those before, status, witnesses."""
    parts = []
    for what, key in (("cost", "ub_data"), ("bound", "lb_data")):
        steps, old = getattr(now, key), getattr(before, key, ())
        if len(steps) > len(old):
            then = f", before {number(old[-1].value, DIGITS)}" if old else ""
            parts.append(f"{what} {number(steps[-1].value, DIGITS)} ${then}")
    witnesses = len(now.bound.confirmed_by) if now.bound else 0
    return f"{now.instance}: {', '.join([*parts, now.status])}, bound confirmed by {witnesses}"
