"""The runs of a page: a line of a table each, and all that is known of one, shown on demand."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError
from rsjs.instances.io.bounded_files import read_bytes, unpacked
from rsjs.instances.mig.scheduling.objective import TERMS
from rsjs.reporting.site.pages import instance_url, method_url, run_url
from rsjs.reporting.site.plots import harmless
from rsjs.reporting.site.report_data import ReportRow, footer, grouped
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.comparison import COLUMNS, proving
from rsjs.reporting.tables.labels import column, status_word
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows import columns
from rsjs.rows.select import (
    are_shared,
    best_row,
    executed,
    failure,
    is_best,
    is_reference,
    is_schedule,
    is_simulated,
    known,
    unit,
)
from rsjs.simulation.options import WITHHELD, Options

DECLARED = {column.key: column for column in COLUMNS}
COSTS = ("objective", "over_best", "tardiness", "postponement", "energy", "idle", "bound")
GAPS = ("own_gap", "gap_to_best", "gap_without_postponement")
SECONDS = ("build_s", "solve_s", "total_s")
BEHIND = {"tardiness", "postponement", "energy", "idle", "gap_without_postponement"}
BEHIND |= {"build_s", "solve_s", "peak_memory_mb"}  # so that a table is at most 1400 pixels wide
KEPT = ("method", "message", "instance", "instance_sha256", "family", "anchor", "solution_sha256")
DOUBTFUL = ("CRASH", "SOLVER_ERROR", "MEMOUT", "OUTPUT_LIMIT")
ENDED = Column("ended", "ended", text=lambda row: status_word(row["ended"]))
QUALITY = Column("quality", "status", text=lambda row: status_word(row["quality"]))
LINES, LONGEST = 20, 2000  # of a log, characters
BY = {  # who fills a column -> heading of the facts of a run
    "campaign": "asked for",
    "checker": "found by the checker",
    "collection": "beside the other runs",
    "method": "reported by the method",
    "runner": "measured around its process",
    "session": "made by",
}
SOLUTION = columns.Column("runner", "sha256 of the solution's file", name="solution_sha256")
FACTS = sorted(  # the message stands above them
    (one for one in (*columns.COLUMNS.values(), SOLUTION) if one.name != "message"),
    key=lambda one: [*BY].index(one.by),
)
OPTIONS = {
    "--time-limit": "time_limit",
    "--gap": "gap_limit",
    "--threads": "threads",
    "--seed": "seed",
    "--memory-limit": "memory_limit_mb",
}


def run_table(rows: Sequence[ReportRow], by: str, more: Sequence[Column] = ()) -> Table:
    """
    Return the runs of an instance, by "method", or of a method, by "instance", with links.

    `more` are columns after the seed.
    """
    if unit(rows):
        costs = [DECLARED[key] for key in COSTS]
    else:  # schedules on MIG instances have terms of their own
        terms = [Column(term, term.replace("_", " "), formats.plain) for term in TERMS]
        first, last = (column(key, key, rows) for key in ("objective", "bound"))
        costs = [first, *terms, last]
    columns = [
        Column(by, by),
        *([Column("family", "family")] if by == "instance" else []),
        *(Column("seed", "seed", formats.count), *more, ENDED, QUALITY, *costs),
        *(DECLARED[key] for key in (GAPS if unit(rows) else GAPS[:2])),
        Column("executed", "jobs run"),
        *(DECLARED[key] for key in (*SECONDS, "peak_memory_mb")),
        Column("run", "run"),
    ]
    best = {name: best_row(group) for name, group in grouped(rows, "instance").items()}
    lines = [
        {
            **{column.key: known(row, column.key) for column in columns},
            "executed": executed(row),
            "run": row["anchor"],
            **{key: row.get(key) for key in KEPT},  # in CSV, for links
            "best": is_best(row, best[str(row["instance"])]),
        }
        for row in proving(rows)
    ]

    if lines:
        columns = [one for one in columns if any(one.cell(line) != one.missing for line in lines)]
    columns = [one for one in columns if one.key not in BEHIND]

    def link(line: Row, key: str) -> str:
        if key == "method":
            return method_url(line["method"])
        if by == "method":  # on the page of the instance itself
            return f"#r-{line['anchor']}"
        if key == "instance":
            return instance_url(line)
        return run_url(line) if key in ("objective", "gap_to_best", "run") else ""

    return Table(
        name="runs",
        title="Runs",
        columns=columns,
        rows=lines,
        notes=[
            "The terms of the cost, seconds of build and solve and memory: click on a run, or CSV."
        ],
        footer=footer(rows),
        link=link,
        mark=mark,
        choices=frozenset({"method", "family", "ended", "quality"}),
        shared=frozenset(SECONDS if are_shared(rows) else ()),
    )


def mark(line: Row, key: str) -> str:
    """Return the mark of failures, false claims, and the best cost of an instance."""
    marks = {"WRONG": "bad", "NO_SOLUTION": "warn", "OPTIMAL_VERIFIED": "good"}
    if key == "quality":
        return marks.get(line[key], "")
    if key == "ended":
        return "warn" if line[key].startswith(DOUBTFUL) else ""
    return "best" if key == "objective" and line.get("best") else ""


def has_nothing(row: ReportRow) -> bool:
    """Return whether a run failed or has no solution, so that its output is worth reading."""
    return row["quality"] == "NO_SOLUTION" or bool(failure(row))


def command(row: ReportRow) -> str:
    """
    Return the command that repeats a run; "" if its instance was not kept.

    `rsjs solve`, of a workload `rsjs simulate`, of jobs on MIG instances `rsjs mig schedule`.
    """
    if (file := row["problem_file"]) is None or is_reference(row):
        return row.get("fetched", "")
    if is_simulated(row):
        return _lines(row, _simulation(row, file))
    verb = ["mig", "schedule"] if is_schedule(row) else ["solve"]
    words = ["rsjs", *verb, file.as_posix(), "--method", row["spelling"]]
    for option, key in OPTIONS.items():
        value = known(row, key)
        if value is None or (option == "--gap" and is_schedule(row)):
            continue  # what a schedule is given is a proof or the end of its time
        exact = float(value)  # no digit lost, no exponent where an integer is asked for
        words += [option, str(int(exact)) if exact.is_integer() else repr(exact)]
    return _lines(row, [*words, "-o", "solution.json"])


def _simulation(row: ReportRow, file: Path) -> list[str]:
    words = ["rsjs", "simulate", file.as_posix(), "--policy", row["spelling"]]
    words += ["--seed", str(row["seed"])]
    usual = {**Options().as_dict(), "decision_limit": Options().decision_limit, "epochs": WITHHELD}
    for name, value in json.loads(known(row, "simulation") or "{}").items():
        if name in usual and value != usual[name]:
            told = f"{value * 3600:g}" if name == "boot" else str(value)  # an option in seconds
            words += [f"--{name.replace('_', '-')}", told]
    return [*words, "-o", "simulation"]


def _lines(row: ReportRow, words: Sequence[str]) -> str:
    """Return a command after the one that fetches its instance, if there is one."""
    return "\n".join(filter(None, [row.get("fetched", ""), shlex.join(words)]))


def log_end(row: ReportRow) -> str:
    """Return the last lines of a run's output; "" if it was not kept."""
    if (record := row["record"]) is None:
        return ""
    try:
        log = unpacked(read_bytes(record / "log.gz"), record / "log.gz")
    except InputError as error:
        return str(error)
    lines = log.decode("utf-8", errors="replace").splitlines(keepends=True)
    return "".join(lines[-LINES:])[-LONGEST:].strip()


def facts_script(slug: str, rows: Sequence[ReportRow]) -> str:
    """Return a script with the facts of an instance's runs: a page on a disk may fetch no data."""

    def label(one: columns.Column) -> str:
        return one.name.removesuffix(f"_{one.unit.lower()}").replace("_", " ")

    document = {
        "fields": [[BY[one.by], label(one), one.meaning] for one in FACTS],
        "runs": {row["anchor"]: _facts(row) for row in rows},
    }
    return f"rsjsFacts({harmless(slug)}, {harmless(document)});\n"


def _facts(row: ReportRow) -> dict[str, Any]:
    return {
        "title": f"{row['method']}, seed {row['seed']}",
        "values": ["" if row.get(one.name) is None else _fact(row, one) for one in FACTS],
        "message": row["message"],
        "record": "" if row["record"] is None else row["record"].as_posix(),
        "command": command(row),
        "log": log_end(row) if has_nothing(row) else "",
    }


def _fact(row: ReportRow, one: columns.Column) -> str:
    """A value of a run with its unit; "" where none is known."""
    value = known(row, one.name)
    if value is None:
        return ""
    if one.name in ("ended", "quality"):
        return status_word(value)
    if one.name == "options":
        return ", ".join(f"{name} = {option}" for name, option in json.loads(value).items())
    if one.type is not float:
        return f"{value} {one.unit}".rstrip()
    if "gap" in one.name and one.by != "campaign":
        return f"{formats.percent(value)} %"
    if one.unit == "$":  # in all digits; schedules on MIG instances have other units
        return formats.plain(value) if is_schedule(row) else f"{float(value)!r} $"
    show = formats.plain if one.by == "campaign" else formats.measured
    return f"{show(value)} {one.unit}".rstrip()
