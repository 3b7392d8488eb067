"""The page of an instance: its runs, their course, and the best solution, laid out on its nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from rsjs.instances.instance import Instance
from rsjs.instances.io.files import read_instance, read_solution
from rsjs.instances.mig.scheduling.problem import SchedulingProblem, read_problem
from rsjs.instances.mig.scheduling.schedule import Schedule, read_schedule
from rsjs.instances.solution import Solution
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.mig import mig_gantt
from rsjs.reporting.figures.occupancy import Shelf, scene, shelves
from rsjs.reporting.figures.occupancy_drawers import occupancy
from rsjs.reporting.figures.runs import cost_split, gap_over_time
from rsjs.reporting.site import instance_plots
from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.plots import Plot, Styles, Trace, axes
from rsjs.reporting.site.report_data import Material
from rsjs.reporting.site.run_tables import run_table
from rsjs.reporting.site.urls import family_page, instance_slug, run_place
from rsjs.reporting.tables.labels import shown
from rsjs.rows.select import best_row, is_schedule, known
from rsjs.runs.kinds.base import kind


@dataclass(frozen=True, kw_only=True, eq=False)
class Decision:
    """
    Attributes
    ----------
    row : mapping
        Of the run that made it.
    instance, solution
        In the order that the run was given.
    on : list of Shelf
    """

    row: Mapping[str, Any]
    instance: Instance
    solution: Solution
    on: list[Shelf]


def best_decision(rows: Sequence[Mapping[str, Any]], material: Material) -> Decision | None:
    """The decision of the best run; None where none was kept."""
    found = _best_files(rows, material, schedules=False)
    if found is None:
        return None
    row, file, record = found
    instance = read_instance(file)
    solution = read_solution(record / kind("instance").solution_file).solution
    return Decision(row=row, instance=instance, solution=solution, on=shelves(instance, solution))


def best_schedule(
    rows: Sequence[Mapping[str, Any]], material: Material
) -> tuple[Mapping[str, Any], SchedulingProblem, Schedule] | None:
    """The schedule of the best run on MIG instances, and its row; None where none was kept."""
    found = _best_files(rows, material, schedules=True)
    if found is None:
        return None
    row, file, record = found
    problem = read_problem(file)
    return (
        row,
        problem,
        read_schedule(record / kind("mig_scheduling").solution_file, problem).schedule,
    )


def _best_files(
    rows: Sequence[Mapping[str, Any]], material: Material, *, schedules: bool
) -> tuple[Mapping[str, Any], Path, Path] | None:
    """The best run with a decision of this kind: its row, its instance, its record."""
    row = best_row(
        [row for row in rows if row["solution_sha256"] and is_schedule(row) == schedules]
    )
    if row is None:
        return None
    folder, file = material.record(dict(row)), material.solved(dict(row))
    if folder is None or file is None or not file.exists():
        return None
    return row, file, folder


COLOURS = {"in time": "#0072B2", "late": "#E69F00"}
ROW, LEAST, MOST = 9, 260, 1400  # pixels


def gantt(instance: Instance, on: Sequence[Shelf]) -> Plot:
    """Bars of expected time to completion, those that end after their due date apart."""
    due = dict(zip(instance.jobs.id, instance.jobs.due.tolist(), strict=True))
    bars: dict[str, list[tuple[float, float, float, str]]] = {word: [] for word in COLOURS}
    ticks, row = [], 0.0
    for shelf in on:
        ticks.append((row + shelf.gpus / 2, shelf.node))
        for block in shelf.blocks:
            end = instance.now + block.hours
            told = f"{block.job} on {shelf.node} ({shelf.node_type}): {block.width:g} GPU"
            word = "late" if end > due[block.job] else "in time"
            middle = row + block.start + block.width / 2
            bars[word].append((middle, block.width, block.hours, f"{told}, due {due[block.job]:g}"))
        row += shelf.gpus
    layout: dict[str, Any] = axes("time [h]", "", barmode="overlay", bargap=0)
    layout["xaxis"] |= {"rangemode": "tozero"}
    layout["yaxis"] |= {
        "range": [row, 0],
        "tickvals": [at for at, _ in ticks],
        "ticktext": [name for _, name in ticks],
        "showgrid": False,
        "automargin": True,
    }
    return Plot(
        id="gantt",
        title="When jobs end",
        data=[_bars(word, found, instance.now) for word, found in bars.items() if found],
        layout=layout,
        height=int(min(MOST, max(LEAST, 110 + ROW * row))),
        note="If nothing is decided again: one row per GPU, a share of one is narrower."
        " Blue: in time; orange: after the due date.",
    )


def _bars(name: str, bars: Sequence[tuple[float, float, float, str]], now: float) -> Trace:
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": [middle for middle, _, _, _ in bars],
        "width": [0.92 * width for _, width, _, _ in bars],
        "x": [hours for _, _, hours, _ in bars],
        "base": [now] * len(bars),
        "text": [told for _, _, _, told in bars],
        "textposition": "none",
        "marker": {"color": COLOURS[name]},
        "hovertemplate": "%{text}<br>ends after %{x:.4g} h<extra></extra>",
    }


Row = Mapping[str, Any]


def content(
    rows: Sequence[Row], material: Material, styles: Styles, downloads: Downloads, *, pdf: bool
) -> dict[str, Any]:
    """
    What the template `instance` needs.

    Parameters
    ----------
    pdf : bool
        Whether figures are drawn as PDF too, which takes a second.
    """
    first, best, slug = rows[0], best_row(rows), instance_slug(rows[0])
    decision, schedule = best_decision(rows, material), best_schedule(rows, material)
    made = (
        instance_plots.course(rows, styles),
        instance_plots.gaps(rows, styles),
        instance_plots.costs(rows),
    )
    plots = [plot for plot in made if plot is not None]
    pdfs = _pictures(rows, plots, decision, slug, downloads) if pdf else {}
    table = run_table(rows, "method", "Runs")
    return {
        "row": first,
        "slug": slug,
        "family": first["family"],
        "family_page": family_page(first["family"]),
        "best": best,
        "best_place": "" if best is None else run_place(best),
        "best_cost": "" if best is None else shown(best["objective"], best),
        "best_bound": shown(known(best or first, "best_bound"), first),
        "size": _size(first),
        "gap_to_best": None if best is None else known(best, "gap_to_best"),
        "runs": downloads.with_files(table, slug),
        "plots": [replace(plot, pdf=pdfs.get(plot.id, "")) for plot in plots],
        "decision": decision,
        "decision_place": "" if decision is None else run_place(decision.row),
        "occupancy": None if decision is None else scene(decision.instance, decision.on),
        "occupancy_pdf": pdfs.get("occupancy", ""),
        "schedule": _schedule(*schedule, slug, downloads) if schedule and pdf else None,
        "has_schedule": schedule is not None,
        "gantt": None if decision is None else gantt(decision.instance, decision.on),
        "pdf": pdf,
    }


def _size(row: Row) -> str:
    if not is_schedule(row):
        return f"{row['nodes']} nodes, {row['jobs']} jobs"
    told = f"reading {row['reading']}, objective {row['goal']}"
    return f"{row['nodes']} units of {row['units']} MB, {row['jobs']} jobs; {told}"


def _schedule(
    row: Row, problem: SchedulingProblem, schedule: Schedule, slug: str, downloads: Downloads
) -> dict[str, Any]:
    """The picture of a schedule on MIG instances, and the run that it is of."""
    name, method = f"{slug}-schedule", str(row["method"])
    files = [
        downloads.picture(name, partial(mig_gantt, title=method), problem, schedule, suffix=suffix)
        for suffix in ("svg", "pdf")
    ]
    told = f"{problem.name} by {method}: which job runs when on which unit"
    return {"place": run_place(row), "cost": shown(row["objective"], row), "row": row} | {
        "svg": files[0],
        "pdf": files[1],
        "told": told,
    }


def _pictures(
    rows: Sequence[Row],
    plots: Sequence[Plot],
    decision: Decision | None,
    slug: str,
    downloads: Downloads,
) -> dict[str, str]:
    made, names = {}, {plot.id for plot in plots}
    if "gap" in names:
        runs = [{**row, "seconds": known(row, "total_s")} for row in rows if row["events"]]
        made["gap"] = downloads.picture(f"{slug}-gap", write, gap_over_time(runs))
    if "costs" in names:
        made["costs"] = downloads.picture(f"{slug}-costs", write, cost_split(rows))
    if decision is not None:
        made["occupancy"] = downloads.picture(
            f"{slug}-occupancy", occupancy, decision.instance, decision.solution
        )
    return made
