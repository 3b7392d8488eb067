"""`rsjs bks`: best-known values, their list, their check, their update."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import asdict, astuple
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs import library
from rsjs.bks import schedules, storage
from rsjs.bks.candidates import contributed, of_stores
from rsjs.bks.entries import CLOSED
from rsjs.bks.merge import update as updated
from rsjs.bks.regenerate import document as document_of
from rsjs.bks.regenerate import made_again
from rsjs.bks.verify import verify as verified
from rsjs.cli.options import Json, argument, option, options_named
from rsjs.cli.output import (
    number,
    percent,
    print_columns,
    print_json,
    print_values,
    refuse_same,
    writable,
)
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_document, write_packed
from rsjs.instances.library.sets import library_set
from rsjs.reporting.tables.formats import counted
from rsjs.runs.gap import gap
from rsjs.runs.provenance import utc
from rsjs.submissions.best_known import add, is_submission
from rsjs.submissions.check import check

if TYPE_CHECKING:
    from rsjs.bks.entries import BestKnown

app = typer.Typer(
    help="Best-known costs and lower bounds of instances, with their history and solutions."
    "\n\n\b\nExample:\n  rsjs bks sets --json\n  rsjs bks update small\n  rsjs bks verify",
)

DIGITS = 10
SHOWN = ("run_id", "method", "solver_version", "source", "date")  # of a step, beside its value
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


def _members(name: str | None) -> set[str] | None:
    """Return the sha256 of the members of a set; None without a set."""
    if name is None:
        return None
    with options_named("--set"):
        members = library_set(name).members
        if all(one.kind == "MIG jobs" for one in members):
            raise InputError("", described(f"{name}, of MIG jobs"), "a set of rsjs bks sets")
    return {one.sha256 for one in members}


@app.command("list")
def list_(
    instance: Annotated[str | None, argument("INSTANCE", "Show the history of one.")] = None,
    output: Annotated[
        Path | None, option("FILE", "Make this instance again and write it.", "-o", "--output")
    ] = None,
    solution: Annotated[Path | None, option("FILE", "Write its least-cost solution.")] = None,
    certificate: Annotated[
        Path | None, option("FILE", "Write the certificate of its bound, if it has one.")
    ] = None,
    name: OfSet = None,
    unsettled: Annotated[bool, option(None, "Only open or unconfirmed ones.", "--open")] = False,
    one_solver: Annotated[
        bool, option(None, "Only closed ones that no two solvers prove.", "--one-solver")
    ] = False,
    as_solu: Annotated[bool, option(None, "Print lines as MIPLIB's .solu.", "--solu")] = False,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """
    List the best-known values of each instance, or all of one.

    \b
    Example:
      rsjs bks list
      rsjs bks list --set jahani-azure-tight --open
      rsjs bks list --one-solver
      rsjs bks list --solu > best_known.solu
      rsjs bks list kiros-kiros-base-at0-synthetic-N2-J6-s1 -o i.json --solution s.json

    Closed: the bound is within 1e-6 of the cost, postponement left out. Confirmed by: runs of
    another method or another solver that prove the same bound. Certificate: prices that prove it up
    to 1e-6, for `rsjs_verify.py --bound`. Without the sources only cost, bound and status are
    known, of the instances of the library.
    """
    writable(output)
    writable(solution)
    writable(certificate)
    refuse_same(output, solution, certificate)
    if instance is not None:
        entry = storage.named(_known(folder), instance)
        _write(entry, output, solution, certificate)
        _show(entry, as_json=as_json)
        return
    if as_solu and as_json:
        raise InputError("--solu", described("--json, too"), "one of them")
    if {output, solution, certificate} != {None}:
        raise InputError("INSTANCE", described("none"), "the instance to write")
    members = _members(name)
    if as_solu or folder is not None or storage.known_here().is_dir():
        known = [one for one in _known(folder) if members is None or one.sha256 in members]
        known = storage.unsettled(known) if unsettled else known
        known = storage.of_one_solver(known) if one_solver else known
        if as_solu:
            print(*storage.solu(known), sep="\n")
            return
        document, note = [_document(entry) for entry in known], _summary(known)
    elif one_solver:
        raise InputError("--one-solver", described("no histories"), "the sources, or --folder")
    else:
        document = _shipped(members, unsettled=unsettled)
        note = f"{counted(len(document), 'instance')}; histories and solutions: in the sources only"
    if as_json:
        print_json(document)
        return
    lines = [["instance", "status", "bound [$]", "cost [$]", "gap", "confirmed by", "certificate"]]
    for row in document:
        values = bound, cost = row["lower_bound"], row["upper_bound"]
        witnesses = len(row["lb_data"][-1]["confirmed_by"]) if row.get("lb_data") else 0
        shown = [number(value, DIGITS) for value in values]
        proof = "yes" if row.get("certified") else "-"
        lines.append(
            [
                row["instance"],
                row["status"],
                *shown,
                percent(gap(cost, bound)),
                str(witnesses),
                proof,
            ]
        )
    print_columns(lines, words=2)
    print(note)


def _shipped(members: Collection[str] | None, *, unsettled: bool) -> list[dict[str, Any]]:
    """Return what a wheel has: cost, bound and status of the members of the library."""
    known = storage.values(storage.TREE)
    names = {one.sha256: one.name for chosen in library.sets() for one in chosen.members}
    rows = []
    for sha256, name in sorted(names.items(), key=itemgetter(1)):
        if sha256 in known and (members is None or sha256 in members):
            cost, bound, status = known[sha256]
            head = {"instance": name, "sha256": sha256, "status": status}
            rows.append({**head, "lower_bound": bound, "upper_bound": cost})
    return [row for row in rows if not (unsettled and row["status"] == CLOSED)]


def _document(entry: BestKnown) -> dict[str, Any]:
    """Return what is known, and whether a certificate proves the bound."""
    return {**entry.as_document(), "certified": entry.certificate is not None}


def _write(
    entry: BestKnown, output: Path | None, solution: Path | None, certificate: Path | None
) -> None:
    """Write an instance, its solution and its certificate; those of workloads are unpacked."""
    for path, what, content in (
        (solution, "solution", entry.solution),
        (certificate, "certificate", entry.certificate),
    ):
        if path is not None:
            if content is None:
                raise InputError(f"/{what}", None, f"a {what} of {entry.instance}")
            if "packed" in content:
                text = schedules.unpacked(content, content["format"], f"/{what}")
                write_packed(text.encode(), path)
            else:
                write_document(content, path)
    if output is not None:
        write_document(document_of(made_again(entry)), output)


def _show(entry: BestKnown, *, as_json: bool) -> None:
    """Print the histories of an instance, the newest first."""
    document = _document(entry)
    if as_json:
        print_json(document)
        return
    histories = ("cost", document.pop("ub_data")), ("bound", document.pop("lb_data"))
    print_values(document, as_json=False)
    rows = [
        (label, *(step[key] or "-" for key in SHOWN), repr(step["value"]))
        for what, history in histories
        for head in reversed(history)
        for label, step in [(what, head), *(("confirmed by", one) for one in head["confirmed_by"])]
    ]
    print()
    print_columns([("step", *SHOWN, "value [$]"), *rows], words=len(SHOWN) + 1)


@app.command("sets")
def sets(folder: Folder = None, as_json: Json = False) -> None:
    """
    Count the best-known values of each set.

    \b
    Example:
      rsjs bks sets

    Of sets of instances those up to 400 jobs count, of workloads all.
    Certified: prices prove the bound up to 1e-6, in exact arithmetic and without a solver. Open:
    there is a cost or a bound, and a gap, of which the largest is shown. Unknown: neither.
    In `all` an instance that several sets have counts once; sets of workloads stand below it.
    """
    rows = storage.coverage(_known(folder))
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    heads = ("set", "instances", "closed", "confirmed", "by two solvers", "certified", "open")
    lines: list[tuple[str, ...]] = [(*heads, "unknown", "largest gap")]
    lines += [(*map(str, counts), percent(largest)) for *counts, largest in map(astuple, rows)]
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
    the exact check at the cost stated, and the schedule of a workload its replay; each certificate
    proves its bound. With --set, only the members of a set are made again, their solutions and
    certificates checked, and counted: all take about four minutes.
    """
    with busy("checking values"):
        result = verified(folder or storage.known_here(), _members(name))
    if as_json:
        counts = {"instances": len(result.known), "solutions": result.solutions}
        counts["certificates"] = result.certificates
        print_json({**counts, "findings": result.findings})
    elif result.findings:
        print(*result.findings, sep="\n")
    else:
        exact = counted(result.solutions, "solution")
        proofs = counted(result.certificates, "certificate")
        print(f"{_summary(result.known)}; {exact} and {proofs} passed")
    raise typer.Exit(1 if result.findings else 0)


@app.command("update")
def update(
    stores: Annotated[
        list[Path] | None, argument("STORE", "Stores of `rsjs run`, or submissions.")
    ] = None,
    solution: Annotated[Path | None, option("FILE", "Solution from elsewhere.")] = None,
    instance: Annotated[Path | None, option("FILE", "Its instance.")] = None,
    source: Annotated[str | None, option("TEXT", "Whom to credit for it.")] = None,
    without: Annotated[list[str] | None, option("RUN", "Leave out; repeatable.")] = None,
    rerun: Annotated[
        bool, option(None, "Repeat the runs that bounds of submissions come from.", "--rerun")
    ] = False,
    certify: Annotated[
        bool, option(None, "Make certificates for bounds that have none, and no more.", "--certify")
    ] = False,
    name: OfSet = None,
    time_limit: Annotated[
        float, option("SECONDS", "With --certify, time of each.", "--time-limit")
    ] = 15.0,
    folder: Annotated[Path, option("DIR", "Folder of the best-known values.")] = storage.HERE,
    as_json: Json = False,
) -> None:
    """
    Take better costs and bounds, and confirmations.

    \b
    Example:
      rsjs run benchmarks/campaigns/best_known.toml
      rsjs bks update runs/best-known
      rsjs bks update submissions/jahani/mine
      rsjs bks update --solution s.json --instance i.json --source "who, where, when"
      rsjs bks update --certify --set jahani-azure-base

    A cost is taken if its solution passes the exact check, a bound if its method declares it valid
    for the instance as given. A submission must pass `rsjs submit check`; its bounds are taken with
    their certificates, or with --rerun if the runs that they name reach them. A bound above the
    lowest cost is a contradiction: both runs are named, nothing is written, and the exit code is 1.
    Running the command again changes nothing.

    --certify finds prices from which `rsjs_verify.py --bound` computes a bound in exact arithmetic,
    without a solver. They are kept if they prove the bound up to 1e-6; if they prove more, it is
    raised. Run the command again to resume; all take about half an hour.
    """
    writable(folder, folder=True)
    members = _members(name)
    values = stores or solution or instance or source
    if (certify and values) or (name is not None and not certify):
        raise InputError("--certify", described("others" if certify else "none"), "it, or values")
    if certify:
        _certify(folder, members, time_limit, as_json=as_json)
        return
    given = {"--solution": solution, "--instance": instance, "--source": source}
    missing = [option for option, value in given.items() if not value]
    left_out: list[str] = []
    if stores and len(missing) == len(given):
        submitted = [*filter(is_submission, stores)]
        with busy("reading runs"):
            others = [store for store in stores if store not in submitted]
            candidates, left_out = of_stores(others, without or [])
            checked = check(submitted, best_known=folder, rerun=rerun)
        if checked.refused:
            print(*checked.errors, "Nothing was written.", sep="\n", file=sys.stderr)
            raise typer.Exit(checked.exit_code)
        add(candidates, checked)
    elif solution is not None and instance is not None and source and not stores:
        new = contributed(instance, solution, source, utc())
        candidates = {new.instance.digest: new}
    elif 0 < len(missing) < len(given):
        those = " and ".join(option for option in given if option not in missing)
        raise InputError(missing[0], described("nothing"), f"it together with {those}")
    else:
        found = described("both" if stores else "no STORE and no --solution")
        raise InputError("", found, "stores, or a solution from elsewhere")
    with busy("checking solutions"):
        result = updated(folder, candidates)
    if as_json:
        document = {
            "folder": folder,
            "instances": len(result.after),
            "changed": [entry.as_document() for entry in result.changed],
            "contradictions": [asdict(one) for one in result.contradictions],
            "refused": result.refused,
            "left_out": left_out,
        }
        print_json(document)
    else:
        for line in [*left_out, *result.refused]:
            print(f"left out: {line}")
        for contradiction in result.contradictions:
            print(f"contradiction: {contradiction}")
        if result.contradictions:
            print("Nothing was written.")
        else:
            for entry in result.changed:
                print(_change(entry))
            total = counted(len(result.after), "instance")
            print(f"{folder}: {len(result.changed)} of {total} with candidates changed")
    raise typer.Exit(1 if result.contradictions or result.refused else 0)


def _certify(folder: Path, members: set[str] | None, time_limit: float, *, as_json: bool) -> None:
    """Make certificates for bounds that have none, and print how many."""
    from rsjs.bks import certify

    known = [one for one in _known(folder) if members is None or one.sha256 in members]
    entries, certified, raised = certify.without(known), 0, 0
    with busy("making certificates"):
        for update in certify.certify(folder, entries, time_limit):
            certified += sum(one.certificate is not None for one in update.changed)
            raised += sum(
                len(one.lb_data) > len(update.before[one.sha256].lb_data) for one in update.changed
            )
    counts = {"without": len(entries), "certified": certified, "raised": raised}
    if as_json:
        print_json({"folder": folder, **counts})
        return
    print(f"{folder}: {certified} of {counted(len(entries), 'bound')} certified, {raised} raised")


def _summary(known: Sequence[BestKnown]) -> str:
    closed = sum(entry.closed for entry in known)
    confirmed = sum(entry.closed and entry.confirmed for entry in known)
    return f"{counted(len(known), 'instance')}: {closed} closed, {confirmed} of them confirmed"


def _change(now: BestKnown) -> str:
    """Return the values of an instance that changed, its status and how many confirm its bound."""
    parts = [
        f"{what} {number(step.value, DIGITS)} $"
        for what, step in (("cost", now.cost), ("bound", now.bound))
        if step is not None
    ]
    witnesses = len(now.bound.confirmed_by) if now.bound else 0
    return f"{now.instance}: {', '.join([*parts, now.status])}, bound confirmed by {witnesses}"
