"""`rsjs submit`: submissions of others, made of a campaign, and checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli.options import Json, argument, option
from rsjs.cli.output import number, print_columns, print_json, writable
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, printable
from rsjs.reporting.tables.formats import counted
from rsjs.submissions.check import check as checked
from rsjs.submissions.make import make as made
from rsjs.submissions.row import CERTIFICATE, FIRST, REPEATED, RUN, CheckedRow

app = typer.Typer(
    help="Submissions: costs and bounds of others, checked before they are shown."
    "\n\n\b\nExample:\n  rsjs submit make small -o submissions --name mine --who 'A. Name'"
    "\n  rsjs submit check submissions --json",
)

DIGITS = 10
EVIDENCE = {
    None: "-",
    CERTIFICATE: "certificate",
    REPEATED: "run, repeated",
    RUN: "run, repeatable, not yet repeated",
}


@app.command("check")
def check(
    folders: Annotated[
        list[Path], argument("FOLDER", "Submissions, a folder of FAMILY/NAME, or archives.")
    ],
    rerun: Annotated[
        bool, option(None, "Repeat the runs that bounds come from; look at their limits first.")
    ] = False,
    best_known: Annotated[
        Path | None, option("DIR", "Folder of the best-known values.", "--best-known")
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Check submissions: price solutions and bounds exactly.

    \b
    Example:
      rsjs submit check submissions
      rsjs submit check submissions/jahani/mine --rerun
      rsjs submit check mine.tar.gz --json

    A bound has a certificate, which is evaluated in exact arithmetic, or names a run of a method of
    the suite that anybody can repeat; --rerun does. Costs and bounds
    that contradict each other or the best-known values are refused. Exit code 1 for a claim that is
    false, 2 for files that cannot be read or are not as they must be; all is told. Nothing in a
    submission is run, and no file is unpacked to the disk.
    """
    with busy("checking submissions"):
        found = checked(folders, best_known=best_known, rerun=rerun)
    if as_json:
        print_json(
            {
                "accepted": found.accepted,
                "rows": [asdict(row) for row in found.rows],
                "refused": [
                    {"place": one.place, "reasons": [*map(str, one.errors)]}
                    for one in found.refused
                ],
            }
        )
    else:
        _show(found.rows)
        for one in found.refused:
            print(f"refused: {printable(str(one.place))}")
            for error in one.errors:
                print(f"  {error}")
        accepted = counted(len(found.accepted), "submission")
        print(f"{accepted} accepted, {len(found.refused)} refused")
        if found.rows:
            print("credit: first = better than what is known; - = not, or not proved")
    raise typer.Exit(found.exit_code)


def _show(rows: Iterable[CheckedRow]) -> None:
    lines = [["submission", "instance", "evidence", "credit", "cost [$]", "bound [$]"]]
    for row in rows:
        credit = {
            f"{what} first" for what in ("cost", "bound") if getattr(row, f"{what}_credit") == FIRST
        }
        shown = [
            row.submission,
            row.instance,
            EVIDENCE[row.evidence],
            ", ".join(sorted(credit)) or "-",
        ]
        lines.append([*shown, *(number(value, DIGITS) for value in (row.cost, row.bound))])
    if len(lines) > 1:
        print_columns(lines, words=4)


@app.command("make")
def make(
    store: Annotated[Path, argument("STORE", "Store of `rsjs run`, its runs complete.")],
    output: Annotated[Path, option("DIR", "Folder for FAMILY/NAME.", "-o", "--output")],
    name: Annotated[str, option("NAME", "Name of the submission: a-z, 0-9, - _ .")],
    who: Annotated[list[str], option("TEXT", "A name to credit; repeatable.")],
    reference: Annotated[
        str, option("TEXT", "Paper, doi: or https:// address of the method.")
    ] = "RSJS-Bench, methods of the suite",
    only: Annotated[str, option("PATTERN", "Only runs whose label begins so.")] = "*",
    certify: Annotated[
        float, option("SECONDS", "Time for a certificate of each bound without one.")
    ] = 0.0,
    as_json: Json = False,
) -> None:
    """
    Make submissions of a campaign, one for each family of instances.

    \b
    Example:
      rsjs run small -o small
      rsjs submit make small -o submissions --name mine --who "A. Name"
      rsjs submit check submissions

    Of each instance the cheapest solution and the greatest bound are taken. A bound comes with its
    certificate if its run wrote one or --certify finds one: that is proof. Otherwise it comes with
    the specification of the run, and counts once that was repeated. The division is
    closed if each run had at most 60 s, one thread and 4096 MB.
    """
    writable(output, folder=True)
    if not 0 <= certify < inf:
        raise InputError("--certify", certify, "seconds >= 0")
    with busy("reading runs"):
        found, left_out = made(
            store, output, who=who, reference=reference, name=name, only=only, certify=certify
        )
    if as_json:
        print_json({"made": [asdict(one) for one in found], "left_out": left_out})
        return
    for line in left_out:
        print(f"left out: {line}")
    for one in found:
        counts = counted(one.solutions, "solution"), counted(one.bounds, "bound")
        print(f"{one.folder}: {counts[0]}, {counts[1]}, {one.submission.division} division")
