"""What commands print, as text or with `--json`, and the checks of the files they write."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from pathlib import Path
from shutil import get_terminal_size
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any

from rich.console import Console

from rsjs.core.errors import STANDARD, InputError, described
from rsjs.instances.io.files import refuse_unwritable
from rsjs.instances.mig.jobs import JobSet
from rsjs.reporting.tables.facts import facts, text_table, verdict_facts, violation_lines
from rsjs.reporting.tables.facts import number as number
from rsjs.reporting.tables.facts import percent as percent
from rsjs.reporting.tables.facts import text_of as text_of
from rsjs.rows.columns import COLUMNS

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance, Workload
    from rsjs.reporting.tables.table import Table


def writable(path: Path | None, *read: Path, folder: bool = False) -> None:
    """
    Refuse an output file, or folder, that cannot be written or is one of the files read.

    What a command prints goes to standard error if "-", standard output, is that file.
    """
    if path is not None:
        refuse_unwritable(path, folder=folder)
        if folder and (path / "rows.csv").is_dir():  # which would be found only after all runs
            refuse_unwritable(path / "rows.csv")
        if str(path) == STANDARD and not folder:
            sys.stdout = sys.stderr
        elif path.exists() and any(one.exists() and path.samefile(one) for one in read):
            raise InputError("", described("the file that is read"), "another file to write", path)


def refuse_same(*written: Path | None) -> None:
    """Refuse output files of which one would be written over another."""
    paths = [path.resolve() for path in written if path is not None and str(path) != STANDARD]
    for i, path in enumerate(paths):
        if path in paths[:i]:
            raise InputError("", described("two outputs"), "a file for each", path)


def console(**options: Any) -> Console:
    """Return a console that prints text as it is: no markup, no colouring of numbers and names."""
    return Console(markup=False, highlight=False, emoji=False, **options)


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table of texts and numbers, see `text_table`."""
    show_table(text_table(title, headings, rows))


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


def print_facts(rows: Iterable[tuple[str, Any]]) -> None:
    """Print names and values in two columns, long values wrapped."""
    known = [(name, str(value)) for name, value in rows]
    indent = max((len(name) for name, _ in known), default=0) + 2
    for name, value in known:
        print(_wrapped(value, f"{name:<{indent}}", " " * indent) or name)


def print_text(text: str) -> None:
    """Print a paragraph as wide as the terminal."""
    print(_wrapped(text))


def _wrapped(text: str, first: str = "", others: str = "") -> str:
    """Return a text in lines as wide as the terminal that begin like this."""
    width = max(len(others) + 30, get_terminal_size().columns)
    lines = TextWrapper(width, first, others, break_on_hyphens=False, break_long_words=False)
    return lines.fill(text)


def print_values(values: Mapping[str, Any], *, as_json: bool) -> None:
    """Print keys and values; in text without those that are None, each violation in a line."""
    if as_json:
        print_json(values)
        return
    print_facts(facts(values))
    print_violations(values.get("violations") or ())


def print_made(
    subject: Instance | Workload | JobSet, path: Path, *, as_json: bool, **more: Any
) -> None:
    """Print kind, name, sha256 and size of what was written, and what else is known of it."""
    jobs = subject if isinstance(subject, JobSet) else subject.jobs
    size = {} if isinstance(subject, JobSet) else {"nodes": subject.cluster.nodes}
    kind = "set of jobs" if isinstance(subject, JobSet) else type(subject).__name__.lower()
    facts = {"kind": kind, "name": subject.name, "sha256": subject.digest, "jobs": len(jobs)}
    print_values({**facts, **size, "file": path, **more}, as_json=as_json)


def print_verdict(document: Mapping[str, Any], *more: tuple[str, Any]) -> None:
    """Print what was found, at what cost, within which bound and time; then further facts."""
    exact, exactly = document.get("exact"), []
    if exact:
        word = "feasible" if exact["feasible"] else "not feasible"
        cost = "" if exact["objective"] is None else f", {exact['objective']!r} $"
        verdict = "agrees" if exact["agrees"] else "DISAGREES with the check in floating point"
        exactly = [("exact", f"{word}{cost}: {verdict}")]
    print_facts([*verdict_facts(document), *exactly, *more])
    print_violations(document["violations"])
    if exact and not exact["agrees"]:
        print_violations(exact["violations"])


def measured(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield names and values of columns of rows, with their units, those that are known."""
    for name, value in values.items():
        unit = COLUMNS[name].unit if name in COLUMNS else ""
        if value not in (None, ""):
            yield name.replace("_", " "), f"{text_of(value)} {unit}".rstrip()


def print_violations(violations: Sequence[Mapping[str, Any]]) -> None:
    """Print one line per violation, the first ones of very many."""
    for line in violation_lines(violations):
        print(f"violation  {line}")
