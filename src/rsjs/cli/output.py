"""What commands print, as text or with `--json`, and the checks of the files they write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from math import isfinite
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich.console import Console

from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import refuse_unwritable
from rsjs.instances.mig.jobs import JobSet
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Table

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance, Workload

MOST_VIOLATIONS = 20  # lines


def writable(path: Path | None, *read: Path, folder: bool = False) -> None:
    """Refuse an output file, or folder, that cannot be written or is one of the files read."""
    if path is not None:
        refuse_unwritable(path, folder=folder)
        if path.exists() and any(one.exists() and path.samefile(one) for one in read):
            raise InputError("", described("the file that is read"), "another file to write", path)


def console(*, stderr: bool = False) -> Console:
    """Return a console that prints text as it is: no markup, no colouring of numbers and names."""
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; the heading of a column that is aligned to the right begins with ">"."""
    columns = [
        Column(str(i), text.lstrip(">"), missing="", align="right" if text[:1] == ">" else "left")
        for i, text in enumerate(headings)
    ]
    cells = [{str(i): cell for i, cell in enumerate(row)} for row in rows]
    show_table(Table(title=title, columns=columns, rows=cells))


def show_table(table: Table) -> None:
    """Print a table as wide as the terminal."""
    out = console()
    print(table.terminal(out.width, colour=out.is_terminal))


def print_columns(rows: Sequence[Sequence[str]], *, words: int) -> None:
    """Print cells in lines that are never broken: words to the left, then numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)][:words]
        padded += [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)][words:]
        print("  ".join(padded).rstrip())


def print_json(document: Any) -> None:
    """Print one JSON document; numbers that are not finite become null."""
    print(json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(entry) for entry in value]
    if isinstance(value, Fraction):
        value = float(value)
    if hasattr(value, "item"):  # a scalar of numpy
        value = value.item()
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, int | str | None) else str(value)


def number(value: float | None, digits: int = 6) -> str:
    """Write significant digits; a dash for a missing number."""
    return formats.MISSING if value is None else formats.significant(value, digits)


def percent(value: float | None) -> str:
    """Write a share in per cent; a dash for a missing one."""
    return formats.MISSING if value is None else f"{formats.percent(value)} %"


def print_facts(rows: Iterable[tuple[str, Any]]) -> None:
    """Print names and values in two columns, long values wrapped."""
    known = [(name, str(value)) for name, value in rows]
    indent = max((len(name) for name, _ in known), default=0) + 2
    width = max(indent + 30, get_terminal_size().columns)
    for name, value in known:
        lines = wrap(value, width - indent, break_on_hyphens=False, break_long_words=False) or [""]
        print(f"{name:<{indent}}{lines[0]}")
        for line in lines[1:]:
            print(" " * indent + line)


def print_values(values: Mapping[str, Any], *, as_json: bool) -> None:
    """Print keys and values; in text without those that are None, numbers in six digits."""

    def rounded(value: Any) -> Any:
        if isinstance(value, list):
            return ", ".join(str(rounded(entry)) for entry in value)
        return number(value) if isinstance(value, float) else value

    if as_json:
        print_json(values)
    else:
        known = ((name, value) for name, value in values.items() if value is not None)
        print_facts((name.replace("_", " "), rounded(value)) for name, value in known)


def print_made(
    subject: Instance | Workload | JobSet, path: Path, *, as_json: bool, **more: Any
) -> None:
    """Print kind, name, sha256 and size of what was written; in JSON with further keys."""
    if isinstance(subject, JobSet):
        kind, nodes, jobs = "set of jobs", None, len(subject)
    else:
        kind, nodes = type(subject).__name__.lower(), subject.cluster.nodes
        jobs = len(subject.jobs)
    facts = {"kind": kind, "name": subject.name, "sha256": subject.digest, "jobs": jobs}
    if as_json:
        print_json({**facts, **({} if nodes is None else {"nodes": nodes}), "file": path, **more})
        return
    what = f"CSV files of {kind}" if path.is_dir() else kind
    size = f"{jobs} jobs" if nodes is None else f"{nodes} nodes, {jobs} jobs"
    print(f"{path}: {what} {subject.name}, {size}")
    print(f"sha256 of the {kind}: {subject.digest}")


def print_text(text: str) -> None:
    """Print a paragraph as wide as the terminal."""
    width = get_terminal_size().columns
    for line in wrap(text, width, break_on_hyphens=False, break_long_words=False):
        print(line)


def print_verdict(document: dict[str, Any], *more: tuple[str, str]) -> None:
    """Print what was found, at what cost, within which bound and time; then further facts."""
    facts = [("instance", document["instance"]), ("method", document["method"] or "not named")]
    if document["stop"] is not None:
        message = f" ({document['message']})" if document["message"] else ""
        facts.append(("stop", f"{document['stop']}{message}"))
    failed = "no, see below" if document["violations"] else "no solution"
    facts.append(("feasible", "yes" if document["feasible"] else failed))
    facts += cost_lines(document)
    seconds = dict(document["seconds"])
    total = seconds.pop("total", None)
    phases = ", ".join(f"{name} {value:.3g}" for name, value in seconds.items())
    facts.append(("seconds", f"{total:.3g} ({phases})" if total is not None else phases))
    if document["peak_memory_mb"] is not None:
        facts.append(("memory", f"{document['peak_memory_mb']:.0f} MB at most"))
    if (exact := document.get("exact")) is not None:
        word = "feasible" if exact["feasible"] else "not feasible"
        cost = "" if exact["objective"] is None else f", {exact['objective']!r} $"
        verdict = "agrees" if exact["agrees"] else "DISAGREES with the check in floating point"
        facts.append(("exact", f"{word}{cost}: {verdict}"))
        if not exact["agrees"]:
            facts += [("exact", line) for line in violation_lines(exact["violations"])]
    print_facts([*facts, *more])
    for line in violation_lines(document["violations"]):
        print(line)


def print_violations(facts: Mapping[str, Any], violations: Sequence[Any], *, as_json: bool) -> None:
    """Print values, then a line for each violation of a constraint."""
    listed = [asdict(violation) for violation in violations]
    if as_json:
        print_json({**facts, "violations": listed})
        return
    print_values(facts, as_json=False)
    for line in violation_lines(listed):
        print(line)


def violation_lines(violations: list[dict[str, Any]]) -> list[str]:
    """Return one line per violation, the first ones of very many."""
    lines = [
        f"violation  {v['constraint']}: {v['where']}: found {v['found']}, expected {v['expected']}"
        for v in violations[:MOST_VIOLATIONS]
    ]
    more = len(violations) - MOST_VIOLATIONS
    return [*lines, *([f"... and {more} more violations"] if more > 0 else [])]


def cost_lines(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return objective by terms, bound and gaps, what runs where."""
    rows = []
    if document["objective"] is not None:
        terms = (f"{name} {number(value)}" for name, value in document["terms"].items())
        rows.append(("objective", f"{number(document['objective'])} $ = {' + '.join(terms)}"))
    if document["bound"] is not None:
        text = f"{number(document['bound'])} $"
        if document["gap"] is not None:
            keys = ("gap", "gap_without_postponement", "gap_over_energy")
            gap, without, energy = (percent(document[key]) for key in keys)
            text += f", gap {gap} ({without} without postponement, {energy} over energy)"
        rows.append(("bound", text))
    counts = document["counts"]
    if "executed" in counts:
        rows.append(("jobs", f"{counts['executed']} run, {counts['postponed']} postponed"))
        gpus = f"{counts['used_gpus']} GPUs in use, {counts['idle_gpus']} idle"
        rows.append(("nodes", f"{counts['selected_nodes']} selected, {gpus}"))
    return rows
