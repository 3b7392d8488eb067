"""What a board shows of instances: their status, who found and confirmed it, and its history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from rsjs.bks.entries import BestKnown, Origin, Step
from rsjs.reporting.figures.figure import Axis, Figure, Panel, Series
from rsjs.reporting.references import cost_ratio
from rsjs.reporting.site.board_data import Subject
from rsjs.reporting.site.pages import run_url
from rsjs.reporting.site.plots import Plot, figure_plot
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.select import is_schedule, known
from rsjs.submissions.row import CERTIFICATE, REPEATED, RUN

COST, BOUND = "#0b6fb8", "#c25a00"  # lines of a history, seen on dark and on white paper
GOOD = frozenset({"confirmed", "closed"})
EVIDENCE = {
    CERTIFICATE: "certificate",
    REPEATED: "run, repeated here",
    RUN: "run, not repeated: not proved",
}
TICKS = 6  # dates on an axis
START = datetime(2026, 1, 1, tzinfo=UTC)  # near, as coordinates have six digits


def status_table(subjects: Sequence[Subject], name: str, runs: Mapping[str, str]) -> Table:
    """
    Return a line per instance: status, cost, bound, who found and who confirmed them.

    `runs` has the place of each run that is on the board, by its id.
    """
    rows = [_status_line(one, runs) for one in subjects]
    is_plain = bool(subjects) and all(
        not one.entry and one.rows and all(map(is_schedule, one.rows)) for one in subjects
    )
    unit = "" if is_plain else "$"

    def link(line: Row, key: str) -> str:
        if not line["url"]:
            return ""
        if key in ("cost", "cost_by"):
            return str(line["cost_run"])
        return str(line["bound_run"] if key in ("bound", "bound_by") else line["url"])

    columns = [
        Column("instance", "instance"),
        Column("nodes", "nodes", formats.count),
        Column("jobs", "jobs", formats.count),
        Column("status", "status"),
        Column("effort", "by single runs"),
        Column("cost", "cost", formats.cost, unit=unit),
        Column("bound", "bound", formats.cost, unit=unit),
        Column("gap", "gap", formats.percent, unit="%"),
        Column("cost_by", "cost by"),
        Column("cost_date", "since"),
        Column("bound_by", "bound by"),
        Column("bound_date", "since"),
        Column("confirmed_by", "bound confirmed by"),
        Column("certificate", "certificate"),
        Column("runs", "runs", formats.count),
    ]
    shown = [one for one in columns if any(one.cell(row) != one.missing for row in rows)]
    return Table(
        name=name,
        title="Status of each instance",
        columns=shown,
        rows=rows,
        notes=[
            "Closed: the bound is within 1e-6 of the cost, postponement left out. Confirmed:"
            " closed, and another method or solver proves the same bound. By single runs: toy,"
            " easy, medium, hard: one run closes it within a minute, ten, an hour, or more, to a"
            " gap of 1e-4. Certificate: the bound is evaluated again exactly, without a solver."
        ],
        link=link,
        mark=lambda line, key: "good" if key == "status" and line[key] in GOOD else "",
        choices=frozenset({"status", "effort", "cost_by", "bound_by"}),
    )


def _status_line(one: Subject, runs: Mapping[str, str]) -> dict[str, Any]:
    entry, page = one.entry, one.url if one.is_shown else ""
    line: dict[str, Any] = {
        "instance": one.name,
        "sha256": one.sha256,
        "nodes": one.nodes,
        "jobs": one.jobs,
        "status": one.word,
        "effort": str(one.effort) if one.effort.word != "unknown" else "",
        "cost": one.cost,
        "bound": one.bound,
        "gap": one.gap,
        "runs": len(one.rows) or None,
        "url": page,
        "cost_run": page,
        "bound_run": page,
    }
    if entry is None:
        if one.best is not None:
            line |= {"cost_by": one.best["method"], "cost_run": run_url(one.best)}
            line |= {"cost_date": str(known(one.best, "begun") or "")[:10]}
        return line
    for key, step in (("cost", entry.cost), ("bound", entry.bound)):
        if step is not None:
            line |= {f"{key}_by": by(step), f"{key}_date": step.date[:10]}
            line[f"{key}_run"] = runs.get(step.run_id or "", f"{page}#history")
    if entry.bound is not None:
        told = dict.fromkeys(map(by, entry.bound.confirmed_by))
        line["confirmed_by"] = ", ".join(told)
    line["certificate"] = "yes" if entry.certificate is not None else ""
    return line


def by(origin: Origin) -> str:
    """Return who a value comes from: of a run method and version of its solver, else its source."""
    if origin.method is None or origin.run_id is None:
        return origin.source
    return f"{origin.method} {origin.solver_version or ''}".rstrip()


def submissions_table(subjects: Sequence[Subject]) -> Table:
    """Return a line per instance of each submission: cost, bound, evidence and credit."""
    rows = []
    for one in subjects:
        for row in one.submissions:
            line = {**asdict(row), "instance": one.name, "url": one.url}
            line |= {"who": ", ".join(row.who), "sets": ", ".join(row.sets)}
            line["over_best"] = cost_ratio(row.cost, one.cost)
            line["evidence"] = EVIDENCE.get(row.evidence or "", row.evidence)
            rows.append(line)
    rows.sort(key=lambda line: (line["date"], line["submission"]), reverse=True)
    return Table(
        name="submissions",
        title="Submissions",
        columns=[
            Column("submission", "submission"),
            Column("instance", "instance"),
            Column("who", "by"),
            Column("date", "date"),
            Column("division", "division"),
            Column("cost", "cost", formats.cost, unit="$"),
            Column("over_best", "cost / best", formats.ratio),
            Column("cost_credit", "credit for it"),
            Column("bound", "bound", formats.cost, unit="$"),
            Column("evidence", "evidence of the bound"),
            Column("bound_credit", "credit for it"),
            Column("method", "method"),
            Column("machine", "machine"),
            Column("reference", "reference"),
        ],
        rows=rows,
        notes=[
            "Every cost is that of the exact check. Division closed: the suite's limits and one"
            " thread; open: anything. Credit, first: nobody had so good a value before; equal:"
            " the best that is known, which somebody else had first."
        ],
        link=lambda line, key: str(line["url"]) if key in ("instance", "cost", "bound") else "",
        mark=lambda line, key: "warn" if key == "evidence" and line[key] == EVIDENCE[RUN] else "",
        choices=frozenset({"submission", "division", "evidence"}),
    )


def history_plot(entry: BestKnown, last: str) -> Plot | None:
    """Return cost and bound over time up to the moment `last`; None if neither ever changed."""
    histories: Mapping[str, Sequence[Step]] = {"cost": entry.ub_data, "bound": entry.lb_data}
    if all(len(steps) < 2 for steps in histories.values()):
        return None
    series = [
        Series(
            name=name,
            x=[day(step.date) for step in steps] + [day(last)],
            y=[step.value for step in (*steps, steps[-1])],
            kind="steps",
            colour=colour,
            tips=[*(f"{name} by {by(step)}, {step.date[:10]}" for step in steps), "none better"],
        )
        for (name, steps), colour in zip(histories.items(), (COST, BOUND), strict=True)
        if steps
    ]
    x = time_axis([x for one in series for x in one.x])
    panels = [Panel(series=series, x=x, y=Axis(title="$"))]
    title = "History of cost and bound"
    return figure_plot(Figure(name="history-plot", title=title, panels=panels), {}, height=320)


def closed_plot(entries: Sequence[BestKnown], last: str) -> Plot:
    """Return how many instances have a cost, and how many are closed, over time."""
    first = [entry.ub_data[0].date for entry in entries if entry.ub_data]
    closed = [
        max(entry.cost.date, entry.bound.date)
        for entry in entries
        if entry.closed and entry.cost is not None and entry.bound is not None
    ]
    series = []
    for name, dates, colour in (("with a cost", first, COST), ("closed", closed, BOUND)):
        x = sorted(map(day, dates))
        y = [*range(1, len(x) + 1)]
        series.append(
            Series(name=name, x=[*x, day(last)], y=[*y, len(x)], kind="steps", colour=colour)
        )
    axis = time_axis([x for one in series for x in one.x])
    panels = [Panel(series=series, x=axis, y=Axis(title="instances"))]
    figure = Figure(name="progress", title="Closed instances", panels=panels)
    return figure_plot(figure, {}, height=320)


def day(moment: str) -> float:
    """Return a moment, UTC unless it says more, as days since `START`."""
    found = datetime.fromisoformat(moment)
    return ((found if found.tzinfo else found.replace(tzinfo=UTC)) - START) / timedelta(days=1)


def time_axis(days: Sequence[float]) -> Axis:
    """Return an axis of days with some of their dates, of few days with hours and minutes."""
    ticks: list[float] = []
    for one in sorted({*days}, reverse=True):
        if not ticks or ticks[-1] - one >= (max(days) - min(days)) / TICKS:
            ticks.append(one)
    shown = "%Y-%m-%d" if max(days) - min(days) > TICKS else "%Y-%m-%d\n%H:%M"
    words = [(START + timedelta(days=x)).strftime(shown) for x in reversed(ticks)]
    room = (max(days) - min(days) or 1.0) / 8  # for the last value and the words of its date
    ends = min(days) - room, max(days) + room
    return Axis(ticks=dict(zip(reversed(ticks), words, strict=True)), ends=ends)


def history_table(entry: BestKnown, runs: Mapping[str, str]) -> Table:
    """Return every step of cost and bound, the newest first, with who confirmed it."""
    rows: list[dict[str, Any]] = []

    def line(kind: str, step: Origin) -> dict[str, Any]:
        return {
            "step": kind,
            "value": step.value,
            "date": step.date[:10],
            "method": step.method or "",
            "solver": f"{step.solver or ''} {step.solver_version or ''}".strip(),
            "source": step.source,
            "package": step.rsjs_version or "",
            "commit": (step.commit or "")[:12],
            "seconds": step.seconds,
            "cpu_model": step.cpu_model or "",
            "run_id": step.run_id or "",
            "place": runs.get(step.run_id or "", ""),
        }

    histories: tuple[tuple[str, Sequence[Step]], ...] = (
        ("cost", entry.ub_data),
        ("bound", entry.lb_data),
    )
    for name, history in histories:
        for step in reversed(history):
            rows.append(line(name, step))
            rows += [line(f"{name}, confirmed by", other) for other in step.confirmed_by]
    return Table(
        name="history",
        title="Best-known values and their history",
        columns=[
            Column("step", "step"),
            Column("value", "value", lambda value: repr(value), unit="$"),
            Column("date", "date"),
            Column("method", "method"),
            Column("solver", "solver"),
            Column("source", "source"),
            Column("seconds", "running time", formats.measured, unit="s"),
            Column("cpu_model", "machine"),
            Column("package", "rsjs-bench"),
            Column("commit", "commit"),
            Column("run_id", "run"),
        ],
        rows=rows,
        notes=["Seconds of these runs were measured beside others: they rank nothing."],
        link=lambda row, key: str(row["place"]),
        shared=frozenset({"seconds"}),
    )
