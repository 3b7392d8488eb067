"""
Runs of several methods on several instances: carried out, shown, kept in a folder.

The files and the table that `compare` and `demo` make of their runs.

`--methods`: several spellings between commas, some of which have commas themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from re import split as split_at
from typing import TYPE_CHECKING, Any

import typer

from rsjs.cli import INTERRUPTED
from rsjs.cli.output import console, number, percent, print_json
from rsjs.cli.progress import RunLine, Screen, busy
from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.core.report import Stop
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import write_bytes, write_solution
from rsjs.methods import Request, all_methods, parse
from rsjs.reporting.figures.cost_bars import cost_split
from rsjs.reporting.figures.gap_curves import gap_over_time
from rsjs.reporting.tables import comparison
from rsjs.runs import compare
from rsjs.runs.compare import Row
from rsjs.runs.gap import gap
from rsjs.runs.verified_run import Outcome

if TYPE_CHECKING:
    from rsjs.core.method import Method
    from rsjs.methods import Request


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A method that was not run on an instance, and why."""

    instance: str
    method: str
    reason: str


class Runs:
    """
    What was run; each verified solution is written as soon as it is there.

    Attributes
    ----------
    outcomes : list of Outcome
    left_out : list of LeftOut
    interrupted : bool
        Ctrl-C ended a run; none is begun after that.
    """

    def __init__(self, folder: Path, limits: Limits, screen: Screen, total: int) -> None:
        self.folder, self.limits, self.screen, self.total = folder, limits, screen, total
        self.outcomes: list[Outcome] = []
        self.left_out: list[LeftOut] = []
        self.interrupted = False
        self._names: set[str] = set()
        self._announced: Instance | None = None

    def run(self, instances: Sequence[Instance], requests: Sequence[Request]) -> None:
        """Run every method on every instance that it serves, until Ctrl-C."""
        if self.interrupted:
            return
        self.left_out += not_served(instances, requests)

        def begin(instance: Instance, request: Request) -> RunLine:
            if instance is not self._announced:
                self._announced = instance
                self.screen.say(instance.name)
            place = f"{len(self.outcomes) + 1}/{self.total}"
            line = RunLine(f"  {place} {request.spelling}", self.limits.time_limit)
            self.screen.show(line)
            return line

        try:
            for found in compare.compare(instances, requests, self.limits, on_start=begin):
                self._keep(found)
                if found.result.stop is Stop.INTERRUPTED:
                    self.interrupted = True
                    return
        except KeyboardInterrupt:  # between two runs
            self.interrupted = True

    def _keep(self, found: Outcome) -> None:
        self.outcomes.append(found)
        if found.verified and found.result.solution is not None:
            write_solution(
                found.result.solution,
                found.problem.digest,
                self.folder / "solutions" / f"{self._name(found)}.json.gz",
                method=found.method,
                objective=found.objective,
                bound=found.result.bound,
            )
        ended = found.result.stop.value.replace("_", " ")
        own_gap = percent(gap(found.objective, found.result.bound))
        seconds = number(found.result.seconds.get("total"), 3)
        told = f"{ended}, {number(found.objective)} $, own gap {own_gap}, {seconds} s"
        self.screen.say(f"  {len(self.outcomes)}/{self.total} {found.method}: {told}")

    def _name(self, found: Outcome) -> str:
        """A file name for one run, unlike those before."""
        plain = file_name(f"{found.problem.name}--{found.method}")
        name, count = plain, 1
        while name.lower() in self._names:
            count += 1
            name = f"{plain}-{count}"
        self._names.add(name.lower())
        return name

    def rows(self) -> list[Row]:
        """One row per run."""
        return compare.rows(self.outcomes, self.limits)

    def events(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """The course of each run, with the best bound of its instance."""
        return [
            {
                "instance": row["instance"],
                "instance_sha256": row["instance_sha256"],
                "method": row["method"],
                "seed": row["seed"],
                "best_bound": row["best_bound"],
                "seconds": row["total_s"],
                "events": compare.trajectory(found),
            }
            for row, found in zip(rows, self.outcomes, strict=True)
        ]


def not_served(instances: Sequence[Instance], requests: Sequence[Request]) -> list[LeftOut]:
    """The pairs that `comparison.compare` passes over."""
    return [
        LeftOut(instance=instance.name, method=request.spelling, reason=reason)
        for instance in instances
        for request in requests
        if (reason := request.method.refusal(instance) or request.missing())
    ]


def file_name(text: str) -> str:
    """
    Text with what file systems do not like replaced.

    >>> file_name("case--greedy:code?x=1")
    'case--greedy_code_x=1'
    """
    return re.sub(r"[^\w.@=,+-]", "_", text, flags=re.ASCII)


def finish(runs: Runs, *, as_json: bool) -> list[Row]:
    """Write all files, print the table or the JSON document, return the rows."""
    rows = runs.rows()
    if not rows:  # Ctrl-C before the first run
        raise typer.Exit(INTERRUPTED)
    present(runs, rows, write(runs, rows), as_json=as_json)
    return rows


def write(runs: Runs, rows: list[Row]) -> list[Path]:
    """Write rows.csv, table.md, table.tex, events.json and the pictures; return all files."""

    folder, events = runs.folder, runs.events(rows)
    with busy("writing tables and pictures"):
        written = comparison.write_all(rows, folder)
        write_bytes(json.dumps(events, indent=1).encode(), folder / "events.json")
        gap_over_time(events, folder / "gap.png")
        cost_split(rows, folder / "cost.png")
    return [*written, *(folder / name for name in ("events.json", "gap.png", "cost.png"))]


def present(runs: Runs, rows: list[Row], written: list[Path], *, as_json: bool) -> None:
    """Print the table, what was not run and why, and where the files are."""
    if as_json:
        print_json(as_document(runs, rows, written))
        return

    out = console()
    print(comparison.terminal(rows, out.width, colour=out.is_terminal))
    for line in left_out_lines(runs):
        print(line)
    names = ", ".join(path.name for path in written)
    print(f"\nWritten to {runs.folder}: {names}, solutions/")
    if runs.interrupted:
        print(f"Interrupted after {len(rows)} of {runs.total} runs.")


def as_document(runs: Runs, rows: list[Row], written: list[Path]) -> dict[str, Any]:
    """The same as a JSON object."""
    return {
        "rows": rows,
        "left_out": [vars(left) for left in runs.left_out],
        "interrupted": runs.interrupted,
        "folder": runs.folder,
        "files": written,
    }


def left_out_lines(runs: Runs) -> list[str]:
    """Each method that was left out, with its reason and where."""
    cases: dict[tuple[str, str], list[str]] = {}
    for left in runs.left_out:
        cases.setdefault((left.method, left.reason), []).append(left.instance)
    lines = [
        f"  {method} on {names[0] if len(names) == 1 else f'{len(names)} instances'}: {reason}"
        for (method, reason), names in cases.items()
    ]
    return ["", "Not run:", *lines] if lines else []


def exit_code(runs: Runs, rows: list[Row]) -> int:
    """130 after Ctrl-C, 1 if a run has no verified solution or a false claim, else 0."""
    if runs.interrupted:
        return INTERRUPTED
    return 0 if all(row["status"] == "ok" for row in rows) else 1


def split(text: str, known: Collection[str]) -> list[str]:
    """
    The spellings in a list; `key=value` after a comma belongs to the options before it.

    >>> split("greedy:code,sts?iterations=5,seed=2,edf", ["greedy", "sts", "edf"])
    ['greedy:code', 'sts?iterations=5,seed=2', 'edf']
    """
    spellings: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        option = "=" in part and split_at("[@:?]", part)[0] not in known
        if option and spellings and "?" in spellings[-1]:
            spellings[-1] += f",{part}"
        else:
            spellings.append(part)
    return spellings


def requests(text: str, known: Mapping[str, Method] | None = None) -> list[Request]:
    """
    The methods in a list, each once; InputError for one that is not known, or none at all.

    Parameters
    ----------
    known : mapping, optional
        What may be in the list, by name; all methods if not given.
    """

    known = all_methods() if known is None else known
    found = {one.spelling: one for one in (parse(part, known) for part in split(text, known))}
    if not found:
        raise InputError("--methods", text, "methods, e.g. jahani_patterns@highs,greedy:code")
    return list(found.values())
