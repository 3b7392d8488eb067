"""
What a notebook shows of instances, solutions, results and simulations.

Tables have the rows and columns that commands print, pictures are the figures that they write. The
classes reach these functions by name, see `rsjs.core.display`.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import singledispatch
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.report import SolveResult
from rsjs.instances.check import Verdict
from rsjs.instances.describe import describe, describe_solution, job_modes
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.solution import Solution
from rsjs.reporting.figures.figure import Axis, Figure, Panel, Series
from rsjs.reporting.tables import comparison
from rsjs.reporting.tables.facts import (
    facts,
    node_types,
    text_of,
    text_table,
    verdict_facts,
    violation_lines,
)
from rsjs.reporting.tables.formats import counted, percent
from rsjs.reporting.tables.table import Table
from rsjs.runs.gap import gap
from rsjs.runs.kinds.base import kind
from rsjs.runs.verified_run import verdict_keys
from rsjs.simulation.outcome import Outcome, Outcomes
from rsjs.simulation.policy import Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray
    from pandas import DataFrame

    from rsjs.rows.columns import Row

WIDTH = 90  # characters of a table
MOST_NAMED, LINE, AROUND = 60, 0.16, 0.6  # jobs with their ids; inches of a job, of the rest
UNITS = {**dict.fromkeys(("cost", "energy", "tardiness"), "_usd"), "makespan": "_h"}
LEFT, RIGHT = "text-align: left", "text-align: right"


# tables


def table_html(table: Table) -> str:
    """
    Return a table with title, headings and notes as HTML that needs no style sheet.

    It has the columns that a terminal of `WIDTH` characters shows.
    """
    table = replace(table, columns=table.fitting(WIDTH))
    align = [RIGHT if column.is_right else LEFT for column in table.columns]
    heads = (
        f'<th style="{style}">{escape(column.full_heading)}</th>'
        for column, style in zip(table.columns, align, strict=True)
    )
    caption = f'<caption style="{LEFT}">{escape(table.title)}</caption>'
    lines = ['<div style="overflow-x: auto">', "<table>", caption]
    named = any(column.heading for column in table.columns)
    lines += [f"<thead><tr>{''.join(heads)}</tr></thead>"] if named else []
    lines.append("<tbody>")
    for cells in table.cells:
        told = (
            f'<td style="{style}">{escape(cell)}</td>'
            for cell, style in zip(cells, align, strict=True)
        )
        lines.append(f"<tr>{''.join(told)}</tr>")
    lines += ["</tbody>", "</table>", "</div>"]
    notes = [escape(note) for note in (*table.notes, *table.footnotes)]
    lines += [f"<p><small>{'<br>'.join(notes)}</small></p>"] if notes else []
    return "\n".join(lines)


@singledispatch
def html(subject: Any) -> str:
    """Return what a notebook shows of an object, escaped."""
    raise TypeError(f"no table of a {type(subject).__name__}")


@html.register
def _(subject: Instance | Workload) -> str:
    document = describe(subject)
    types = node_types(document)
    del document["node_types"]
    return _facts_html(document["kind"], facts(document)) + table_html(types)


@html.register
def _(solution: Solution) -> str:
    return _facts_html("solution", facts(describe_solution(solution)))


@html.register
def _(verdict: Verdict) -> str:
    document = {**verdict_keys(verdict, None), "counts": verdict.counts}
    lines = violation_lines(document["violations"])
    return _facts_html(
        "verdict", [*verdict_facts(document), *(("violation", line) for line in lines)]
    )


@html.register
def _(result: SolveResult) -> str:
    document = {
        **{key: getattr(result, key) for key in ("stop", "message", "objective", "bound")},
        "gap": gap(result.objective, result.bound),
        **dict.fromkeys(("feasible", "terms", "violations")),
        "seconds": result.seconds,
        "peak_memory_mb": result.peak_memory_mb,
    }
    told = verdict_facts(document)
    solution = "none" if result.solution is None else repr(result.solution)[9:-1]
    return _facts_html("result", [*told, ("solution", solution)])


@html.register
def _(outcome: Outcome) -> str:
    totals = outcome.totals
    values = {
        "policy": outcome.policy,
        "workload": outcome.workload.name,
        "status": f"{outcome.status}{f' ({outcome.message})' if outcome.message else ''}",
        "cost": f"{text_of(totals.cost)} $ = energy {text_of(totals.energy)} + "
        f"tardiness {text_of(totals.tardiness)}",
        "jobs": f"{totals.completed} of {totals.jobs} completed, {totals.late} late, "
        f"{counted(totals.preemptions, 'preemption')}, {counted(totals.moves, 'move')}",
        "makespan": f"{text_of(totals.makespan)} h",
        "GPUs in use": f"{percent(totals.utilisation)} %",
        "decisions": totals.decisions,
    }
    return _facts_html("simulation", facts(values))


@html.register
def _(outcomes: Outcomes) -> str:
    rows = [outcome_row(one) for one in outcomes]
    if not rows:
        return escape(repr(outcomes))
    return table_html(comparison.shortened_table(rows, comparison.simulations))


def _facts_html(title: str, told: list[tuple[str, str]]) -> str:
    return table_html(text_table(title, ["", ""], told))


def outcome_row(outcome: Outcome) -> Row:
    """Return the row of a simulation that was no run of a campaign, as of a log."""
    totals, complete = outcome.totals, outcome.status == Status.COMPLETE
    figures = {"totals": asdict(totals), "seconds_per_decision": outcome.seconds_as_dict()}
    return {
        "instance": outcome.workload.name,
        "instance_sha256": outcome.workload.digest,
        "jobs": totals.jobs,
        "method": outcome.policy,
        "spelling": outcome.policy,
        "run_id": "",
        "stop": "iterations" if complete else "error",
        "status": "ok" if complete else "no_solution",
        "message": outcome.message,
        "objective": totals.cost if complete else None,
        "energy": totals.energy,
        "tardiness": totals.tardiness,
        "seed": outcome.options.seed,
        **kind("workload").columns(outcome.options.of_campaign(), figures, None, {}),
    }


# data frames


def jobs_frame(subject: Instance | Workload) -> DataFrame:
    """Return a row per job, by id."""
    import pandas as pd

    jobs = subject.jobs
    instance = subject if isinstance(subject, Instance) else subject.submitted()
    fastest, cheapest = _hours(instance)
    columns = {
        "application": jobs.application,
        "release_h": jobs.release,
        "due_h": jobs.due,
        "weight_usd_per_h": jobs.weight,
        "memory_gb": jobs.memory_gb,
        "epochs_max": jobs.epochs_max,
        "epochs_done": jobs.epochs_done,
        "distribution": jobs.law,
        "fastest_h": fastest,
        "cheapest_h": cheapest,
    }
    if isinstance(subject, Workload):
        columns["realised_epochs"] = subject.realised_epochs
    return pd.DataFrame(columns, index=pd.Index(jobs.id, name="id"))


def _hours(instance: Instance) -> tuple[NDArray[Any], NDArray[Any]]:
    """(J,) hours to completion of each job in its fastest and in its cheapest mode."""
    hours, _, cost = job_modes(instance)
    return hours.min(axis=1), hours[np.arange(len(hours)), cost.argmin(axis=1)]


def completions_frame(outcome: Outcome) -> DataFrame:
    """Return a row per job of a simulation, by id; NaN where a job did not complete."""
    import pandas as pd

    jobs, end = outcome.workload.jobs, outcome.completed_at
    columns = {
        "application": jobs.application,
        "release_h": jobs.release,
        "due_h": jobs.due,
        "completed_h": end,
        "tardiness_h": np.maximum(0.0, end - jobs.due),
        "tardiness_usd": jobs.weight * np.maximum(0.0, end - jobs.due),
    }
    return pd.DataFrame(columns, index=pd.Index(jobs.id, name="id"))


def outcomes_frame(outcomes: Outcomes) -> DataFrame:
    """Return a row per policy: status, totals, running time of its calls [s]."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for one in outcomes:
        totals = asdict(one.totals)
        del totals["gpu_hours"]  # by GPU type
        median = one.seconds_as_dict()["median"]
        named = {f"{key}{UNITS.get(key, '')}": value for key, value in totals.items()}
        rows.append({"status": str(one.status), **named, "decision_median_s": median})
    return pd.DataFrame(rows, index=pd.Index([one.policy for one in outcomes], name="policy"))


# pictures


def axes_of(figure: Figure) -> NDArray[Any]:
    """Draw a figure that pyplot knows, so that a notebook shows it; return the axes of panels."""
    import matplotlib
    from matplotlib import pyplot

    from rsjs.reporting.figures.draw import draw
    from rsjs.reporting.figures.figure_style import STYLE

    def canvas(width: float, height: float, **options: Any) -> Canvas:
        return pyplot.figure(figsize=(width, height), **options)

    style: Any = STYLE
    load: Any = pyplot.draw_if_interactive
    load()  # a notebook's backend, which sets parameters that are to stay
    with matplotlib.rc_context(style):
        return np.array(draw(figure, canvas=canvas).axes)


def plot_jobs(instance: Instance) -> Axes:
    """Draw due dates, and times to completion in the fastest and in the cheapest mode."""
    jobs = instance.jobs
    order = np.lexsort((jobs.due,))
    place = np.arange(len(order), dtype=np.float64)
    fastest, cheapest = _hours(instance)
    points = {"fastest mode": fastest, "cheapest mode": cheapest, "due date": jobs.due}
    series = [
        Series(
            name=name,
            x=values[order] - (instance.now if name == "due date" else 0.0),
            y=place,
            kind="points",
            look="tick" if name == "due date" else "",
            colour="#000000" if name == "due date" else "",
        )
        for name, values in points.items()
    ]
    ids = dict(zip(place.tolist(), (jobs.id[j] for j in order), strict=True))
    y = Axis(
        title=f"{counted(len(ids), 'job')} by due date",
        ticks=ids if len(ids) <= MOST_NAMED else {-1.0: ""},
        ends=(len(ids) - 0.4, -0.6),
    )
    panel = Panel(series=series, x=Axis(title="hours from now"), y=y)
    size = (6.0, AROUND + LINE * min(len(ids), MOST_NAMED))
    heading = instance.name
    figure = Figure(name="jobs", title="Jobs", panels=[panel], heading=heading, size=size)
    axes: Axes = axes_of(figure)[0]
    return axes


def plot_solution(instance: Instance, solution: Solution) -> Axes:
    """Draw which job runs on which GPUs."""
    from rsjs.reporting.figures.occupancy import occupancy_figure

    axes: Axes = axes_of(occupancy_figure(instance, solution, columns=1))[0]
    return axes


def plot_events(result: SolveResult) -> Axes:
    """Draw incumbent and dual bound over time."""
    from rsjs.core.errors import InputError, described
    from rsjs.reporting.figures.runs import SOONEST, step_series

    ends = [result.seconds.get("total", 0.0), *(event.seconds for event in result.events)]
    end = max(SOONEST, *ends)
    last = {"incumbent": result.objective, "bound": result.bound}
    series = []
    for key, name in (("incumbent", "incumbent"), ("bound", "dual bound")):
        points = [
            (max(SOONEST, event.seconds), value)
            for event in result.events
            if (value := getattr(event, key)) is not None
        ]
        if (value := last[key]) is not None:
            points.append((end, value))
        if points:
            series.append(step_series(name, points))
    if not series:
        raise InputError("", described("no incumbent and no bound"), "a result to draw")
    x = Axis(title="wall-clock time [s]", is_log=True)
    panel = Panel(series=series, x=x, y=Axis(title="cost [$]"))
    figure = Figure(name="events", title="Incumbent and bound", panels=[panel], size=(5.0, 2.6))
    axes: Axes = axes_of(figure)[0]
    return axes


def plot_course(*outcomes: Outcome) -> NDArray[Any]:
    """Draw cost, queue and GPUs in use over time."""
    from rsjs.reporting.figures.simulation import course_figure

    return axes_of(course_figure(outcomes))


def plot_gantt(outcome: Outcome) -> NDArray[Any]:
    """Draw the job on each GPU over time."""
    from rsjs.reporting.figures.simulation import gantt_figure

    return axes_of(gantt_figure(outcome))
